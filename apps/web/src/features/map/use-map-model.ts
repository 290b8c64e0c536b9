import { drawnAt, type Espalier, espalier, type Grain, runAt, type TreeFilter } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useMemo, useState } from "react";
import { useStore } from "zustand";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { type Folded, fittingGrain, foldedOf } from "../../view/tree/folded.ts";
import { type Scene, sceneOf } from "./map-scene.ts";

export interface MapModel {
  readonly scene: Scene;
  readonly grain: Grain;
  readonly filter: TreeFilter;
  /** Runs: in hand, where the next message goes; -1: none. */
  readonly chosen: number;
  readonly tip: number;
  readonly marked: readonly number[];
  /** A run works at the tip of what is read. */
  readonly writing: boolean;
  readonly runOf: (entry: EntryId | null) => number;
}

/** Remembers how the tree lay, so that the next layout leaves everything in place that can stay. */
class LayoutMemory {
  #folded: Folded | null = null;
  #pathEnd = -1;
  #scene: Scene | null = null;

  /** The scene of a fold; the same for the same fold and path. */
  next(folded: Folded, pathEnd: number): Scene {
    if (this.#scene !== null && this.#folded === folded && this.#pathEnd === pathEnd) return this.#scene;
    const before = this.#scene !== null && this.#grewTo(folded) ? this.#scene.laid : null;
    this.#scene = sceneOf(folded, espalier(folded.fold, pathEnd, before), before);
    this.#folded = folded;
    this.#pathEnd = pathEnd;
    return this.#scene;
  }

  /** Whether nodes of the fold before have the same numbers in this one. */
  #grewTo({ tree, drawn }: Folded): boolean {
    const old = this.#folded;
    if (old === null || old.tree !== tree) return false;
    const last = old.drawn.rows.length - 1;
    return old.drawn.rows[last]?.id === drawn.rows[last]?.id && old.drawn.rows[0]?.id === drawn.rows[0]?.id;
  }
}

const NOWHERE: Espalier["pathEnd"] = -1;

/** The map of the shown session. Null until the session is there. */
export const useMapModel = (): MapModel | null => {
  // Single parts: a token of the streaming answer must not lay out the tree again.
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion ?? 0);
  const leafId = useSession((open) => open.session?.leafId ?? null);
  const pathLeaf = useSession((open) => open.view.leafId);
  const writing = useSession((open) =>
    open.session ? runAt(open.session, open.view.leafId) !== null : false,
  );
  const filter = useStore(uiStore, (state) => state.treeFilter);
  const wanted = useStore(uiStore, (state) => state.grain);
  const chosen = useStore(uiStore, (state) => state.chosen);
  const reading = useStore(uiStore, (state) => state.reading);
  const marked = useStore(uiStore, (state) => state.marked);
  const fitting = useMemo(() => (tree ? fittingGrain(tree) : "runs"), [tree]);
  const grain = wanted ?? fitting;
  const [memory] = useState(() => new LayoutMemory());
  const drawn = useMemo(() => {
    if (!tree) return null;
    const folded = foldedOf({ tree, version, grain, filter, leafId });
    const runOf = (entry: EntryId | null): number =>
      folded.fold.runOf[drawnAt(tree, folded.drawn.nodeOf, entry)] ?? -1;
    return { scene: memory.next(folded, pathLeaf === null ? NOWHERE : runOf(pathLeaf)), runOf };
  }, [memory, tree, version, grain, filter, leafId, pathLeaf]);
  return useMemo(
    () =>
      drawn === null
        ? null
        : {
            ...drawn,
            grain,
            filter,
            writing,
            chosen: drawn.runOf(chosen ?? reading ?? pathLeaf),
            tip: drawn.runOf(leafId),
            marked: marked.map(drawn.runOf),
          },
    [drawn, grain, filter, writing, chosen, reading, pathLeaf, leafId, marked],
  );
};
