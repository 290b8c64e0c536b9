import type { Entry, EntryId, FileChange } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../testing/data-folder.ts";
import { joinPath } from "../group/join-groups.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import { leaves, pathToLeaf } from "../session/path-to-leaf.ts";
import { rowOf } from "../session/row.ts";
import { SessionTree } from "../session/session-tree.ts";
import { anySession } from "../testing/arbitraries.ts";
import { assistant, call, result, user } from "../testing/make-entries.ts";
import { BranchAccount } from "./branch-report.ts";
import { alignTurns, boundedFiles, branchPair, firstApart } from "./compare-branches.ts";

/** Both reports, the way whoever reads sessions makes them. */
const compare = (entries: readonly AnyEntry[], a: string, b: string, preferred: EntryId | null = null) => {
  const tree = new SessionTree(entries.map(rowOf));
  const bodies = new Map(entries.map((one) => [one.id, one]));
  const pair = branchPair(tree, entryId(a), entryId(b), preferred);
  const side = (end: EntryId) => {
    const path = pathToLeaf(tree, end).filter((id) => !tree.isAside(id));
    const items = joinPath(path.flatMap((id) => bodies.get(id) ?? []));
    const first = firstApart(items, pair.shared);
    const account = new BranchAccount((id) => pair.shared.has(id));
    for (const item of items.slice(first)) account.add(item);
    return { report: account.report(end, first), last: account.last?.id ?? null };
  };
  return { fork: pair.fork, a: side(pair.a), b: side(pair.b), tree };
};

const story = (): Entry[] => [
  user("u1", null),
  assistant("a1", "u1", {
    content: [call("c1", "edit", { path: "f", oldText: "x", newText: "y" }), call("c2")],
  }),
  result("r1", "a1", "c1"),
  result("r2", "r1", "c2"),
  user("u2", "r2"),
  assistant("a2", "u2", { text: "done", calls: ["c3"] }),
  user("u3", "r1"),
  assistant("a3", "u3", {
    content: [call("c4", "bash", { command: "npm test" }), call("c5", "write", { path: "g", content: "G" })],
  }),
  result("r4", "a3", "c4", "2 failed"),
  result("r5", "r4", "c5", "no", true),
];

describe("comparing", () => {
  it("counts what each branch holds alone, a call where its result is", () => {
    const { fork, a, b } = compare(story(), "u2", "u3");
    expect(fork).toBe("r1");
    expect(a.report).toMatchObject({
      end: "a2",
      first: 1,
      items: 3,
      entries: 3,
      turns: 1,
      calls: 2,
      open: 1,
      failed: 0,
      check: null,
      files: [],
    });
    expect(a.last).toBe("a2");
    expect(b.report).toMatchObject({
      end: "r5",
      first: 2,
      turnStarts: [0],
      entries: 4,
      calls: 2,
      failed: 1,
      check: { command: "npm test", failed: true, says: "2 errors" },
      files: [],
      commandCount: 1,
    });
  });

  it("two entries of one path are compared as they stand", () => {
    const { fork, a, b } = compare(story(), "u1", "a2");
    expect([fork, a.report.entries, b.report.entries]).toEqual(["r1", 4, 3]);
    const chain = compare(story().slice(0, 6), "r2", "u2");
    expect([chain.fork, chain.a.report.entries, chain.b.report.entries]).toEqual(["r2", 0, 1]);
  });

  it("is the same from the other side; a branch against itself is empty", () => {
    fc.assert(
      fc.property(anySession(), fc.nat(), fc.nat(), fc.nat(), ({ entries }, one, two, three) => {
        if (entries.length === 0) return;
        const at = (index: number) => entries[index % entries.length]?.id ?? entryId("none");
        const there = compare(entries, at(one), at(two), at(three));
        const back = compare(entries, at(two), at(one), at(three));
        expect({ fork: back.fork, a: back.b, b: back.a }).toEqual({
          fork: there.fork,
          a: there.a,
          b: there.b,
        });
        const self = compare(entries, at(one), at(one));
        expect([self.a.report.entries, self.a.report.items, self.a.report.files]).toEqual([0, 0, []]);
        expect(self.a.report).toMatchObject({ calls: 0, tokens: 0, cost: 0, ms: 0 });
      }),
      { numRuns: runs(150) },
    );
  });

  it("every entry below the fork is counted once, whatever the tree", () => {
    fc.assert(
      fc.property(anySession(), fc.nat(), fc.nat(), ({ entries }, one, two) => {
        if (entries.length === 0) return;
        const at = (index: number) => entries[index % entries.length]?.id ?? entryId("none");
        const { a, b, tree } = compare(entries, at(one), at(two));
        const drawn = (id: EntryId) => pathToLeaf(tree, id).filter((each) => !tree.isAside(each));
        const onB = new Set(drawn(b.report.end));
        expect(a.report.entries).toBe(drawn(a.report.end).filter((id) => !onB.has(id)).length);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe("alignTurns", () => {
  it("puts every item of either branch into exactly one part, turns beside each other", () => {
    const side = fc
      .record({
        first: fc.nat(5),
        sizes: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 5 }),
        lead: fc.nat(3),
      })
      .map(({ first, sizes, lead }) => {
        let at = lead;
        const turnStarts = sizes.map((size) => {
          at += size;
          return at - size;
        });
        return { first, items: at, turnStarts };
      });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 1, max: 4 }), (a, b, most) => {
        const parts = alignTurns(a, b, most);
        for (const name of ["a", "b"] as const) {
          const whole = name === "a" ? a : b;
          const indices = parts.flatMap((part) =>
            Array.from({ length: part[name].to - part[name].from }, (_, index) => part[name].from + index),
          );
          expect(indices).toEqual(Array.from({ length: whole.items }, (_, index) => whole.first + index));
          for (const [turn, start] of whole.turnStarts.entries())
            expect(
              parts.find((part) => part[name].from === whole.first + start && part[name].to > part[name].from)
                ?.turn,
            ).toBe(turn + 1);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("boundedFiles", () => {
  it("leaves out texts that are too many, and says how long they are", () => {
    const file = (path: string, size: number): FileChange => ({
      path,
      text: "x".repeat(size),
      hunks: [],
      writes: 1,
      edits: 0,
    });
    const told = boundedFiles([file("a", 20), file("b", 30), file("c", 20), file("d", 20)], 100);
    expect(told.map(({ text, omitted }) => [text?.length ?? null, omitted])).toEqual([
      [20, undefined],
      [null, 30],
      [20, undefined],
      [20, undefined],
    ]);
  });
});

describe.skipIf(dataFolder() === null)("tree-s4", () => {
  it("each two ends add up to what lies on their paths", () => {
    const lines = new TextDecoder().decode(readData("sessions/pi/tree-s4.v3.jsonl")).trim().split("\n");
    const entries = lines.slice(1).map((line) => JSON.parse(line) as AnyEntry);
    const tree = new SessionTree(entries.map(rowOf));
    const ends = leaves(tree);
    expect(ends).toHaveLength(10);
    for (const end of ends.slice(1)) {
      const { a, b, fork } = compare(entries, ends[0] ?? "", end);
      expect(fork).not.toBeNull();
      const depth = (id: EntryId | null) => pathToLeaf(tree, id).filter((each) => !tree.isAside(each)).length;
      expect(a.report.entries).toBe(depth(a.report.end) - depth(fork));
      expect(b.report.entries).toBe(depth(b.report.end) - depth(fork));
    }
  });
});
