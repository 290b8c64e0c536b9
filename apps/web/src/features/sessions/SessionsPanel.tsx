import { problemOf } from "@espalier/core";
import type { SessionId, SessionInfo } from "@espalier/protocol";
import { Plus, Search } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { useSeen, useSessions } from "../../store/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { ago, plural, shownPath } from "../../view/format.ts";
import styles from "./Sessions.module.css";

interface SessionsPanelProps {
  /** The session that is shown, if any. */
  shown: SessionId | null;
  onNew: () => void;
  onOpened?: () => void;
}

const matches = (session: SessionInfo, words: readonly string[]): boolean => {
  const text = `${session.name ?? ""} ${session.firstMessage} ${session.cwd} ${session.id}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

const sessionTitle = (session: SessionInfo): string =>
  session.name ?? (session.firstMessage === "" ? "empty session" : session.firstMessage);

interface SessionRowProps {
  session: SessionInfo;
  shown: boolean;
  /** There are messages that were not there when it was last looked at. */
  news: boolean;
  onOpened?: () => void;
}

const SessionRow = ({ session, shown, news, onOpened }: SessionRowProps) => (
  <Link
    href={`/s/${encodeURIComponent(session.id)}`}
    className={classNames(styles.session, shown && styles.shown)}
    aria-current={shown ? "page" : undefined}
    onClick={onOpened}
  >
    <span className={styles.name}>
      {news && (
        <span className={styles.news}>
          <span className="visually-hidden">new messages: </span>
        </span>
      )}
      {sessionTitle(session)}
    </span>
    <span className={styles.meta}>
      <span>{ago(Date.parse(session.modified))}</span>
      <span>{plural(session.messageCount, "message")}</span>
      <span className={styles.cut}>{shownPath(session.cwd)}</span>
      {session.root === "pi" && <span className={styles.pi}>pi</span>}
    </span>
  </Link>
);

/** All sessions, newest first, with a search over names, first messages and folders. */
export const SessionsPanel = ({ shown, onNew, onOpened }: SessionsPanelProps) => {
  const sessions = useSessions();
  const seen = useSeen();
  const [search, setSearch] = useState("");
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const found = useMemo(() => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    return (sessions.data?.sessions ?? [])
      .filter((session) => matches(session, words))
      .toSorted((a, b) => b.modified.localeCompare(a.modified));
  }, [sessions.data, search]);
  return (
    <nav className={styles.panel} aria-label="Sessions">
      <div className={styles.tools}>
        <label className={styles.field}>
          <Icon of={Search} size={14} />
          <input
            type="search"
            aria-label="Find a session"
            placeholder="Find a session"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </label>
        <Button icon={Plus} onClick={onNew}>
          New
        </Button>
      </div>
      <div ref={scroller} className={styles.scroller}>
        {sessions.isError && <p className={styles.nothing}>{problemOf(sessions.error).message}</p>}
        {sessions.isSuccess && found.length === 0 && (
          <p className={styles.nothing}>{search === "" ? "No sessions yet." : "No session fits."}</p>
        )}
        <VirtualList items={found} scroller={scroller} handle={list} itemSize={52}>
          {(session) => (
            <SessionRow
              key={session.id}
              session={session}
              shown={session.id === shown}
              news={
                session.id !== shown &&
                session.messageCount > (seen?.get(session.id) ?? Number.POSITIVE_INFINITY)
              }
              {...(onOpened ? { onOpened } : {})}
            />
          )}
        </VirtualList>
      </div>
    </nav>
  );
};
