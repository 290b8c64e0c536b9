import { describe, expect, it } from "vitest";
import { builtInTools } from "./registry.ts";
import { validateArguments } from "./validate-arguments.ts";

const check = (name: string, args: Record<string, unknown>) => {
  const tool = builtInTools.find(({ spec }) => spec.name === name);
  if (!tool) throw new Error(name);
  return validateArguments(tool.spec.parameters, args);
};

describe("validateArguments", () => {
  it("converts values of a near type", () => {
    expect(check("read", { path: "a", offset: "5", limit: "10" })).toEqual({
      ok: true,
      value: { path: "a", offset: 5, limit: 10 },
    });
    expect(check("grep", { pattern: 404, ignoreCase: "true" })).toEqual({
      ok: true,
      value: { pattern: "404", ignoreCase: true },
    });
  });

  it("takes null for left out", () => {
    expect(check("bash", { command: "ls", timeout: null })).toEqual({ ok: true, value: { command: "ls" } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["read", {}, "path: expected required property, got nothing"],
    ["read", { path: "a", offset: "x" }, 'offset: expected number, got "x"'],
    ["read", { path: "a", offset: 0 }, "offset: expected number to be greater or equal to 1, got 0"],
    [
      "edit",
      { path: "a", edits: [{ oldText: "a" }] },
      "edits[0].newText: expected required property, got nothing",
    ],
    ["edit", { path: "a", edits: "no" }, "edits[0]: expected object"],
    ["bash", { command: null }, "command: expected string, got null"],
  ])("names the field: %s %j", (name, args, error) => {
    const result = check(name, args);
    expect(result.ok ? "" : result.error).toContain(error);
  });

  it("leaves the arguments it was given alone", () => {
    const args = { path: "a", offset: "5" };
    check("read", args);
    expect(args).toEqual({ path: "a", offset: "5" });
  });

  it("does not let a schema pass that it cannot check", () => {
    expect(validateArguments({ type: "object" }, {}).ok).toBe(false);
  });
});
