import { type Grain, runAt } from "@espalier/core";
import { useCallback, useMemo, useState } from "react";
import { useStore } from "zustand";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { fittingGrain, makeOutline, type Outline } from "./outline-model.ts";

export interface TreeModel {
  readonly outline: Outline;
  readonly grain: Grain;
  /** Opens or closes the rows of a branch, by the first node of its head. */
  readonly toggle: (node: number, open: boolean) => void;
  /** Row index of the band, or -1; of the session's leaf; of the run that works at the end of the path. */
  readonly here: number;
  readonly tip: number;
  readonly running: number;
}

const rowOfRun = (outline: Outline, run: number): number => {
  // In a closed branch the row of its head stands for all of it.
  for (let at = run; at >= 0; at = outline.fold.parent[at] ?? -1) {
    const index = outline.rowOf[at] ?? -1;
    if (index >= 0) return index;
  }
  return -1;
};

const rowOfEntry = (outline: Outline, entry: string | null): number => {
  const node = entry === null ? undefined : outline.drawn.nodeOf.get(entry as never);
  return node === undefined ? -1 : rowOfRun(outline, outline.fold.runOf[node] ?? -1);
};

/** The outline of the shown session, with what is open, read and running in it. Null until the session is there. */
export const useOutline = (): TreeModel | null => {
  // Single parts: a token of the streaming answer must not draw the tree again.
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion ?? 0);
  const leafId = useSession((open) => open.session?.leafId ?? null);
  const runTip = useSession((open) =>
    open.session ? (runAt(open.session, open.view.leafId)?.tip ?? null) : null,
  );
  const pathLeaf = useSession((open) => open.view.leafId);
  const [toggled, setToggled] = useState<ReadonlyMap<number, boolean>>(new Map());
  const chosen = useStore(uiStore, (state) => state.grain);
  const reading = useStore(uiStore, (state) => state.reading);
  const fitting = useMemo(
    () => (tree ? fittingGrain(tree, null) : "runs"),
    // The grain is chosen once for a session: it must not change under the reader's eyes.
    [tree],
  );
  const grain = chosen ?? fitting;
  const outline = useMemo(
    () => (tree ? makeOutline({ tree, version, grain, pathLeaf, leafId, toggled }) : null),
    [tree, version, grain, pathLeaf, leafId, toggled],
  );
  const toggle = useCallback(
    (node: number, open: boolean) => setToggled((before) => new Map(before).set(node, open)),
    [],
  );
  return useMemo(
    () =>
      outline && {
        outline,
        grain,
        toggle,
        here: rowOfEntry(outline, reading),
        tip: rowOfEntry(outline, leafId),
        running: runTip === null ? -1 : rowOfEntry(outline, runTip),
      },
    [outline, grain, toggle, reading, leafId, runTip],
  );
};
