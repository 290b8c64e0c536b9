import { problemOf } from "@espalier/core";
import type { SessionId, SessionInfo } from "@espalier/protocol";
import { Plus, Search, TextSearch } from "lucide-react";
import { useRef, useState } from "react";
import { useSessions } from "../../store/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { SearchResults } from "./SearchResults.tsx";
import { type Asked, SessionDialogs } from "./SessionDialogs.tsx";
import { SessionList } from "./SessionList.tsx";
import styles from "./Sessions.module.css";
import { EVERYTHING, type SessionView } from "./session-rows.ts";
import { useSessionVerbs } from "./use-session-verbs.ts";
import { ViewMenu } from "./ViewMenu.tsx";

interface SessionsPanelProps {
  /** The session that is shown, if any. */
  shown: SessionId | null;
  onNew: () => void;
  onOpened?: () => void;
  /** What is searched for, where the page's address keeps it; else the panel does. */
  search?: { readonly text: string; readonly change: (text: string) => void };
}

interface FieldProps {
  label: string;
  icon: Glyph;
  value: string;
  onChange: (value: string) => void;
}

const Field = ({ label, icon, value, onChange }: FieldProps) => (
  <label className={styles.field}>
    <Icon of={icon} size={14} />
    <input
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </label>
);

const NONE: readonly SessionInfo[] = [];

/** All sessions by folder, and a search through everything in them. */
export const SessionsPanel = ({ shown, onNew, onOpened, search }: SessionsPanelProps) => {
  const sessions = useSessions();
  const [view, setView] = useState<SessionView>(EVERYTHING);
  const [own, setOwn] = useState("");
  const [asked, setAsked] = useState<Asked>(null);
  const { discard } = useSessionVerbs();
  const scroller = useRef<HTMLDivElement>(null);
  const text = search?.text ?? own;
  const all = sessions.data?.sessions ?? NONE;
  const onDiscard = (session: SessionInfo): void => {
    if (session.root === "pi") setAsked({ kind: "discard", session });
    else void discard(session);
  };
  return (
    <nav className={styles.panel} aria-label="Sessions">
      <div className={styles.tools}>
        <Field
          label="Find a session"
          icon={Search}
          value={view.text}
          onChange={(value) => setView({ ...view, text: value })}
        />
        <ViewMenu sessions={all} view={view} onView={setView} onTrash={() => setAsked({ kind: "trash" })} />
        <Button icon={Plus} onClick={onNew}>
          New
        </Button>
      </div>
      <div className={styles.search}>
        <Field
          label="Search all sessions"
          icon={TextSearch}
          value={text}
          onChange={search?.change ?? setOwn}
        />
      </div>
      <div ref={scroller} className={styles.scroller}>
        {sessions.isError && <p className={styles.nothing}>{problemOf(sessions.error).message}</p>}
        {text.trim() !== "" ? (
          <SearchResults text={text} sessions={all} onOpened={onOpened} />
        ) : (
          sessions.isSuccess && (
            <SessionList
              sessions={all}
              view={view}
              shown={shown}
              scroller={scroller}
              onOpened={onOpened}
              onRename={(session) => setAsked({ kind: "rename", session })}
              onDiscard={onDiscard}
            />
          )
        )}
      </div>
      <SessionDialogs asked={asked} onClose={() => setAsked(null)} />
    </nav>
  );
};
