import { type EntryId, entryId, type Row } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { SessionTree } from "../session/session-tree.ts";
import { drawTree } from "./drawn-tree.ts";
import { type Espalier, espalier } from "./espalier.ts";
import { type Fold, foldTree, type Grain } from "./fold.ts";
import type { LaidOut } from "./wires.ts";

const idAt = (at: number): EntryId => entryId(`n${at}`);

const ROLES = ["user", "assistant", "toolResult", "assistant"] as const;

interface Sprout {
  /** Which of the entries before it, counted back from the last: 0 = the last. */
  readonly back: number;
  readonly role: number;
  readonly root: boolean;
}

const rowAt = (at: number, { back, role, root }: Sprout): Row => ({
  id: idAt(at),
  parentId: root || at === 0 ? null : idAt(at - 1 - (back % at)),
  ...(role === 9
    ? { type: "compaction" }
    : { type: "message", role: ROLES[role % ROLES.length] ?? "assistant" }),
  time: at,
  tokens: 1,
  ...(root ? { flags: ["reattached"] } : {}),
});

const sprout = fc.record({
  back: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(60) }),
  role: fc.nat(9),
  root: fc.nat(40).map((value) => value === 7),
});
const grains = fc.constantFrom<Grain>("runs", "turns", "groups", "entries");

interface Shown {
  readonly rows: readonly Row[];
  readonly labels: ReadonlyMap<EntryId, string>;
  /** End of the path that is read, and the session's place. */
  readonly leaf: number;
  readonly grain: Grain;
}

const layOut = ({ rows, labels, leaf, grain }: Shown, before: LaidOut | null = null): Espalier => {
  const drawn = drawTree(new SessionTree(rows));
  const fold = foldTree(drawn, grain, { labels, leafId: idAt(leaf) });
  return espalier(fold, fold.runOf[leaf] ?? -1, before);
};

/** Where every node's run lies, by its first node. */
const placeOf = (laid: Espalier, node: number): [number, number] => {
  const run = laid.fold.runOf[node] ?? -1;
  return [laid.x[run] ?? Number.NaN, laid.lane[run] ?? Number.NaN];
};

const holds = (laid: Espalier): void => {
  const { fold, x, w, lane } = laid;
  const byLane = new Map<number, [number, number][]>();
  for (let run = 0; run < x.length; run += 1) {
    const parent = fold.parent[run] ?? -1;
    if (parent >= 0) expect(x[run]).toBeGreaterThan((x[parent] ?? 0) + (w[parent] ?? 0));
    if (laid.onPath[run] === 1) expect(lane[run]).toBe(0);
    const spans = byLane.get(lane[run] ?? 0) ?? [];
    spans.push([x[run] ?? 0, (x[run] ?? 0) + (w[run] ?? 0)]);
    byLane.set(lane[run] ?? 0, spans);
  }
  for (const spans of byLane.values()) {
    spans.sort((a, b) => a[0] - b[0]);
    for (let at = 1; at < spans.length; at += 1)
      expect(spans[at]?.[0]).toBeGreaterThan(spans[at - 1]?.[1] ?? Number.NaN);
  }
};

/** Every node in exactly one run: between its run's first and last. */
const coversAll = (fold: Fold, rows: readonly Row[]): void => {
  expect(fold.runOf.length).toBe(rows.length);
  expect(fold.size.reduce((sum, size) => sum + size, 0)).toBe(rows.length);
  expect(fold.runOf.every((run) => run >= 0 && run < fold.size.length)).toBe(true);
};

const shown = fc
  .record({ sprouts: fc.array(sprout, { minLength: 1, maxLength: 120 }), grain: grains, leaf: fc.nat() })
  .map(({ sprouts, grain, leaf }): Shown => {
    const rows = sprouts.map((each, at) => rowAt(at, each));
    return { rows, labels: new Map(), grain, leaf: leaf % rows.length };
  });

const isLeaf = ({ rows }: Shown, at: number): boolean => rows.every((row) => row.parentId !== idAt(at));

