import type { EntryId } from "@espalier/protocol";
import type { SessionTree } from "./session-tree.ts";

/** Ids from the root to `leafId`, root first. Null, or an id that is not there, gives an empty path. O(depth), no recursion. */
export const pathToLeaf = (tree: SessionTree, leafId: EntryId | null): EntryId[] => {
  const path: EntryId[] = [];
  let at = leafId === null ? undefined : tree.get(leafId);
  // A tree that was built from rows of another program could hold a loop: no path is longer than the tree.
  while (at !== undefined && path.length < tree.size) {
    path.push(at.id);
    at = at.parentId === null ? undefined : tree.get(at.parentId);
  }
  return path.reverse();
};

/** Whether `ancestor` lies on the way from the root to `id` (an entry is its own ancestor). */
export const isAncestor = (tree: SessionTree, ancestor: EntryId, id: EntryId | null): boolean => {
  let at = id;
  for (let steps = 0; at !== null && steps <= tree.size; steps += 1) {
    if (at === ancestor) return true;
    at = tree.get(at)?.parentId ?? null;
  }
  return false;
};

/**
 * The leaf that someone who reads `id` looks at: `preferred` if `id` lies on its path, else the newest entry in file order
 * below `id` that has no branch below it. Asides never are that leaf.
 */
export const leafThrough = (tree: SessionTree, id: EntryId, preferred: EntryId | null): EntryId => {
  if (preferred !== null && isAncestor(tree, id, preferred)) return preferred;
  let newest = id;
  let place = -1;
  const stack = [id];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const below = tree.branches(next);
    if (below.length === 0 && tree.indexOf(next) > place) {
      newest = next;
      place = tree.indexOf(next);
    }
    for (const child of below) stack.push(child);
  }
  return newest;
};

/** The deepest entry on both paths, or null when they share none. */
export const commonAncestor = (tree: SessionTree, a: EntryId | null, b: EntryId | null): EntryId | null => {
  const onA = new Set(pathToLeaf(tree, a));
  return pathToLeaf(tree, b).findLast((id) => onA.has(id)) ?? null;
};

/** The branches that start where the branch of `id` starts, `id` among them, in file order. */
export const siblings = (tree: SessionTree, id: EntryId): EntryId[] => {
  let parent = tree.get(id)?.parentId ?? null;
  while (parent !== null && tree.isAside(parent)) parent = tree.get(parent)?.parentId ?? null;
  return tree.branches(parent);
};

/** Every drawn entry without a drawn entry below it, in file order. */
export const leaves = (tree: SessionTree): EntryId[] =>
  tree.rows.flatMap(({ id }) => (!tree.isAside(id) && tree.branches(id).length === 0 ? [id] : []));
