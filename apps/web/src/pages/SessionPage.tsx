import type { EntryId, SessionId } from "@espalier/protocol";
import { useEffect, useMemo } from "react";
import { useLocation, useSearchParams } from "wouter";
import { useStore } from "zustand";
import { useServices } from "../store/services.tsx";
import { sessionActions } from "../store/session-actions.ts";
import { SessionProvider } from "../store/session-context.tsx";
import { modeOf, type StageMode, searchOf } from "../store/stage-mode.ts";
import { uiStore } from "../store/ui-store.ts";
import { Button } from "../ui/Button.tsx";
import styles from "./Page.module.css";
import { SessionFrame } from "./SessionFrame.tsx";

const SEEN_MS = 15_000;

/** Opens the session behind the address and keeps what is read in step with `?at=`. */
const useOpenSession = (id: SessionId, at: EntryId | null) => {
  const { pool, memory } = useServices();
  const client = useMemo(() => pool.open(id), [pool, id]);
  useEffect(() => {
    // What was in hand and marked belongs to the session that was shown before.
    uiStore.setState({ reading: at, chosen: null, marked: [] });
    // The stream is told first: what happens while the snapshot is on its way is not missed.
    void pool.follow().then(() => client.load(at));
    // Only a new session is loaded; another place in it is read below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [pool, client]);
  useEffect(() => {
    if (client.store.getState().session) void client.read(at);
  }, [client, at]);
  useEffect(() => {
    // What is looked at is seen; kept when one leaves, and now and then while one stays.
    const save = (): void => {
      const tree = client.store.getState().session?.tree;
      if (tree) void memory.saveSeen(id, tree.rows.filter((row) => row.type === "message").length);
    };
    const timer = setInterval(save, SEEN_MS);
    return () => {
      clearInterval(timer);
      save();
    };
  }, [client, id, memory]);
  return client;
};

/** `/s/:id?at=ENTRY`: one session. */
export const SessionPage = ({ id }: { id: string }) => {
  const [, go] = useLocation();
  const [search, setSearch] = useSearchParams();
  const address = search.toString();
  const mode = useMemo(() => modeOf(new URLSearchParams(address)), [address]);
  const at = "at" in mode ? mode.at : null;
  const client = useOpenSession(id as SessionId, at);
  const phase = useStore(client.store, (open) => open.phase);
  const problem = useStore(client.store, (open) => open.problem);
  const actions = useMemo(() => sessionActions(client), [client]);
  const shown = useMemo(
    () => ({
      client,
      actions,
      show: (entry: EntryId | null) => setSearch(searchOf({ kind: "talk", at: entry })),
      mode,
      showMode: (next: StageMode) => setSearch(searchOf(next)),
    }),
    [client, actions, mode, setSearch],
  );
  if (phase === "failed")
    return (
      <main className={styles.center}>
        <div className={styles.card}>
          <h1 className={styles.cardTitle}>This session cannot be opened</h1>
          <p>{problem?.message}</p>
          <p className={styles.cardActions}>
            <Button onClick={() => go("/")}>All sessions</Button>
            <Button look="primary" onClick={() => void client.load(at)}>
              Try again
            </Button>
          </p>
        </div>
      </main>
    );
  return (
    <SessionProvider value={shown}>
      <SessionFrame loading={phase === "loading"} />
    </SessionProvider>
  );
};
