import { runAt, type SessionState } from "@espalier/core";
import type { EntryId, RunId, RunInfo } from "@espalier/protocol";
import { useEffect, useState } from "react";
import { useShown } from "../../store/session-context.tsx";
import type { OpenSession } from "../../store/session-store.ts";
import { plural } from "../../view/format.ts";

const whatOf = (run: RunInfo | undefined): string => (run?.work === undefined ? "Answer" : "Summary");

const ended = (session: SessionState, run: RunInfo): string => {
  let calls = 0;
  let failed = 0;
  for (let id: EntryId | null = run.tip; id !== null; ) {
    const row = session.tree.get(id);
    if (!row || row.role === "user") break;
    if (row.role === "toolResult") calls += 1;
    if (row.role === "toolResult" && row.flags?.includes("error")) failed += 1;
    id = row.parentId;
  }
  const words = { done: "finished", aborted: "stopped", failed: "failed" } as const;
  const state = run.status === "aborted" || run.status === "failed" ? words[run.status] : words.done;
  if (run.work !== undefined) return `${whatOf(run)} ${state}`;
  return [
    `${whatOf(run)} ${state}`,
    calls > 0 && plural(calls, "tool call"),
    failed > 0 && `${failed} failed`,
  ]
    .filter(Boolean)
    .join(", ");
};

/** The run at the end of the path, as far as it is worth a word. */
const stateOf = ({ session, view }: OpenSession): { id: RunId; waiting: boolean } | null => {
  const run = session ? runAt(session, view.leafId) : null;
  return run && { id: run.id, waiting: run.status === "waiting" };
};

/** Tells those who listen when an answer starts, waits for them, and ends; never its single words. */
export const RunAnnouncer = () => {
  const { client } = useShown();
  const [words, setWords] = useState("");
  useEffect(() => {
    let before = stateOf(client.store.getState());
    return client.store.subscribe((open) => {
      const now = stateOf(open);
      if (now?.id === before?.id && now?.waiting === before?.waiting) return;
      if (now?.waiting) setWords("A tool waits for your answer");
      else if (now && !before) setWords(`${whatOf(open.session?.runs.get(now.id))} started`);
      else if (!now && before) {
        const done = open.session?.runs.get(before.id);
        setWords(open.session && done ? ended(open.session, done) : "The run was cut off");
      }
      before = now;
    });
  }, [client]);
  return (
    <div className="visually-hidden" role="status" aria-label="Announcements">
      {words}
    </div>
  );
};
