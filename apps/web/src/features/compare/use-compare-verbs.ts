import { problemOf } from "@espalier/core";
import type { Comparison, EntryId, SessionId } from "@espalier/protocol";
import { useMemo } from "react";
import { useShown } from "../../store/session-context.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { LETTERS, type Side } from "./compare-words.ts";

/** What of a branch is carried over. */
export interface Carried {
  readonly entries?: EntryId[];
  readonly files?: string[];
  readonly instructions?: string;
}

export interface CompareVerbs {
  /** Goes to the end of a branch, where the next message lands. */
  readonly goOn: (side: Side) => Promise<void>;
  /** Tells at B's end of A. Resolves to whether it was done. */
  readonly carry: (comparison: Comparison, carried: Carried) => Promise<boolean>;
  readonly swap: () => void;
}

/** What a person can do with two branches. `onWrite` puts the focus where the next message is written. */
export const useCompareVerbs = (comparison: Comparison | undefined, onWrite: () => void): CompareVerbs => {
  const { client, actions, show, mode, showMode } = useShown();
  return useMemo(() => {
    // Straight back: what is left is only what was carried, and nobody has to be told of that.
    const undo = (leaf: EntryId | null) => ({
      title: "Undo",
      run: () =>
        void client.send({ type: "navigate", target: leaf }).then(
          () => showToast("Back where it was."),
          (error: unknown) => showToast(problemOf(error).message, "error"),
        ),
    });
    return {
      goOn: async (side) => {
        if (!comparison || !(await actions.goTo(comparison[side].end))) return;
        show(null);
        onWrite();
      },
      carry: async ({ a, b }, carried) => {
        const leaf = client.store.getState().session?.leafId ?? null;
        try {
          const answer = await client.send({ type: "carry_over", from: a.end, to: b.end, ...carried });
          if (answer.session !== undefined) client.moveTo(answer.session as SessionId);
          const what = answer.run === undefined ? "was carried over to" : "is being summed up for";
          const note = answer.note === undefined ? "" : ` ${answer.note}`;
          showToast(`${LETTERS.a} ${what} ${LETTERS.b}.${note}`, "info", undo(leaf));
          return true;
        } catch (error) {
          showToast(problemOf(error).message, "error");
          return false;
        }
      },
      swap: () => {
        if (mode.kind === "compare") showMode({ kind: "compare", a: mode.b, b: mode.a });
      },
    };
  }, [actions, client, comparison, mode, onWrite, show, showMode]);
};
