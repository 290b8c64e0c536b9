import { drawnAt, type Grain, runAt, type SessionTree, type TreeFilter } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useCallback, useMemo, useState } from "react";
import { useStore } from "zustand";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { fittingGrain } from "../../view/tree/folded.ts";
import { makeOutline, type Outline } from "./outline-model.ts";

export interface TreeModel {
  readonly outline: Outline;
  readonly grain: Grain;
  readonly filter: TreeFilter;
  /** Opens or closes the rows of branches, by the first nodes of their heads. */
  readonly toggle: (nodes: readonly number[], open: boolean) => void;
  /** Row index of the band, or -1; of the session's leaf; of the run that works at the end of the path; of the row in hand. */
  readonly here: number;
  readonly tip: number;
  readonly running: number;
  readonly chosen: number;
  /** Rows marked for comparing: A, B. */
  readonly marked: readonly number[];
}

interface Opened {
  readonly filter: TreeFilter;
  readonly toggled: ReadonlyMap<number, boolean>;
}

const NONE: Opened["toggled"] = new Map();

const rowOfRun = (outline: Outline, run: number): number => {
  // In a closed branch the row of its head stands for all of it.
  for (let at = run; at >= 0; at = outline.fold.parent[at] ?? -1) {
    const index = outline.rowOf[at] ?? -1;
    if (index >= 0) return index;
  }
  return -1;
};

const rowOfEntry = (outline: Outline, tree: SessionTree, entry: EntryId | null): number =>
  rowOfRun(outline, outline.fold.runOf[drawnAt(tree, outline.drawn.nodeOf, entry)] ?? -1);

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
  const filter = useStore(uiStore, (state) => state.treeFilter);
  // Nodes are numbered anew by another filter: what was opened under the last one does not hold.
  const [opened, setOpened] = useState<Opened>({ filter, toggled: new Map() });
  const toggled = opened.filter === filter ? opened.toggled : NONE;
  const chosen = useStore(uiStore, (state) => state.grain);
  const reading = useStore(uiStore, (state) => state.reading);
  const inHand = useStore(uiStore, (state) => state.chosen);
  const marked = useStore(uiStore, (state) => state.marked);
  const fitting = useMemo(
    () => (tree ? fittingGrain(tree) : "runs"),
    // The grain is chosen once for a session: it must not change under the reader's eyes.
    [tree],
  );
  const grain = chosen ?? fitting;
  const outline = useMemo(
    () => (tree ? makeOutline({ tree, version, grain, pathLeaf, leafId, toggled, filter }) : null),
    [tree, version, grain, pathLeaf, leafId, toggled, filter],
  );
  const toggle = useCallback(
    (nodes: readonly number[], open: boolean) =>
      setOpened((before) => {
        const next = new Map(before.filter === filter ? before.toggled : NONE);
        for (const node of nodes) next.set(node, open);
        return { filter, toggled: next };
      }),
    [filter],
  );
  return useMemo(
    () =>
      !outline || !tree
        ? null
        : {
            outline,
            grain,
            filter,
            toggle,
            here: rowOfEntry(outline, tree, reading),
            tip: rowOfEntry(outline, tree, leafId),
            running: runTip === null ? -1 : rowOfEntry(outline, tree, runTip),
            chosen: inHand === null ? -1 : rowOfEntry(outline, tree, inHand),
            marked: marked.map((entry) => rowOfEntry(outline, tree, entry)),
          },
    [outline, tree, grain, filter, toggle, reading, leafId, runTip, inHand, marked],
  );
};
