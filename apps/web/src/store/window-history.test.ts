import { SessionTree } from "@espalier/core";
import { entryId, type Row } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { pathFacts } from "./window-history.ts";

const row = (
  id: string,
  parent: string | null,
  role: string,
  tokens: number,
  more: Partial<Row> = {},
): Row => ({
  id: entryId(id),
  parentId: parent === null ? null : entryId(parent),
  type: "message",
  role,
  time: 0,
  tokens,
  ...more,
});

describe("the window along a path", () => {
  const tree = new SessionTree([
    row("u1", null, "user", 10),
    row("a1", "u1", "assistant", 30),
    row("r1", "a1", "toolResult", 500, { flags: ["error"] }),
    row("u2", "r1", "user", 20),
    row("c", "u2", "", 40, { type: "compaction", target: "u2", before: 560 }),
    row("a2", "c", "assistant", 5),
  ]);

  it("grows with each message and falls to summary and kept part at a compaction", () => {
    const facts = pathFacts(tree, entryId("a2"), 3);
    expect(facts.points.map(({ tokens, cut }) => (cut ? `cut ${tokens}` : tokens))).toEqual([
      10,
      40,
      540,
      560,
      560,
      "cut 60",
      65,
    ]);
    expect(facts.parts).toEqual({ system: 0, summary: 40, user: 20, assistant: 5, toolResults: 0 });
    expect(facts).toMatchObject({ highest: 560, turns: 2, calls: 1, failed: 1, compactions: 1 });
  });

  it("names what is heaviest in the window now, not what was left behind", () => {
    expect(pathFacts(tree, entryId("a2"), 2).heaviest.map(({ id }) => id)).toEqual(["c", "u2"]);
    expect(pathFacts(tree, entryId("r1"), 1).heaviest.map(({ id }) => id)).toEqual(["r1"]);
  });
});
