import { notAside, PathItems, type SessionTree } from "@espalier/core";
import type { Entry, EntryId, PathItem, PathWindow, UnknownEntry } from "@espalier/protocol";

/**
 * The path that is read: the ids of all its items, root first, and the bodies of those from index `from` on, without
 * gaps. `leafId` is the entry the path ends at (null: nothing written yet).
 */
export interface PathView {
  readonly leafId: EntryId | null;
  readonly keys: readonly EntryId[];
  readonly from: number;
  readonly items: readonly PathItem[];
}

export const emptyView: PathView = { leafId: null, keys: [], from: 0, items: [] };

export const viewOf = ({ leafId, keys, from, items }: PathWindow): PathView => ({
  leafId,
  keys,
  from,
  items,
});

/** Whether the last item of the path is held. */
export const holdsEnd = (view: PathView): boolean => view.from + view.items.length >= view.keys.length;

/** Adds items read later at either edge; a window that does not touch the view replaces it. */
export const mergeWindow = (view: PathView, window: PathWindow): PathView => {
  const end = view.from + view.items.length;
  const windowEnd = window.from + window.items.length;
  if (window.leafId !== view.leafId || window.from > end || windowEnd < view.from) return viewOf(window);
  const before = window.items.slice(0, Math.max(0, view.from - window.from));
  const after = window.items.slice(Math.max(0, end - window.from));
  return { ...view, from: Math.min(view.from, window.from), items: [...before, ...view.items, ...after] };
};

/**
 * The view up to `leaf`, which must be the whole of one item that is held: null for an entry inside a batch or outside of
 * what is held, which only the server can answer.
 */
export const cutView = (view: PathView, leaf: EntryId | null): PathView | null => {
  if (leaf === null) return emptyView;
  const index = view.items.findIndex((item) => item.id === leaf);
  const item = view.items[index];
  if (item === undefined || (item.kind === "step" && item.groups.length > 0)) return null;
  return {
    leafId: leaf,
    keys: view.keys.slice(0, view.from + index + 1),
    from: view.from,
    items: view.items.slice(0, index + 1),
  };
};

/**
 * The view with those of the new entries that go on from its end. `tree` holds their rows already. Asides (labels, names,
 * remembered positions) are no part of a path. The same view when none of them does.
 */
export const extendView = (
  view: PathView,
  tree: SessionTree,
  entries: readonly (Entry | UnknownEntry)[],
): PathView => {
  const atEnd = holdsEnd(view);
  const path = PathItems.resume(view.items);
  const keys = [...view.keys];
  let leafId = view.leafId;
  for (const entry of entries) {
    const row = tree.get(entry.id);
    if (!row || tree.isAside(row.id) || notAside(tree, row.parentId) !== leafId) continue;
    leafId = row.id;
    const held = path.length;
    path.append(entry);
    // Away from the end the items between are not known: only the result of a call can be told from a new item.
    if (atEnd ? path.length > held : row.role !== "toolResult") keys.push(row.id);
  }
  if (leafId === view.leafId) return view;
  return { leafId, keys, from: view.from, items: atEnd ? path.items : view.items };
};
