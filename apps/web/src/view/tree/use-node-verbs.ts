import { notAside, problemOf } from "@espalier/core";
import type { EntryId, Outcome } from "@espalier/protocol";
import { useMemo } from "react";
import { useShown } from "../../store/session-context.tsx";
import { toggleMark, uiStore } from "../../store/ui-store.ts";
import { showToast } from "../../ui/toast-store.ts";
import { useView } from "../view-context.tsx";

/** What can be done with a node of the tree, wherever it is shown. */
export interface NodeVerbs {
  /** Moves the session's place: the next message hangs there. Looking elsewhere writes nothing; this does. */
  readonly goHere: (entry: EntryId) => void;
  readonly branchFrom: (entry: EntryId) => void;
  /** Shows the path through an entry in the transcript. */
  readonly read: (entry: EntryId) => void;
  /** Marks for comparing, or takes the mark back. */
  readonly mark: (entry: EntryId) => void;
  /** Compares the two marked; says so when there are not two. */
  readonly compareMarked: () => void;
  readonly compare: (a: EntryId, b: EntryId) => void;
  readonly label: (entry: EntryId) => void;
  readonly setOutcome: (entry: EntryId, outcome: Outcome | null) => void;
}

export const useNodeVerbs = (): NodeVerbs => {
  const { client, actions, mode, show, showMode } = useShown();
  const { branchFrom } = useView();
  const inMap = mode.kind === "map";
  return useMemo(() => {
    const goHere = async (entry: EntryId): Promise<void> => {
      const tree = client.store.getState().session?.tree;
      const row = tree?.get(entry);
      // A person's message is written anew: its place is the one above it.
      const target = tree && row?.role === "user" ? notAside(tree, row.parentId) : entry;
      if (!(await actions.goTo(target))) return;
      uiStore.setState({ chosen: entry });
      await client.read(null);
      if (inMap) showMode({ kind: "map", at: null });
      else show(null);
    };
    const compare = (a: EntryId, b: EntryId): void => showMode({ kind: "compare", a, b });
    return {
      goHere: (entry) => void goHere(entry),
      branchFrom: (entry) => branchFrom?.(entry),
      read: show,
      mark: toggleMark,
      compare,
      compareMarked: () => {
        const [a, b] = uiStore.getState().marked;
        if (a !== undefined && b !== undefined) compare(a, b);
        else showToast("Mark two places with Space to compare them.", "info");
      },
      label: (entry) => uiStore.setState({ labelling: entry }),
      setOutcome: (entryId, outcome) =>
        void client
          .send({ type: "outcome", entryId, ...(outcome === null ? {} : { outcome }) })
          .catch((error: unknown) => showToast(problemOf(error).message, "error")),
    };
  }, [client, actions, show, showMode, branchFrom, inMap]);
};