describe("the espalier", () => {
  it("lets no two runs overlap, goes only right, has every entry once and the path straight", () => {
    fc.assert(
      fc.property(shown, (tree) => {
        const laid = layOut(tree);
        holds(laid);
        coversAll(laid.fold, tree.rows);
      }),
      { numRuns: runs(150) },
    );
  });

  it("moves no other run when an entry is appended at a leaf, however often", () => {
    fc.assert(
      fc.property(shown, fc.array(fc.tuple(fc.nat(), fc.nat(9)), { maxLength: 30 }), (start, growth) => {
        let tree = start;
        let laid = layOut(tree);
        for (const [choice, role] of growth) {
          const leaves = tree.rows.flatMap((_, at) => (isLeaf(tree, at) ? [at] : []));
          const leaf = leaves[choice % leaves.length] ?? 0;
          const at = tree.rows.length;
          const added = rowAt(at, { back: at - 1 - leaf, role, root: false });
          const grown = { ...tree, rows: [...tree.rows, added], leaf: leaf === tree.leaf ? at : tree.leaf };
          const next = layOut(grown, laid);
          holds(next);
          const old = laid.fold.runOf[leaf] ?? -1;
          tree.rows.forEach((_, node) => {
            if (laid.fold.runOf[node] !== old) expect(placeOf(next, node)).toEqual(placeOf(laid, node));
          });
          tree = grown;
          laid = next;
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it("moves only what lies to its right when a run is cut by a label or a branch", () => {
    fc.assert(
      fc.property(shown, fc.nat(), fc.boolean(), (tree, choice, branch) => {
        const laid = layOut(tree);
        const at = choice % tree.rows.length;
        const added = rowAt(tree.rows.length, { back: tree.rows.length - 1 - at, role: 1, root: false });
        const cut = branch
          ? { ...tree, rows: [...tree.rows, added] }
          : { ...tree, labels: new Map([[idAt(at), "here"]]) };
        const next = layOut(cut, laid);
        holds(next);
        const run = laid.fold.runOf[at] ?? -1;
        const below = new Uint8Array(laid.x.length);
        for (let each = 0; each < below.length; each += 1) {
          const parent = laid.fold.parent[each] ?? -1;
          below[each] = each === run || (parent >= 0 && below[parent] === 1) ? 1 : 0;
        }
        tree.rows.forEach((_, node) => {
          if (below[laid.fold.runOf[node] ?? -1] !== 1)
            expect(placeOf(next, node)).toEqual(placeOf(laid, node));
        });
        const first = laid.fold.first[run] ?? -1;
        // What is left of the run may be short enough to join the message it answers: that lies to the left.
        expect(placeOf(next, first)[0]).toBeLessThanOrEqual(placeOf(laid, first)[0]);
        expect(placeOf(next, first)[1]).toBe(placeOf(laid, first)[1]);
      }),
      { numRuns: runs(100) },
    );
  });

  it("takes a lane again where it is free and lies on both sides of the path", () => {
    const rows: Row[] = [];
    for (let at = 0; at < 400; at += 1) {
      const side = at % 40 === 39;
      const back = at % 40 === 0 && at > 0 ? 1 : 0;
      rows.push(rowAt(at, { back, role: side ? 0 : 1, root: false }));
    }
    const laid = layOut({ rows, labels: new Map(), grain: "runs", leaf: 399 });
    expect([laid.top, laid.bottom]).toEqual([-1, 1]);
  });

  it("prefers the path, then the longest, then the newest", () => {
    const rows = [
      rowAt(0, { back: 0, role: 0, root: true }),
      rowAt(1, { back: 0, role: 1, root: false }),
      rowAt(2, { back: 0, role: 2, root: false }),
      rowAt(3, { back: 2, role: 1, root: false }),
      rowAt(4, { back: 3, role: 1, root: false }),
    ];
    const lanes = (leaf: number): number[] => {
      const laid = layOut({ rows, labels: new Map(), grain: "entries", leaf });
      return [1, 3, 4].map((node) => placeOf(laid, node)[1]);
    };
    expect(lanes(0)[0]).toBe(0);
    expect(lanes(3)[1]).toBe(0);
    expect(lanes(4)[2]).toBe(0);
  });

  it.each([
    ["a chain", (at: number) => at - 1],
    ["a comb", (at: number) => (at % 2 === 0 ? at - 2 : at - 1)],
    ["a bush", (at: number) => Math.min(at - 1, 0)],
    ["a stair of long branches", (at: number) => (at < 100_000 ? at - 1 : at - 100_000)],
    ["roots", () => -1],
  ])(
    "lays out %s of 200,000",
    (_, parentAt) => {
      const size = 200_000;
      const rows = Array.from({ length: size }, (_unused, at): Row => {
        const parent = parentAt(at);
        return {
          id: idAt(at),
          parentId: parent < 0 ? null : idAt(parent),
          type: "message",
          role: "assistant",
          time: at,
          tokens: 1,
        };
      });
      const tree: Shown = { rows, labels: new Map(), grain: "runs", leaf: size - 1 };
      const laid = layOut(tree);
      let wrong = 0;
      const ends = new Map<number, number>();
      const order = Array.from(laid.x.keys()).sort((a, b) => (laid.x[a] ?? 0) - (laid.x[b] ?? 0));
      for (const run of order) {
        const lane = laid.lane[run] ?? 0;
        if ((ends.get(lane) ?? -1) >= (laid.x[run] ?? 0)) wrong += 1;
        ends.set(lane, (laid.x[run] ?? 0) + (laid.w[run] ?? 0));
        const parent = laid.fold.parent[run] ?? -1;
        if (parent >= 0 && (laid.x[run] ?? 0) <= (laid.x[parent] ?? 0) + (laid.w[parent] ?? 0)) wrong += 1;
      }
      expect(wrong).toBe(0);
      expect(laid.fold.size.reduce((sum, each) => sum + each, 0)).toBe(size);
    },
    60_000,
  );
});
