import { problemOf } from "@espalier/core";
import type { SearchHit, SessionId, SessionInfo } from "@espalier/protocol";
import { Link } from "wouter";
import { useSearch } from "../../store/queries.ts";
import { ago, plural, shownPath } from "../../view/format.ts";
import styles from "./Sessions.module.css";
import { titleOf } from "./session-rows.ts";

const ROLES: Readonly<Record<string, string>> = {
  user: "you",
  assistant: "answer",
  toolResult: "result",
  bashExecution: "command",
};

const kindOf = ({ role, type }: SearchHit): string =>
  role === undefined ? type.replaceAll("_", " ") : (ROLES[role] ?? role);

/** Hits by session, the session of the best hit first. */
const bySession = (hits: readonly SearchHit[]): [SessionId, SearchHit[]][] => {
  const groups = new Map<SessionId, SearchHit[]>();
  for (const hit of hits) groups.set(hit.session, [...(groups.get(hit.session) ?? []), hit]);
  return [...groups];
};

const Hit = ({ hit, onOpened }: { hit: SearchHit; onOpened: (() => void) | undefined }) => (
  <Link
    href={`/s/${encodeURIComponent(hit.session)}?at=${encodeURIComponent(hit.entryId)}`}
    className={styles.hit}
    onClick={onOpened}
  >
    <span className={styles.meta}>
      <span>{kindOf(hit)}</span>
      {hit.time > 0 && <span>{ago(hit.time)}</span>}
    </span>
    <span className={styles.excerpt}>
      {/* The parts of one excerpt never change places. */}
      {hit.parts.map((part, at) =>
        part.hit ? <mark key={at}>{part.text}</mark> : <span key={at}>{part.text}</span>,
      )}
    </span>
  </Link>
);

interface SearchResultsProps {
  text: string;
  sessions: readonly SessionInfo[];
  onOpened: (() => void) | undefined;
}

/** Where the words stand in all sessions; each hit opens its session at the entry. */
export const SearchResults = ({ text, sessions, onOpened }: SearchResultsProps) => {
  const search = useSearch(text);
  if (search.isError) return <p className={styles.nothing}>{problemOf(search.error).message}</p>;
  if (!search.data) return <p className={styles.nothing}>Searching</p>;
  const { hits, complete } = search.data;
  const unread = sessions.filter(({ totals, problem }) => !totals && problem === undefined).length;
  const groups = bySession(hits);
  return (
    <>
      <p className={styles.state} role="status" aria-label="Search results">
        {hits.length === 0 && complete ? "Nothing found in any session." : plural(hits.length, "place")}
        {hits.length > 0 && ` in ${plural(groups.length, "session")}`}
        {!complete && (unread > 0 ? `, still reading ${plural(unread, "session")}` : ", still reading")}
      </p>
      {groups.map(([id, found]) => {
        const session = sessions.find((one) => one.id === id);
        return (
          <section key={id} className={styles.found}>
            <h3 className={styles.foundName}>
              <span className={styles.cut}>{session ? titleOf(session) : id}</span>
              {session && <span className={styles.foundFolder}>{shownPath(session.cwd)}</span>}
            </h3>
            {found.map((hit, at) => (
              <Hit key={`${at} ${hit.entryId}`} hit={hit} onOpened={onOpened} />
            ))}
          </section>
        );
      })}
    </>
  );
};
