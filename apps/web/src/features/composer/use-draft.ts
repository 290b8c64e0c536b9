import type { EntryId, SessionId } from "@espalier/protocol";
import { useCallback, useEffect, useRef, useState } from "react";
import { useServices } from "../../store/services.tsx";

const SAVE_MS = 300;

export interface Draft {
  readonly text: string;
  readonly set: (text: string) => void;
}

/**
 * The unsent text at a leaf. Null until it was read: the text field must not be there before. When the path goes on while
 * something is typed (a run works, `goesOn` says so), the text goes with it.
 */
export const useDraft = (
  session: SessionId,
  leaf: EntryId | null,
  goesOn: (before: EntryId | null, after: EntryId | null) => boolean,
): Draft | null => {
  const { memory } = useServices();
  const [text, setText] = useState<string | null>(null);
  const place = useRef({ session, leaf });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const current = useRef("");

  useEffect(() => {
    let alive = true;
    const before = place.current;
    place.current = { session, leaf };
    const same = before.session === session && before.leaf !== leaf;
    if (same && current.current !== "" && goesOn(before.leaf, leaf)) {
      void memory.saveDraft(before.session, before.leaf, "");
      void memory.saveDraft(session, leaf, current.current);
      return;
    }
    void memory.draft(session, leaf).then((saved) => {
      if (!alive) return;
      current.current = saved;
      setText(saved);
    });
    return () => {
      alive = false;
    };
  }, [memory, session, leaf, goesOn]);

  const set = useCallback(
    (next: string): void => {
      current.current = next;
      setText(next);
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

  return text === null ? null : { text, set };
};
