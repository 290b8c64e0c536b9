import { runAt, type SessionState } from "@espalier/core";
import type { EntryId, RunInfo } from "@espalier/protocol";
import { useEffect, useRef, useState } from "react";
import { useSession } from "../../store/session-context.tsx";
import { plural } from "../../view/format.ts";

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
  return [`Answer ${state}`, calls > 0 && plural(calls, "tool call"), failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(", ");
};

/** Tells those who listen when an answer starts, waits for them, and ends; never its single words. */
export const RunAnnouncer = () => {
  const session = useSession((open) => open.session);
  const leaf = useSession((open) => open.view.leafId);
  const run = session ? runAt(session, leaf) : null;
  const last = useRef<string | null>(null);
  const [words, setWords] = useState("");
  const state = run ? `${run.id} ${run.status === "waiting" ? "waiting" : "running"}` : null;
  useEffect(() => {
    const before = last.current;
    last.current = state;
    if (state === before || !session) return;
    if (state?.endsWith("waiting")) setWords("A tool waits for your answer");
    else if (state !== null && before === null) setWords("Answer started");
    else if (state === null && before !== null) {
      const done = session.runs.get(before.split(" ", 1)[0] as RunInfo["id"]);
      setWords(done ? ended(session, done) : "Answer finished");
    }
  }, [state, session]);
  return (
    <div className="visually-hidden" role="status" aria-label="Announcements">
      {words}
    </div>
  );
};
