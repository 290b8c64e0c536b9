import type { EntryId } from "@espalier/protocol";
import type { SessionTree } from "./session-tree.ts";

/**
 * Where a session stands when it is opened: its last line, or what the last line hangs at when that is an aside (a label, a
 * name, a remembered position). Null for a session without entries.
 */
export const leafAtOpen = (tree: SessionTree): EntryId | null => notAside(tree, tree.rows.at(-1)?.id ?? null);

/** The entry itself, or the nearest ancestor that is no aside. */
export const notAside = (tree: SessionTree, id: EntryId | null): EntryId | null => {
  let at = id;
  while (at !== null && tree.isAside(at)) at = tree.get(at)?.parentId ?? null;
  return at;
};
