import type { ContextUse } from "@espalier/protocol";
import { useMemo } from "react";
import { useSession } from "./session-context.tsx";
import { type PathFacts, pathFacts } from "./window-history.ts";

export interface WindowUse {
  readonly context: ContextUse;
  readonly path: PathFacts;
  /** No provider has counted it: another branch than the current one is read, and all of it is estimated. */
  readonly estimated: boolean;
}

/** Heaviest rows that are named. */
const NAMED = 5;

/** What the model's window holds on the path that is read: the server's count on the current path, an estimate on others. */
export const useWindow = (): WindowUse | null => {
  const context = useSession((open) => open.facts?.context);
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  const current = useSession((open) => open.session?.leafId ?? null);
  const leaf = useSession((open) => open.view.leafId);
  const path = useMemo(
    () => (tree && version !== undefined ? pathFacts(tree, leaf, NAMED) : null),
    [tree, version, leaf],
  );
  return useMemo(() => {
    if (!context || !path) return null;
    if (leaf === current) return { context, path, estimated: false };
    const tokens = Object.values(path.parts).reduce((sum, part) => sum + part, 0);
    return { context: { ...path.parts, tokens, window: context.window }, path, estimated: true };
  }, [context, path, leaf, current]);
};
