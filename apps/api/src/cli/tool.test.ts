import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { toolVerb } from "./tool.ts";

const folder = mkdtempSync(join(tmpdir(), "espalier-tool-verb-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "a.txt"), "hello\n");

const run = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
  let out = "";
  let err = "";
  const code = await toolVerb.run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: {},
  });
  return { code, out, err };
};

describe("toolVerb", () => {
  it("prints content, details and isError of one tool run", async () => {
    const { code, out, err } = await run("read", '{"path":"a.txt"}', "--cwd", folder);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toEqual({
      content: [{ type: "text", text: "hello\n" }],
      details: null,
      isError: false,
    });
  });

  it("prints what the model would get when the tool fails or the arguments do not fit", async () => {
    expect(JSON.parse((await run("bash", '{"command":"exit 2"}', "--cwd", folder)).out)).toMatchObject({
      isError: true,
    });
    expect(JSON.parse((await run("read", "{}")).out)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("path") }],
    });
  });

  it("tells wrong usage", async () => {
    for (const argv of [
      [],
      ["read", "{"],
      ["read", "[]"],
      ["nonsense"],
      ["read", "{}", "more"],
      ["read", "--what"],
    ]) {
      const { code, out, err } = await run(...argv);
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).not.toBe("");
    }
  });
});
