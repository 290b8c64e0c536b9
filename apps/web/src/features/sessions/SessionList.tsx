import type { SessionId, SessionInfo } from "@espalier/protocol";
import { type KeyboardEvent, type RefObject, useMemo, useRef } from "react";
import { useSeen } from "../../store/queries.ts";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { shownPath } from "../../view/format.ts";
import { SessionRow } from "./SessionRow.tsx";
import styles from "./Sessions.module.css";
import { type SessionLine, type SessionView, sessionLines } from "./session-rows.ts";

interface SessionListProps {
  sessions: readonly SessionInfo[];
  view: SessionView;
  shown: SessionId | null;
  scroller: RefObject<HTMLDivElement | null>;
  onOpened: (() => void) | undefined;
  onRename: (session: SessionInfo) => void;
  onDiscard: (session: SessionInfo) => void;
}

const keyOf = (line: SessionLine): string =>
  line.kind === "folder" ? `folder ${line.cwd}` : line.session.path;

/** The next session above or below a line, or at the list's end; -1 when there is none. */
const nextSession = (lines: readonly SessionLine[], from: number, key: string): number => {
  const step = key === "ArrowUp" || key === "End" ? -1 : 1;
  const start = key === "Home" ? 0 : key === "End" ? lines.length - 1 : from + step;
  for (let at = start; at >= 0 && at < lines.length; at += step) if (lines[at]?.kind === "session") return at;
  return -1;
};

const MOVES: ReadonlySet<string> = new Set(["ArrowUp", "ArrowDown", "Home", "End"]);

/** All sessions by folder. Arrows go from one to the next, Enter opens, `r` or F2 renames, Delete moves to the trash. */
export const SessionList = ({
  sessions,
  view,
  shown,
  scroller,
  onOpened,
  onRename,
  onDiscard,
}: SessionListProps) => {
  const seen = useSeen();
  const list = useRef<ListHandle>(null);
  const lines = useMemo(() => sessionLines(sessions, view), [sessions, view]);
  const goTo = (at: number): void => {
    const line = lines[at];
    if (line?.kind !== "session") return;
    list.current?.scrollToIndex(at, { align: "nearest" });
    // Drawn first, then focused.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        scroller.current
          ?.querySelector<HTMLElement>(`[data-session="${CSS.escape(line.session.id)}"]`)
          ?.focus(),
      ),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = (event.target as HTMLElement).dataset.session;
    const at = lines.findIndex((line) => line.kind === "session" && line.session.id === id);
    const line = lines[at];
    if (line?.kind !== "session" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (MOVES.has(event.key)) goTo(nextSession(lines, at, event.key));
    else if (event.key === "F2" || event.key === "r") onRename(line.session);
    else if (event.key === "Delete") onDiscard(line.session);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (lines.length === 0)
    return (
      <p className={styles.nothing}>{sessions.length === 0 ? "No sessions yet." : "No session fits."}</p>
    );
  return (
    // The keys act on the focused session inside; the box itself takes none.
    <div role="presentation" onKeyDown={onKeyDown}>
      <VirtualList items={lines} scroller={scroller} handle={list}>
        {(line) =>
          line.kind === "folder" ? (
            <h3 key={keyOf(line)} className={styles.folder}>
              <span className={styles.cut}>{line.cwd === "" ? "unknown folder" : shownPath(line.cwd)}</span>
              <span className={styles.folderCount}>{line.count}</span>
            </h3>
          ) : (
            <SessionRow
              key={keyOf(line)}
              session={line.session}
              depth={line.depth}
              shown={line.session.id === shown}
              news={
                line.session.id !== shown &&
                line.session.messageCount > (seen?.get(line.session.id) ?? Number.POSITIVE_INFINITY)
              }
              onOpened={onOpened}
              onRename={() => onRename(line.session)}
              onDiscard={() => onDiscard(line.session)}
            />
          )
        }
      </VirtualList>
    </div>
  );
};
