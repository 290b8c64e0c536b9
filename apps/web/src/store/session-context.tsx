import type { EntryId } from "@espalier/protocol";
import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { SessionActions } from "./session-actions.ts";
import type { OpenSession, SessionClient } from "./session-store.ts";
import type { StageMode } from "./stage-mode.ts";

/** The session that the page shows. */
export interface ShownSession {
  readonly client: SessionClient;
  readonly actions: SessionActions;
  /** Shows the path through an entry by its address; null: the session's leaf. */
  readonly show: (at: EntryId | null) => void;
  /** What the stage shows now, and how to show something else there. */
  readonly mode: StageMode;
  readonly showMode: (mode: StageMode) => void;
}

const SessionContext = createContext<ShownSession | null>(null);
export const SessionProvider = SessionContext.Provider;

export const useShown = (): ShownSession => {
  const shown = useContext(SessionContext);
  if (!shown) throw new Error("SessionProvider is missing");
  return shown;
};

/** A part of the shown session's state; drawn again when that part changes. */
export const useSession = <Part,>(select: (open: OpenSession) => Part): Part =>
  useStore(useShown().client.store, select);
