import { runAt, type SessionState } from "@espalier/core";
import type { EntryId, RunInfo } from "@espalier/protocol";
import { useEffect, useState } from "react";
import { useSession } from "../../store/session-context.tsx";
import { clock, plural } from "../../view/format.ts";
import styles from "./Composer.module.css";

const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
};

const doing = (session: SessionState, run: RunInfo, now: number): string => {
  switch (run.status) {
    case "waiting":
      return "Waits for you";
    case "retrying": {
      const seconds = Math.max(0, Math.ceil(((run.retryAt ?? now) - now) / 1_000));
      if (run.problem) return `Waits for the disk, tries again in ${seconds} s`;
      return `Asks again in ${seconds} s, attempt ${(run.attempt ?? 0) + 1}`;
    }
    case "stopping":
      return "Stopping";
    case "running":
      return atWork(session, run);
    case "done":
    case "aborted":
    case "failed":
      return "Ready";
  }
};

const WORK = { compaction: "Compacting", branch_summary: "Summing up the branch you leave" };

const atWork = (session: SessionState, run: RunInfo): string => {
  if (run.work !== undefined) return WORK[run.work];
  const tools = [...session.tools.values()].filter(
    (tool) => tool.run === run.id && tool.status === "running",
  );
  if (tools.length > 0) return tools.length === 1 ? "Running a tool" : `Running ${tools.length} tools`;
  const block = session.partials.get(run.id)?.at(-1);
  if (!block) return "Asking the model";
  return block.kind === "thinking" ? "Thinking" : "Writing";
};

/** Calls that the run has declared so far, from its tip up to the message it answers. */
const callsOf = (session: SessionState, tip: EntryId | null): number => {
  let calls = 0;
  for (let id = tip; id !== null; ) {
    const row = session.tree.get(id);
    if (!row || row.role === "user") return calls;
    if (row.role === "toolResult") calls += 1;
    id = row.parentId;
  }
  return calls;
};

const Working = ({ session, run, brief }: { session: SessionState; run: RunInfo; brief: boolean }) => {
  const now = useNow();
  const calls = callsOf(session, run.tip);
  const time = clock(now - run.startedAt);
  const words = [doing(session, run, now), time, ...(calls > 0 ? [plural(calls, "call")] : [])].join(", ");
  if (!brief) return <span>{words}</span>;
  return (
    <>
      <span aria-hidden="true">{time}</span>
      <span className="visually-hidden">{words}</span>
    </>
  );
};

/** What the run at the end of the path does now, for how long, after how many calls. */
export const RunState = ({ brief }: { brief: boolean }) => {
  const session = useSession((open) => open.session);
  const leafId = useSession((open) => open.view.leafId);
  const run = session ? runAt(session, leafId) : null;
  return (
    <span className={styles.runState} role="status" aria-label="Run state" aria-live="off">
      <span className={styles.pulse} data-state={run?.status ?? "idle"} />
      {session && run ? (
        <Working key={run.id} session={session} run={run} brief={brief} />
      ) : (
        <span>Ready</span>
      )}
    </span>
  );
};
