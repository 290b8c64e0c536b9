import { type EntryId, entryId, type Row } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../testing/data-folder.ts";
import { leafAtOpen } from "../session/leaf.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { SessionTree } from "../session/session-tree.ts";
import { drawnAt, drawTree, type TreeFilter } from "./drawn-tree.ts";
import { type Fold, foldTree, type Grain } from "./fold.ts";
import { type OutlineRow, outlineRows } from "./outline-lanes.ts";

const GRAINS: readonly Grain[] = ["runs", "turns", "groups", "entries"];

const row = (id: string, parent: string | null, role?: string, more: Partial<Row> = {}): Row => ({
  id: entryId(id),
  parentId: parent === null ? null : entryId(parent),
  type: "message",
  ...(role === undefined ? {} : { role }),
  time: 0,
  tokens: 1,
  ...more,
});

const outline = (
  tree: SessionTree,
  leaf: EntryId | null,
  grain: Grain = "runs",
  toggled = new Map<number, boolean>(),
) => {
  const drawn = drawTree(tree);
  const fold = foldTree(drawn, grain, { labels: tree.labels, leafId: leaf });
  const node = leaf === null ? undefined : drawn.nodeOf.get(leaf);
  const pathEnd = node === undefined ? -1 : (fold.runOf[node] ?? -1);
  return { drawn, fold, rows: outlineRows(fold, { pathEnd, toggled }) };
};

const firstIds = (fold: Fold, tree: SessionTree, rows: readonly OutlineRow[]): string[] => {
  const drawn = drawTree(tree);
  return rows.map(({ run }) => drawn.rows[fold.first[run] ?? -1]?.id ?? "");
};

describe("the outline", () => {
  it("keeps the path that is read on lane 0 and puts branches right after what they leave", () => {
    const tree = new SessionTree([
      row("u1", null, "user"),
      row("a1", "u1", "assistant"),
      row("x1", "a1", "user"),
      row("x2", "x1", "assistant"),
      row("u2", "a1", "user"),
      row("a2", "u2", "assistant"),
    ]);
    const { fold, rows } = outline(tree, entryId("a2"));
    expect(firstIds(fold, tree, rows)).toEqual(["u1", "x1", "u2"]);
    expect(rows.map(({ lane, branch, onPath, entries }) => [lane, branch, onPath, entries])).toEqual([
      [0, false, true, 2],
      [1, true, false, 2],
      [0, false, true, 2],
    ]);
    expect(rows.map(({ level, position, siblings }) => [level, position, siblings])).toEqual([
      [1, 1, 2],
      [2, 1, 1],
      [1, 2, 2],
    ]);
  });

  it("counts what hangs at an aside as its parent's, and draws no aside", () => {
    const tree = new SessionTree([
      row("u1", null, "user"),
      row("l", "u1", undefined, { type: "label", target: "u1", name: "start", flags: ["aside"] }),
      row("a1", "l", "assistant"),
    ]);
    const { fold, rows } = outline(tree, entryId("a1"));
    // A label ends a run: the answer is one of its own.
    expect(firstIds(fold, tree, rows)).toEqual(["u1", "a1"]);
    expect(rows.map(({ entries }) => entries)).toEqual([1, 1]);
    expect(rows.every((each) => each.lane === 0)).toBe(true);
  });

  it("opens a branch that forks and closes one that does not, unless told otherwise", () => {
    const tree = new SessionTree([
      row("u1", null, "user"),
      row("b1", "u1", "user"),
      row("b2", "b1", "assistant"),
      row("b3", "b2", "user"),
      row("b4", "b3", "assistant"),
      row("b5", "b2", "user"),
      row("b6", "b5", "assistant"),
      row("b7", "b6", "assistant"),
      row("u2", "u1", "user"),
    ]);
    const { rows, drawn } = outline(tree, entryId("u2"));
    expect(rows.map(({ fold, ends }) => [fold, ends])).toEqual([
      ["none", 0],
      ["open", 0],
      ["none", 1],
      ["none", 1],
      ["none", 1],
    ]);
    const closed = outline(
      tree,
      entryId("u2"),
      "runs",
      new Map([[drawn.nodeOf.get(entryId("b1")) ?? -1, false]]),
    );
    expect(closed.rows.map(({ fold, ends, entries }) => [fold, ends, entries])).toEqual([
      ["none", 0, 1],
      ["closed", 2, 7],
      ["none", 1, 1],
    ]);
  });

  it("folds a chain of 200,000 entries and a comb of 50,000 forks without recursion", () => {
    const chain = Array.from({ length: 200_000 }, (_, at) =>
      row(`c${at}`, at === 0 ? null : `c${at - 1}`, "assistant"),
    );
    expect(outline(new SessionTree(chain), entryId("c199999")).rows).toHaveLength(1);
    const comb = Array.from({ length: 100_000 }, (_, at) =>
      row(`d${at}`, at === 0 ? null : at % 2 === 1 ? `d${at - 1}` : `d${at - 2}`, "assistant"),
    );
    expect(outline(new SessionTree(comb), entryId("d99998"), "entries").rows).toHaveLength(100_000);
  });
});

