import { isOpen } from "@espalier/core";
import { CircleAlert, FolderX, TriangleAlert, WifiOff } from "lucide-react";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { holdsEnd } from "../../store/path-view.ts";
import { useServices } from "../../store/services.tsx";
import { useSession, useShown } from "../../store/session-context.tsx";
import type { OpenSession } from "../../store/session-store.ts";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { plural } from "../../view/format.ts";
import styles from "./Strips.module.css";

interface StripProps {
  look: "info" | "warn" | "error";
  icon: Glyph;
  children: ReactNode;
  actions?: ReactNode;
}

const Strip = ({ look, icon, children, actions }: StripProps) => (
  <div className={classNames(styles.strip, styles[look])} role={look === "error" ? "alert" : "status"}>
    <Icon of={icon} size={14} />
    <span className={styles.words}>{children}</span>
    {actions}
  </div>
);

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
          The backend does not answer. Start it with <code>npm start</code>; what is here can still be read.
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

const DamageStrip = () => {
  const damage = useSession((open) => open.session?.damage);
  const [open, setOpen] = useState(false);
  if (!damage || damage.length === 0) return null;
  const first = damage[0];
  return (
    <>
      <Strip
        look="warn"
        icon={TriangleAlert}
        actions={
          <LinkButton aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "Hide" : "Show"}
          </LinkButton>
        }
      >
        {damage.length === 1 && first
          ? `Line ${first.line} of the session file: ${first.detail}`
          : `${plural(damage.length, "place")} of the session file could not be read as written.`}
      </Strip>
      {open && (
        <ul className={styles.details}>
          {damage.map((each, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
            <li key={index}>
              line {each.line}, {each.kind.replaceAll("_", " ")}: {each.detail}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const ForeignStrip = () => {
  const { client, show } = useShown();
  const foreign = useSession((open) => open.foreign);
  const newest = useSession((open) => open.session?.tree.rows.at(-1)?.id ?? null);
  if (foreign === 0) return null;
  return (
    <Strip
      look="info"
      icon={CircleAlert}
      actions={
        <>
          <LinkButton
            onClick={() => {
              client.forgetForeign();
              show(newest);
            }}
          >
            Show the newest
          </LinkButton>
          <LinkButton onClick={() => client.forgetForeign()}>Dismiss</LinkButton>
        </>
      }
    >
      {plural(foreign, "new entry", "new entries")} written by another program.
    </Strip>
  );
};

const FolderStrip = () => {
  const { actions, client } = useShown();
  const [, go] = useLocation();
  const missing = useSession((open) => open.facts?.folder.missing ?? false);
  const cwd = useSession((open) => open.facts?.folder.cwd ?? "");
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
      The folder of this session is gone: <code>{cwd}</code>. Tools can work in the current workspace instead.
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
    <DamageStrip />
    <ForeignStrip />
    <FailureStrip />
    <CutOffStrip />
  </>
);
