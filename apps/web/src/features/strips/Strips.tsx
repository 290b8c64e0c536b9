import { isOpen } from "@espalier/core";
import { CircleAlert, FolderX, TriangleAlert, WifiOff } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { holdsEnd } from "../../store/path-view.ts";
import { useServices } from "../../store/services.tsx";
import { useSession, useShown } from "../../store/session-context.tsx";
import type { OpenSession } from "../../store/session-store.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { DamageStrip, ForeignStrip, LocalStrip, LostStrip } from "./FileStrips.tsx";
import { Strip } from "./Strip.tsx";
import styles from "./Strips.module.css";

/** Shows its content a moment later: a connection that is back by then is not worth a word. */
const Late = ({ children }: { children: ReactNode }) => {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 800);
    return () => clearTimeout(timer);
  }, []);
  return late ? children : null;
};

/** How the event stream does, when it does not do well. */
export const StreamStrip = () => {
  const { stream } = useServices();
  const status = useSyncExternalStore(
    (changed) => stream.onStatus(changed),
    () => stream.status,
  );
  if (status === "outdated")
    return (
      <Strip
        look="warn"
        icon={TriangleAlert}
        actions={<Button onClick={() => location.reload()}>Reload</Button>}
      >
        The server is of another version than this page.
      </Strip>
    );
  if (status === "offline")
    return (
      <Late key={status}>
        <Strip
          look="error"
          icon={WifiOff}
          actions={<LinkButton onClick={() => stream.wake()}>Try now</LinkButton>}
        >
          Backend stopped. Start it with <code>npm start</code>. What was looked at can be read, branched and
          labelled.
        </Strip>
      </Late>
    );
  if (status === "reconnecting")
    return (
      <Late key={status}>
        <Strip look="info" icon={WifiOff}>
          Reconnecting, nothing is lost.
        </Strip>
      </Late>
    );
  return null;
};

const FolderStrip = () => {
  const { actions, client } = useShown();
  const [, go] = useLocation();
  const missing = useSession((open) => open.facts?.folder.missing ?? false);
  const cwd = useSession((open) => open.facts?.folder.cwd ?? "");
  const named = useSession((open) => (open.facts?.header.cwd ?? "") !== "");
  if (!missing) return null;
  const choose = async (choice: "here" | "fork" | "cancel"): Promise<void> => {
    const answer = await actions.folder(choice);
    if (!answer) return;
    if (choice === "cancel") go("/");
    else if (answer.session !== undefined) go(`/s/${encodeURIComponent(answer.session)}`);
    else await client.refreshFacts();
  };
  return (
    <Strip
      look="warn"
      icon={FolderX}
      actions={
        <span className={styles.choices}>
          <Button onClick={() => void choose("here")}>Continue here</Button>
          <Button onClick={() => void choose("fork")}>Fork</Button>
          <Button look="quiet" onClick={() => void choose("cancel")}>
            Cancel
          </Button>
        </span>
      }
    >
      {named ? (
        <>
          The folder of this session is gone: <code>{cwd}</code>.
        </>
      ) : (
        "This file names no folder."
      )}{" "}
      Tools can work in the current workspace instead.
    </Strip>
  );
};

const MovedStrip = () => {
  const moved = useSession((open) => open.session?.movedTo ?? null);
  const [, go] = useLocation();
  useEffect(() => {
    if (moved !== null) go(`/s/${encodeURIComponent(moved)}`, { replace: true });
  }, [moved, go]);
  return null;
};

/** The last run failed: what happened, and how to go on. */
const FailureStrip = () => {
  const { actions } = useShown();
  const run = useSession((open) =>
    [...(open.session?.runs.values() ?? [])].findLast((each) => each.tip === open.view.leafId),
  );
  if (!run || isOpen(run) || run.status !== "failed" || !run.problem) return null;
  const noKey = run.problem.code === "no_key" || run.problem.code === "provider_auth";
  return (
    <Strip
      look="error"
      icon={CircleAlert}
      actions={
        <>
          {noKey && (
            <a className={styles.link} href="/?connect">
              Enter a key
            </a>
          )}
          <Button onClick={() => void actions.goOn()}>Try again</Button>
        </>
      }
    >
      {run.problem.message}
    </Strip>
  );
};

/** The path ends with words that nobody answered, and no run is known that would have: a restart cut it off, here or elsewhere. */
const isCutOff = ({ session, view }: OpenSession): boolean => {
  const leaf = view.leafId;
  if (!session || leaf === null || leaf !== session.leafId) return false;
  if ([...session.runs.values()].some((run) => isOpen(run) || run.tip === leaf)) return false;
  const last = holdsEnd(view) ? view.items.at(-1) : undefined;
  if (last?.kind !== "step") return last?.kind === "user";
  // A call that failed or was stopped ends a run on purpose as often as not.
  const failed = last.groups.some((group) => group.kind === "complete" && group.result.message.isError);
  return last.groups.length > 0 && !failed;
};

const CutOffStrip = () => {
  const { actions } = useShown();
  const missing = useSession((open) => open.facts?.folder.missing ?? false);
  const cutOff = useSession(isCutOff);
  const [shown, setShown] = useState(false);
  // A prompt's entry comes a moment before its run: the strip must not flash between the two.
  useEffect(() => {
    const timer = setTimeout(() => setShown(cutOff), cutOff ? 1_500 : 0);
    return () => clearTimeout(timer);
  }, [cutOff]);
  if (!cutOff || !shown || missing) return null;
  return (
    <Strip
      look="warn"
      icon={CircleAlert}
      actions={<Button onClick={() => void actions.goOn()}>Continue</Button>}
    >
      The run was cut off here: no answer follows.
    </Strip>
  );
};

/** Notices of the server, each once. */
const Notices = () => {
  const { client } = useShown();
  useEffect(() => {
    let seen = client.store.getState().session?.notices.at(-1)?.rev ?? 0;
    return client.store.subscribe(({ session }) => {
      for (const notice of session?.notices ?? []) {
        if (notice.rev <= seen) continue;
        seen = notice.rev;
        // These two have strips of their own.
        if (notice.code === "session_changed" || notice.code === "foreign_entries") continue;
        showToast(notice.text, notice.level);
      }
    });
  }, [client]);
  return null;
};

/** What stands between the bar and the transcript when something is not as it should be. */
export const SessionStrips = () => (
  <>
    <MovedStrip />
    <Notices />
    <FolderStrip />
    <LocalStrip />
    <LostStrip />
    <DamageStrip />
    <ForeignStrip />
    <FailureStrip />
    <CutOffStrip />
  </>
);
