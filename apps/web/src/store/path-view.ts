import type { SessionTree } from "@espalier/core";
import type { EntryId, PathItem, PathWindow, Row } from "@espalier/protocol";

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

export const viewOf = (window: PathWindow): PathView => ({
  leafId: window.leafId,
  keys: window.keys,
  from: window.from,
  items: window.items,
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
  return {
    ...view,
    from: Math.min(view.from, window.from),
    items: [...before, ...view.items, ...after],
  };
};

/** The view up to an entry of it; null when the entry is no whole item's end in what is held. */
export const cutView = (view: PathView, leaf: EntryId | null): PathView | null => {
  if (leaf === null) return emptyView;
  const index = view.items.findIndex((item) => lastEntryOf(item) === leaf);
  if (index < 0) return null;
  return {
    leafId: leaf,
    keys: view.keys.slice(0, view.from + index + 1),
    from: view.from,
    items: view.items.slice(0, index + 1),
  };
};

/** The entry an item ends at: of a step, the last result in file order that it holds. */
export const lastEntryOf = (item: PathItem): EntryId => {
  if (item.kind !== "step") return item.id;
  const results = item.groups.flatMap((group) => (group.kind === "complete" ? [group.result] : []));
  return results.reduce((last, next) => (next.message.timestamp >= last.message.timestamp ? next : last), {
    entryId: item.id,
    message: { timestamp: 0 },
  } as { entryId: EntryId; message: { timestamp: number } }).entryId;
};

/** The nearest ancestor (or the row itself) that is drawn: what a message written at an aside hangs under. */
export const drawn = (tree: SessionTree, id: EntryId | null): EntryId | null => {
  let at = id;
  while (at !== null && tree.isAside(at)) at = tree.get(at)?.parentId ?? null;
  return at;
};

/** New rows that go on from the view's end, in order; asides are left out. */
export const continuing = (view: PathView, tree: SessionTree, rows: readonly Row[]): Row[] => {
  const found: Row[] = [];
  let end = view.leafId;
  for (const row of rows) {
    if (tree.isAside(row.id) || drawn(tree, row.parentId) !== end) continue;
    found.push(row);
    end = row.id;
  }
  return found;
};
