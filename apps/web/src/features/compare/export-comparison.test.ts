import type { BranchReport, Comparison, FileChange } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { endingOf, FACTS, standing, summaryCount } from "./compare-words.ts";
import { comparisonText } from "./export-comparison.ts";

const report = (more: Partial<BranchReport> = {}): BranchReport => ({
  end: entryId("e"),
  first: 0,
  items: 2,
  turnStarts: [0],
  entries: 2,
  turns: 1,
  calls: 0,
  failed: 0,
  open: 0,
  tokens: 10,
  cost: 0,
  started: 0,
  ended: 0,
  ms: 0,
  stop: "stop",
  check: null,
  files: [],
  commands: [],
  commandCount: 0,
  summaries: [],
  ...more,
});
const file = (path: string, more: Partial<FileChange> = {}): FileChange => ({
  path,
  text: null,
  hunks: [],
  writes: 0,
  edits: 0,
  ...more,
});
const names = { session: "s", fork: "here", a: "left", b: "right" };

describe("comparisonText", () => {
  it("tells facts, files and commands; fences hold whatever a text holds", () => {
    const summary = { entryId: entryId("s1"), fromId: "x", text: "told" };
    const comparison: Comparison = {
      fork: entryId("f"),
      a: report({
        files: [file("one", { text: "```\ncode\n```", writes: 1 }), file("big", { omitted: 9 })],
        commands: [{ entryId: entryId("e"), command: "rm a | b" }],
        commandCount: 1,
        summaries: [summary],
      }),
      b: report({
        files: [file("one", { hunks: [{ before: "x", after: "y" }], edits: 1 })],
        check: { entryId: entryId("e"), command: "npm test", failed: true, says: "2 errors" },
        summaries: [summary],
      }),
      last: { a: null, b: null },
    };
    const text = comparisonText(comparison, names);
    for (const part of [
      "# Two ways from here",
      "| last check | none | 2 errors (`npm test`) |",
      "| `one` | +3 \u22120, written whole | +1 \u22121 |",
      "| `big` | too long to be told | untouched |",
      "````\n```\ncode\n```\n````",
      "```diff\n-x\n+y\n```",
      "1 command may have changed files besides:",
      "- A: `rm a \\| b`",
      "No answer.",
    ])
      expect(text).toContain(part);
    expect(summaryCount(comparison)).toBe(1);
  });
});

describe("standing", () => {
  const fact = (name: string) => FACTS.find((each) => each.name === name) ?? FACTS[0];
  const stands = (name: string, mine: Partial<BranchReport>, other: Partial<BranchReport>) => {
    const which = fact(name);
    return which && standing(which, report(mine), report(other));
  };
  it("less is better where it is; what is not known is not judged", () => {
    expect(stands("failed", { failed: 0 }, { failed: 3 })).toBe("better");
    expect(stands("failed", { failed: 3 }, { failed: 0 })).toBe("worse");
    expect(stands("entries", { entries: 1 }, { entries: 3 })).toBe("even");
    expect(stands("cost", { cost: 0 }, { cost: 2 })).toBe("even");
    expect(stands("tokens", { entries: 0, tokens: 0 }, { tokens: 2 })).toBe("even");
  });
  it("says how a branch ended", () => {
    expect(endingOf(report({ stop: "aborted" }))).toBe("stopped by you");
    expect(endingOf(report({ stop: "toolUse", open: 1 }))).toBe("left with an open call");
    expect(endingOf(report({ stop: "stop" }))).toBe("finished");
  });
});
