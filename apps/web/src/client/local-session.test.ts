import { type AnyEntry, buildContext, contextUse, rowOf, SessionTree } from "@espalier/core";
import { assistant, user } from "@espalier/core/testing";
import { entryId, type Snapshot } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { LocalSession, type LocalSource } from "./local-session.ts";

const rig = (entries: readonly AnyEntry[], leaf: string) => {
  const kept = new Map(entries.map((entry) => [entry.id, entry]));
  const tree = new SessionTree(entries.map(rowOf));
  const source: LocalSource = {
    tree,
    facts: { context: contextUse(buildContext([]), 0) } as LocalSource["facts"],
    leafId: entryId(leaf),
    read: async (ids) => ids.flatMap((id) => kept.get(id) ?? []),
    append: async (added) => {
      for (const entry of added) {
        kept.set(entry.id, entry);
        tree.append(rowOf(entry));
      }
    },
  };
  return { session: new LocalSession(source), tree, last: () => [...kept.values()].at(-1) };
};

const talk = () =>
  rig(
    [
      user("u1", null, "shared"),
      assistant("a1", "u1", { text: "yes" }),
      user("u2", "a1", "left words"),
      assistant("a2", "u2", { text: "done there" }),
      user("u3", "a1", "other words"),
    ],
    "a2",
  );

const leafOf = async (session: LocalSession): Promise<Snapshot["leafId"]> =>
  (await session.snapshot(undefined, 0)).leafId;

describe("without the server", () => {
  it("a branch is left with a summary of its own words", async () => {
    const { session, last } = talk();
    const { entryId: told } = await session.command({
      type: "navigate",
      target: entryId("a1"),
      summary: true,
    });
    expect(last()).toMatchObject({ type: "branch_summary", id: told, parentId: "a1", fromId: "a2" });
    expect(JSON.stringify(last())).toContain("left words");
    expect(JSON.stringify(last())).not.toContain("shared");
    expect(await leafOf(session)).toBe(told);
  });

  it("messages are carried over, and how a branch ended is said", async () => {
    const { session, tree, last } = talk();
    const command = { type: "carry_over", from: entryId("u3"), entries: [entryId("u3")] } as const;
    await session.command({ ...command, entries: [...command.entries] });
    expect(last()).toMatchObject({ type: "branch_summary", parentId: "a2", fromId: "u3" });
    expect(JSON.stringify(last())).toContain("other words");
    await session.command({ type: "outcome", entryId: entryId("a2"), outcome: "failed", note: " why " });
    expect(tree.outcomes.get(entryId("a2"))).toEqual({ outcome: "failed", note: "why" });
    await session.command({ type: "outcome", entryId: entryId("a2") });
    expect(tree.outcomes.size).toBe(0);
  });

  it("what is not there is refused, and what says nothing new", async () => {
    const { session, tree } = talk();
    const size = tree.size;
    for (const command of [
      { type: "navigate", target: entryId("none"), summary: true },
      { type: "carry_over", from: entryId("none") },
      { type: "carry_over", from: entryId("a1") },
      { type: "outcome", entryId: entryId("none") },
    ] as const)
      await expect(session.command(command)).rejects.toThrow();
    expect(tree.size).toBe(size);
    expect(await leafOf(session)).toBe("a2");
  });
});