const anyTree = fc
  .array(
    fc.record({
      parent: fc.nat(),
      look: fc.constantFrom("user", "assistant", "toolResult", "compaction", "aside", "branch_summary"),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((nodes) => {
    const tree = new SessionTree();
    nodes.forEach(({ parent, look }, at) => {
      const above = at === 0 || parent % 17 === 0 ? null : `n${parent % at}`;
      const isMessage = look === "user" || look === "assistant" || look === "toolResult";
      tree.append(
        row(`n${at}`, above, isMessage ? look : undefined, {
          type: isMessage ? "message" : look === "aside" ? "custom" : look,
          ...(look === "aside" ? { flags: ["aside"] } : {}),
        }),
      );
    });
    return tree;
  });

describe("laws of folding", () => {
  it("every drawn entry is in exactly one run, a chain from its first to its last", () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom(...GRAINS), (tree, grain) => {
        const drawn = drawTree(tree);
        const fold = foldTree(drawn, grain, { labels: tree.labels, leafId: leafAtOpen(tree) });
        const held = new Int32Array(fold.first.length);
        fold.runOf.forEach((run, node) => {
          expect(run).toBeGreaterThanOrEqual(0);
          held[run] = (held[run] ?? 0) + 1;
          const above = drawn.parent[node] ?? -1;
          if (node !== fold.first[run]) expect(fold.runOf[above]).toBe(run);
          else if (above >= 0) expect(fold.last[fold.runOf[above] ?? -1]).toBe(above);
        });
        expect([...held]).toEqual([...fold.size]);
      }),
      { numRuns: runs(200) },
    );
  });

  it("all ends are there, closed or open, and the path is one lane without a gap", () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom(...GRAINS), fc.nat(), (tree, grain, pick) => {
        const drawn = drawTree(tree);
        const leaves = [...drawn.children].flatMap((count, node) => (count === 0 ? [node] : []));
        const leaf = drawn.rows[leaves[pick % Math.max(1, leaves.length)] ?? -1]?.id ?? null;
        const { rows, fold } = outline(tree, leaf, grain);
        expect(rows.reduce((sum, each) => sum + each.ends, 0)).toBe(leaves.length);
        expect(rows.reduce((sum, each) => sum + each.entries, 0)).toBe(drawn.rows.length);
        const path = rows.filter((each) => each.onPath);
        path.forEach((each, index) => {
          expect(each.lane).toBe(0);
          if (index > 0) expect(fold.parent[each.run]).toBe(path[index - 1]?.run);
        });
      }),
      { numRuns: runs(200) },
    );
  });

  it("appending at the leaf moves no other row", () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const leaf = leafAtOpen(tree);
        if (leaf === null || tree.branches(leaf).length > 0) return;
        const before = outline(tree, leaf);
        const places = firstIds(before.fold, tree, before.rows).map((id, at) => [id, before.rows[at]?.lane]);
        const grown = new SessionTree([...tree.rows, row("new", leaf, "assistant")]);
        const after = outline(grown, entryId("new"));
        const again = new Map(
          firstIds(after.fold, grown, after.rows).map((id, at) => [id, after.rows[at]?.lane]),
        );
        for (const [id, lane] of places) if (again.has(String(id))) expect(again.get(String(id))).toBe(lane);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe.skipIf(dataFolder() === null)("recorded trees", () => {
  it("tree-s4 shows its ten ends", () => {
    const parsed = parseJsonl(readData("sessions/pi/tree-s4.v3.jsonl"));
    const tree = new SessionTree(parsed?.rows ?? []);
    const leaf = leafAtOpen(tree);
    for (const grain of GRAINS) {
      const { rows } = outline(tree, leaf, grain);
      expect(rows.filter((each) => each.ends === 1)).toHaveLength(10);
    }
  });
});

describe("the filters of the tree", () => {
  const tree = new SessionTree([
    row("m", null, undefined, { type: "model_change", flags: ["aside"] }),
    row("u1", "m", "user"),
    row("a1", "u1", "assistant", { flags: ["calls"] }),
    row("r1", "a1", "toolResult"),
    row("u2", "r1", "user"),
    row("u3", "a1", "user"),
    row("l", "u3", undefined, { type: "label", target: "r1", name: "here", flags: ["aside"] }),
  ]);
  const drawn = (filter: TreeFilter) => {
    const { rows, parent } = drawTree(tree, filter);
    return rows.map(({ id }, node) => `${rows[parent[node] ?? -1]?.id ?? ""}>${id}`);
  };

  it("hang what they keep at the nearest entry above that is kept too", () => {
    expect(drawn("default")).toEqual([">u1", "u1>a1", "a1>r1", "r1>u2", "a1>u3"]);
    expect(drawn("no-tools")).toEqual([">u1", "u1>a1", "a1>u2", "a1>u3"]);
    expect(drawn("user")).toEqual([">u1", "u1>u2", "u1>u3"]);
    expect(drawn("labelled")).toEqual([">r1"]);
    expect(drawn("all")).toHaveLength(7);
  });

  it("let a hidden entry be stood for by the one above it, or by none", () => {
    const { nodeOf } = drawTree(tree, "user");
    expect(drawnAt(tree, nodeOf, entryId("r1"))).toBe(0);
    expect(drawnAt(tree, nodeOf, entryId("u3"))).toBe(2);
    expect(drawnAt(tree, nodeOf, entryId("m"))).toBe(-1);
    expect(drawnAt(tree, nodeOf, null)).toBe(-1);
  });
});
