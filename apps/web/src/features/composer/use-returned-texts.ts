import { useEffect, useRef } from "react";
import { useShown } from "../../store/session-context.tsx";
import type { Draft } from "./use-draft.ts";

/** How long other tabs leave returned texts to the one that wrote them; one in the background waits longer still. */
const OWNER_FIRST_MS = 700;
const HIDDEN_MS = 1_500;
const FORGET_MS = 60_000;

/** Whether this tab is the first of the browser to ask for `what`. Where nothing can be kept, each is the first: better twice than lost. */
const claim = (what: string): boolean => {
  const key = `espalier.returned.${what}`;
  try {
    // A tab that was closed meanwhile may have left it there: numbers begin anew with every server.
    if (Date.now() - Number(localStorage.getItem(key) ?? 0) < FORGET_MS) return false;
    localStorage.setItem(key, String(Date.now()));
    setTimeout(() => localStorage.removeItem(key), FORGET_MS);
  } catch {
    return true;
  }
  return true;
};

/**
 * Texts that waited for a run which was stopped come back to the field of the tab that queued them, above what stands there; when
 * that tab is closed, to another one, and only to one.
 */
export const useReturnedTexts = (draft: Draft | null): void => {
  const { client } = useShown();
  const current = useRef(draft);
  useEffect(() => {
    current.current = draft;
  });
  useEffect(() => {
    let taken = client.store.getState().session?.returned?.rev ?? 0;
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const stop = client.store.subscribe(({ id, session }) => {
      const returned = session?.returned;
      if (!returned || !current.current || returned.rev <= taken) return;
      taken = returned.rev;
      const take = (): void => {
        const field = current.current;
        if (!field || !claim(`${id}.${returned.rev}`)) return;
        field.set([...returned.texts, field.text].filter((each) => each.trim() !== "").join("\n\n"));
      };
      if (client.hasQueued(returned.texts)) take();
      else timers.add(setTimeout(take, document.hidden ? HIDDEN_MS : OWNER_FIRST_MS));
    });
    return () => {
      stop();
      for (const timer of timers) clearTimeout(timer);
    };
  }, [client]);
};
