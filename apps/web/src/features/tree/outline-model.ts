import {
  drawnAt,
  type Grain,
  type OutlineRow,
  outlineRows,
  type SessionTree,
  type TreeFilter,
} from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { type Folded, foldedOf } from "../../view/tree/folded.ts";
import { endOf } from "../../view/tree/run-words.ts";

export interface Outline extends Folded {
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
  const folded = foldedOf(input);
  const { drawn, fold } = folded;
  const pathEnd = fold.runOf[drawnAt(input.tree, drawn.nodeOf, input.pathLeaf)] ?? -1;
  const rows = outlineRows(fold, { pathEnd, toggled: input.toggled });
  const rowOf = new Int32Array(fold.first.length).fill(-1);
  rows.forEach((row, index) => {
    rowOf[row.run] = index;
  });
  return { ...folded, rows, rowOf };
};

/** The run a row ends with: its own, or for a closed branch the newest end below it. */
export const lastRunOf = ({ fold }: Folded, row: OutlineRow): number => {
  if (row.fold !== "closed") return row.run;
  let run = row.run;
  while (fold.children[run] !== 0) {
    let child = fold.firstChild[run] ?? -1;
    for (let next = fold.nextSibling[child] ?? -1; next >= 0; next = fold.nextSibling[next] ?? -1)
      child = next;
    if (child < 0) break;
    run = child;
  }
  return run;
};

/** The entry a row stands for when one goes there or compares it. */
export const endOfRow = (outline: Outline, row: OutlineRow): EntryId | null =>
  endOf(outline, lastRunOf(outline, row));

/** The heads of the branches that lead to a run, from the root on, without the root itself. */
export const branchesTo = ({ fold }: Folded, end: number): number[] => {
  const heads: number[] = [];
  for (let run = end; run >= 0; run = fold.parent[run] ?? -1) {
    const parent = fold.parent[run] ?? -1;
    if (parent >= 0 && (fold.children[parent] ?? 0) > 1) heads.push(run);
  }
  return heads.reverse();
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
