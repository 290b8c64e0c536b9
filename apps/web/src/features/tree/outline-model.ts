import {
  type DrawnTree,
  drawnAt,
  drawTree,
  type Fold,
  foldTree,
  type Grain,
  type OutlineRow,
  outlineRows,
  type SessionTree,
  type TreeFilter,
} from "@espalier/core";
import type { EntryId, Row } from "@espalier/protocol";

export interface Outline {
  readonly drawn: DrawnTree;
  readonly fold: Fold;
  readonly rows: readonly OutlineRow[];
  /** Row index of a run, -1 for one that a closed branch hides. */
  readonly rowOf: Int32Array;
}

export interface OutlineInput {
  readonly tree: SessionTree;
  /** Of the tree, so that a grown tree is a new input. */
  readonly version: number;
  readonly grain: Grain;
  /** End of the path that is read. */
  readonly pathLeaf: EntryId | null;
  /** The session's leaf: a run ends there. */
  readonly leafId: EntryId | null;
  readonly toggled: ReadonlyMap<number, boolean>;
  readonly filter: TreeFilter;
}

/** The outline of a session's tree. */
export const makeOutline = (input: OutlineInput): Outline => {
  const drawn = drawTree(input.tree, input.filter);
  const fold = foldTree(drawn, input.grain, { labels: input.tree.labels, leafId: input.leafId });
  const pathEnd = fold.runOf[drawnAt(input.tree, drawn.nodeOf, input.pathLeaf)] ?? -1;
  const rows = outlineRows(fold, { pathEnd, toggled: input.toggled });
  const rowOf = new Int32Array(fold.first.length).fill(-1);
  rows.forEach((row, index) => {
    rowOf[row.run] = index;
  });
  return { drawn, fold, rows, rowOf };
};

/** Below this many rows at the coarsest grain, single turns are shown instead. */
const FEW = 12;

/** The grain for a session whose reader has not chosen one. */
export const fittingGrain = (tree: SessionTree, leafId: EntryId | null): Grain => {
  const drawn = drawTree(tree);
  const fold = foldTree(drawn, "runs", { labels: tree.labels, leafId });
  return fold.first.length < FEW ? "turns" : "runs";
};

export const firstRow = ({ drawn, fold }: Outline, row: OutlineRow): Row | undefined =>
  drawn.rows[fold.first[row.run] ?? -1];

export const lastRow = ({ drawn, fold }: Outline, row: OutlineRow): Row | undefined =>
  drawn.rows[fold.last[row.run] ?? -1];

/** Nodes of a run, first to last. */
const nodesOf = ({ drawn, fold }: Outline, run: number): number[] => {
  const nodes: number[] = [];
  const first = fold.first[run] ?? -1;
  for (let node = fold.last[run] ?? -1; node >= 0; node = drawn.parent[node] ?? -1) {
    nodes.push(node);
    if (node === first) break;
  }
  return nodes.reverse();
};

/** The entry of a run that says what it is about: a person's first words in it, else the model's. */
export const tellingRow = (outline: Outline, row: OutlineRow): Row | undefined => {
  const rows = nodesOf(outline, row.run).flatMap((node) => outline.drawn.rows[node] ?? []);
  const worded = (role: string) => rows.find((each) => each.role === role && (each.line ?? "") !== "");
  if (outline.fold.kind[row.run] !== "run") return rows[0];
  const other = rows.find((each) => each.line !== undefined && each.role !== "system");
  return worded("user") ?? worded("assistant") ?? worded("custom") ?? other;
};

/** What an outline row is called. */
export const titleOf = (outline: Outline, row: OutlineRow): string => {
  const kind = outline.fold.kind[row.run];
  if (kind === "compaction") return "compaction";
  if (kind === "summary") return "summary of a branch";
  const line = tellingRow(outline, row)?.line ?? "";
  if (line !== "") return line;
  return kind === "user" ? "message without words" : "set-up";
};

/** The label on an outline row; of several the last. */
export const labelOf = (
  outline: Outline,
  row: OutlineRow,
  labels: ReadonlyMap<EntryId, string>,
): string | null => {
  if (labels.size === 0) return null;
  let found: string | null = null;
  for (const node of nodesOf(outline, row.run)) {
    const id = outline.drawn.rows[node]?.id;
    found = (id === undefined ? undefined : labels.get(id)) ?? found;
  }
  return found;
};

export interface TreeCounts {
  readonly entries: number;
  readonly forks: number;
  readonly ends: number;
}

export const countTree = ({ drawn }: Outline): TreeCounts => {
  let forks = 0;
  let ends = 0;
  for (const children of drawn.children) {
    if (children > 1) forks += 1;
    if (children === 0) ends += 1;
  }
  return { entries: drawn.rows.length, forks, ends };
};
