import type { EntryId, SessionId } from "@espalier/protocol";
import { useCallback, useEffect, useRef, useState } from "react";
import { useServices } from "../../store/services.tsx";

const SAVE_MS = 300;

export interface Draft {
  readonly text: string;
  /** The end of the path that it belongs to. */
  readonly leaf: EntryId | null;
  readonly set: (text: string) => void;
}

/**
 * The unsent text at a leaf. Null until it was read: the text field must not be there before. When the path went on from there (a run
 * works, `wentOn` says so), what stands in the field goes with it, and what another tab keeps there stays with that tab.
 */
export const useDraft = (
  session: SessionId,
  leaf: EntryId | null,
  wentOn: (before: EntryId | null, after: EntryId | null) => boolean,
): Draft | null => {
  const { memory } = useServices();
  const [shown, setShown] = useState<{ text: string; leaf: EntryId | null } | null>(null);
  const place = useRef({ session, leaf });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const current = useRef("");

  useEffect(() => {
    let alive = true;
    const before = place.current;
    place.current = { session, leaf };
    const elsewhere = before.session !== session || before.leaf !== leaf;
    if (elsewhere && before.session === session && wentOn(before.leaf, leaf)) {
      if (current.current !== "") {
        void memory.saveDraft(before.session, before.leaf, "");
        void memory.saveDraft(session, leaf, current.current);
      }
      setShown({ text: current.current, leaf });
      return;
    }
    // What was typed a moment ago belongs to the place that is left.
    clearTimeout(timer.current);
    if (elsewhere && current.current !== "")
      void memory.saveDraft(before.session, before.leaf, current.current);
    void memory.draft(session, leaf).then((saved) => {
      if (!alive) return;
      current.current = saved;
      setShown({ text: saved, leaf });
    });
    return () => {
      alive = false;
    };
  }, [memory, session, leaf, wentOn]);

  const set = useCallback(
    (next: string): void => {
      current.current = next;
      setShown({ text: next, leaf: place.current.leaf });
      clearTimeout(timer.current);
      const save = (): void => {
        const at = place.current;
        void memory.saveDraft(at.session, at.leaf, current.current);
      };
      // Sent is sent: an emptied field must not come back after a reload.
      if (next === "") save();
      else timer.current = setTimeout(save, SAVE_MS);
    },
    [memory],
  );

  return shown === null ? null : { ...shown, set };
};
