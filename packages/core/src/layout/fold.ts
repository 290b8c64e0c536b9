import type { EntryId, Row } from "@espalier/protocol";
import type { DrawnTree } from "./drawn-tree.ts";

/** How much one run holds, coarse to fine. */
export type Grain = "runs" | "turns" | "groups" | "entries";

/** What a run is drawn as. */
export type RunKind = "user" | "run" | "compaction" | "summary";

/**
 * Neighbouring entries joined to runs, which form a tree of their own. Runs are numbered in the order in which they start;
 * a run comes after its parent. `first` and `last` are nodes of the drawn tree.
 */
export interface Fold {
  readonly first: Int32Array;
  readonly last: Int32Array;
  /** Entries in the run. */
  readonly size: Int32Array;
  readonly parent: Int32Array;
  readonly firstChild: Int32Array;
  readonly nextSibling: Int32Array;
  readonly children: Int32Array;
  readonly kind: readonly RunKind[];
  /** The run a node is part of. */
  readonly runOf: Int32Array;
  readonly roots: readonly number[];
}

export interface FoldMarks {
  readonly labels: ReadonlyMap<EntryId, string>;
  /** A run ends here too: where the next message would hang. */
  readonly leafId: EntryId | null;
}

/** A person's message with no more than this after it is one run: a short answer needs no row of its own. */
const SHORT_ANSWER = 2;

const kindOf = (row: Row): RunKind => {
  if (row.type === "compaction") return "compaction";
  if (row.type === "branch_summary") return "summary";
  return row.type === "message" && row.role === "user" ? "user" : "run";
};

/** Whether the entry after `above` starts a run whatever the grain: a fork, a label, a mark, the current place. */
const endsRun = (tree: DrawnTree, node: number, row: Row, marks: FoldMarks): boolean =>
  tree.children[node] !== 1 ||
  row.id === marks.leafId ||
  marks.labels.has(row.id) ||
  row.type === "compaction" ||
  row.type === "branch_summary";

const startsAt = (grain: Grain, above: Row, row: Row, atStart: boolean): boolean => {
  const kind = kindOf(row);
  if (kind === "compaction" || kind === "summary") return true;
  switch (grain) {
    case "entries":
      return true;
    case "groups":
      return row.role !== "toolResult";
    case "turns":
      return kind === "user" || kindOf(above) === "user";
    case "runs":
      // A person's message at the start of a stretch stands alone; those inside it are part of the run.
      return atStart && kindOf(above) === "user";
  }
};

/** Joins neighbouring entries to runs. O(n), no recursion. */
export const foldTree = (tree: DrawnTree, grain: Grain, marks: FoldMarks): Fold => {
  const size = tree.rows.length;
  const runOf = new Int32Array(size).fill(-1);
  const first: number[] = [];
  const last: number[] = [];
  const count: number[] = [];
  for (const node of tree.order) {
    const above = tree.parent[node] ?? -1;
    const run = above < 0 ? -1 : (runOf[above] ?? -1);
    const row = tree.rows[node];
    const aboveRow = tree.rows[above];
    if (row === undefined) continue;
    const joins =
      aboveRow !== undefined &&
      !endsRun(tree, above, aboveRow, marks) &&
      !startsAt(grain, aboveRow, row, count[run] === 1);
    if (joins) {
      runOf[node] = run;
      last[run] = node;
      count[run] = (count[run] ?? 0) + 1;
    } else {
      runOf[node] = first.length;
      first.push(node);
      last.push(node);
      count.push(1);
    }
  }
  const joined =
    grain === "entries" || grain === "groups" ? null : joinShort(tree, { runOf, first, last, count }, marks);
  return linkRuns(tree, joined ?? { runOf, first, last, count });
};

interface Loose {
  readonly runOf: Int32Array;
  readonly first: number[];
  readonly last: number[];
  readonly count: number[];
}

/** Joins a short answer to the message of a person above it, when nothing else hangs there and no mark stands between them. */
const joinShort = (tree: DrawnTree, loose: Loose, marks: FoldMarks): Loose => {
  const into = new Int32Array(loose.first.length).fill(-1);
  const kept: Loose = { runOf: new Int32Array(loose.runOf.length), first: [], last: [], count: [] };
  loose.first.forEach((node, run) => {
    const above = tree.parent[node] ?? -1;
    const target = above < 0 ? -1 : (into[loose.runOf[above] ?? -1] ?? -1);
    const head = kept.first[target];
    const size = loose.count[run] ?? 0;
    const row = tree.rows[node];
    const aboveRow = tree.rows[above];
    const joins =
      row !== undefined &&
      head !== undefined &&
      aboveRow !== undefined &&
      !endsRun(tree, above, aboveRow, marks) &&
      kindOf(row) === "run" &&
      size <= SHORT_ANSWER &&
      kept.count[target] === 1 &&
      kindOf(tree.rows[head] ?? row) === "user";
    if (joins) {
      into[run] = target;
      kept.last[target] = loose.last[run] ?? node;
      kept.count[target] = 1 + size;
    } else {
      into[run] = kept.first.length;
      kept.first.push(node);
      kept.last.push(loose.last[run] ?? node);
      kept.count.push(size);
    }
  });
  loose.runOf.forEach((run, node) => {
    kept.runOf[node] = into[run] ?? -1;
  });
  return kept;
};

const linkRuns = (tree: DrawnTree, loose: Loose): Fold => {
  const size = loose.first.length;
  const parent = new Int32Array(size).fill(-1);
  const firstChild = new Int32Array(size).fill(-1);
  const nextSibling = new Int32Array(size).fill(-1);
  const lastChild = new Int32Array(size).fill(-1);
  const children = new Int32Array(size);
  const roots: number[] = [];
  const kind: RunKind[] = [];
  loose.first.forEach((node, run) => {
    const row = tree.rows[node];
    kind.push(row ? kindOf(row) : "run");
    const above = tree.parent[node] ?? -1;
    if (above < 0) {
      roots.push(run);
      return;
    }
    const owner = loose.runOf[above] ?? -1;
    parent[run] = owner;
    const before = lastChild[owner] ?? -1;
    if (before < 0) firstChild[owner] = run;
    else nextSibling[before] = run;
    lastChild[owner] = run;
    children[owner] = (children[owner] ?? 0) + 1;
  });
  return {
    first: Int32Array.from(loose.first),
    last: Int32Array.from(loose.last),
    size: Int32Array.from(loose.count),
    parent,
    firstChild,
    nextSibling,
    children,
    kind,
    runOf: loose.runOf,
    roots,
  };
};
