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
  const { actions, show, showMode } = useShown();
  const { branchFrom, goHere } = useView();
  return useMemo(() => {
    const compare = (a: EntryId, b: EntryId): void => {
      // On a narrow page the tree is a place of its own: what is compared stands in the other one.
      uiStore.setState({ place: "talk" });
      showMode({ kind: "compare", a, b });
    };
    return {
      goHere: (entry) => goHere?.(entry),
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
      setOutcome: (entry, outcome) => void actions.outcome(entry, outcome),
    };
  }, [actions, show, showMode, branchFrom, goHere]);
};
