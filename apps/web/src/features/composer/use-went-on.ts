import { isAncestor, type SessionTree } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useCallback, useRef } from "react";
import type { SessionClient } from "../../store/session-store.ts";

/** Whether `after` comes of `before` by entries from `known` on: below it, or below a summary of the branch that ended there. */
export const goesOnFrom = (
  tree: SessionTree,
  before: EntryId | null,
  after: EntryId | null,
  known: number,
): boolean => {
  if (after === null || tree.indexOf(after) < known) return false;
  if (before === null || isAncestor(tree, before, after)) return true;
  for (let id: EntryId | null = after; id !== null && tree.indexOf(id) >= known; ) {
    const row = tree.get(id);
    if (row?.type === "branch_summary" && row.target === before) return true;
    id = row?.parentId ?? null;
  }
  return false;
};

/**
 * Tells a path that went on from one that somebody went to: only what came since the end before was shown goes on from it. Each question
 * is about the next end.
 */
export const useWentOn = (
  client: SessionClient,
): ((before: EntryId | null, after: EntryId | null) => boolean) => {
  const known = useRef(client.store.getState().session?.tree.size ?? 0);
  return useCallback(
    (before, after) => {
      const tree = client.store.getState().session?.tree;
      if (tree === undefined) return false;
      const since = known.current;
      known.current = tree.size;
      return goesOnFrom(tree, before, after, since);
    },
    [client],
  );
};
