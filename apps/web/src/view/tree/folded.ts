import {
  type DrawnTree,
  drawTree,
  type Fold,
  foldTree,
  type Grain,
  type SessionTree,
  type TreeFilter,
} from "@espalier/core";
import type { EntryId } from "@espalier/protocol";

/** A session's tree as it is drawn: the entries that are, and the runs they are joined to. */
export interface Folded {
  readonly tree: SessionTree;
  readonly drawn: DrawnTree;
  readonly fold: Fold;
}

export interface FoldWish {
  readonly tree: SessionTree;
  /** Of the tree, so that a grown tree is another wish. */
  readonly version: number;
  readonly grain: Grain;
  readonly filter: TreeFilter;
  /** The session's leaf: a run ends there. */
  readonly leafId: EntryId | null;
}

interface Kept {
  readonly wish: FoldWish;
  readonly folded: Folded;
}

const kept = new WeakMap<SessionTree, Kept[]>();

const same = (a: FoldWish, b: FoldWish): boolean =>
  a.version === b.version && a.grain === b.grain && a.filter === b.filter && a.leafId === b.leafId;

/** Folds a tree, once for everybody who shows it. */
export const foldedOf = (wish: FoldWish): Folded => {
  const known = kept.get(wish.tree) ?? [];
  const found = known.find((each) => same(each.wish, wish));
  if (found) return found.folded;
  const drawn = drawnOf(wish, known);
  const fold = foldTree(drawn, wish.grain, { labels: wish.tree.labels, leafId: wish.leafId });
  const folded = { tree: wish.tree, drawn, fold };
  kept.set(wish.tree, [{ wish, folded }, ...known.slice(0, 1)]);
  return folded;
};

/** The drawn entries do not depend on the grain. */
const drawnOf = ({ tree, version, filter }: FoldWish, known: readonly Kept[]): DrawnTree =>
  known.find(({ wish }) => wish.version === version && wish.filter === filter)?.folded.drawn ??
  drawTree(tree, filter);

/** Below this many runs at the coarsest grain, single turns are shown instead. */
const FEW = 12;

/** The grain for a session whose reader has not chosen one. */
export const fittingGrain = (tree: SessionTree): Grain => {
  const { fold } = foldedOf({ tree, version: tree.version, grain: "runs", filter: "default", leafId: null });
  return fold.first.length < FEW ? "turns" : "runs";
};
