import { describe, expect, it } from "vitest";
import { joinPath } from "../group/join-groups.ts";
import { assistant, call, chain, result, user } from "../testing/make-entries.ts";
import { judgeFact, survivalReport } from "./survival.ts";
import { type FactKind, factsOfText } from "./text-facts.ts";

const SUMMARY = `## Goal
Split src/core/agent-session.ts so that _disconnectFromAgent is private; 1,238 lines are left.
## Critical Context
- \`npm run check\` fails in main-new.ts with TS2552: Cannot find name 'expandSlashCommand'.`;

describe("what a summary still says", () => {
  it.each<[FactKind, string, "found" | "partly" | "missing"]>([
    ["path", "src/core/agent-session.ts", "found"],
    ["path", "packages/agent/src/main-new.ts", "partly"],
    ["path", "src/compaction.ts", "missing"],
    ["path", "core/agent-session.tsx", "missing"],
    ["command", "npm run check", "found"],
    ["command", "npm run check 2>&1 | head -50", "partly"],
    ["command", "npx tsgo --noEmit", "missing"],
    ["number", "1,238", "found"],
    ["number", "238", "missing"],
    ["identifier", "_disconnectFromAgent", "found"],
    ["identifier", "disconnectFrom", "missing"],
    ["error", "TS2552: Cannot find name 'expandSlashCommand'.", "found"],
    ["error", "src/a.ts(3,1): error TS2552: no name", "partly"],
    ["error", "ENOENT: no such file", "missing"],
  ])("of a %s %j is %s", (kind, text, survival) => {
    expect(judgeFact({ kind, text }, SUMMARY)).toBe(survival);
  });

  it("is looked for in words, calls and what went wrong, and marked item by item", () => {
    const items = joinPath(
      chain(
        (p) => user("u1", p, "keep src/core/agent-session.ts under 1,238 lines"),
        (p) => assistant("a1", p, { content: [call("c1", "bash", { command: "npx tsgo --noEmit" })] }),
        (p) => result("r1", p, "c1", "nothing to say"),
        (p) => assistant("a2", p, { content: [call("c2", "edit", { path: "lib/main-new.ts" })] }),
        (p) => result("r2", p, "c2", "ENOSPC: no space left on device", true),
        (p) => user("u2", p, "thanks"),
      ),
    );
    const report = survivalReport(items, SUMMARY);
    expect(report.marks).toEqual(["found", "missing", "partly", null]);
    expect(report.kinds.path).toEqual({ found: 1, partly: 1, total: 2 });
    expect(report.kinds.command).toEqual({ found: 0, partly: 0, total: 1 });
    expect(report.missing.map(({ text }) => text)).toEqual([
      "npx tsgo --noEmit",
      "ENOSPC: no space left on device",
    ]);
  });
});

describe("what a text names", () => {
  it("are paths, identifiers and numbers, each once and in its own kind", () => {
    const text = "In src/a-b.ts and ./x/y.md, handleFork2 and snake_case run 1543 times, 1543 in v2.";
    expect(factsOfText(text)).toEqual([
      { kind: "path", text: "src/a-b.ts" },
      { kind: "path", text: "./x/y.md" },
      { kind: "identifier", text: "handleFork2" },
      { kind: "identifier", text: "snake_case" },
      { kind: "number", text: "1543" },
    ]);
  });

  it("is nothing in plain words", () => {
    expect(factsOfText("Please make it faster, and/or simpler. Thanks!")).toEqual([]);
  });

  it("is found in any text in time that grows with it", () => {
    const long = `${"a".repeat(50_000)}/${"b.".repeat(50_000)}${"_".repeat(20_000)}${"1,".repeat(20_000)}`;
    const started = performance.now();
    factsOfText(long);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
