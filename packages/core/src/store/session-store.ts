import type { Damage, EntryId, Row, SessionHeader, SessionId, SessionInfo } from "@espalier/protocol";
import type { AnyEntry } from "../session/known-entry.ts";
import type { SessionTree } from "../session/session-tree.ts";

export type { AnyEntry } from "../session/known-entry.ts";

/** A session that is open: rows in memory, bodies on demand. */
export interface StoredSession {
  readonly id: SessionId;
  /** Absolute path of the file, or a name where there are no files. */
  readonly path: string;
  readonly root: SessionInfo["root"];
  readonly header: SessionHeader;
  /** 1 and 2 are read only: their first write goes to a version 3 copy. */
  readonly version: number;
  /** Why nothing can be appended (an old version, a damaged header), or null. */
  readonly readOnly: string | null;
  readonly tree: SessionTree;
  readonly damage: readonly Damage[];
  /** Bodies in the order asked for; `once` says that nobody will soon ask for them again. Throws ProblemError `not_found` for an id that is not in the session. */
  read(ids: readonly EntryId[], once?: "once"): Promise<AnyEntry[]>;
  /**
   * A store may open a long session with rows that hold only what the tree needs (no first words, no tokens, no marks of a
   * message). Completes some of those, in `tree` too, and returns them; empty when all are whole. Throws `session_changed` when a
   * line is not what it seemed: opening the session again reads every line.
   */
  fill(): Promise<readonly Row[]>;
  /**
   * Appends entries, each as one line, in one write; resolves when the bytes are handed to the system. On failure nothing
   * is acknowledged, `tree` holds none of them and it throws ProblemError (`disk_full`, `io`, `read_only`, `session_changed`
   * when the file was replaced or cut, `conflict` when an id is taken by now). Entries that another program wrote meanwhile
   * are taken in first and told to `onForeign`. Nothing is ever cut off or rewritten.
   */
  append(entries: readonly AnyEntry[]): Promise<void>;
  /**
   * Tells of entries that another program appended, after `tree` has them; returns the undo. The listener must not throw.
   * Such entries are noticed at `append` and at `refresh`.
   */
  onForeign(listener: (entries: readonly AnyEntry[]) => void): () => void;
  /** Takes in what another program appended since; throws `session_changed` when the file was replaced or cut. */
  refresh(): Promise<void>;
  /**
   * Calls `onChange` when somebody may have changed what the session is kept in, once a burst of changes is over; it must not throw.
   * Returns the undo. Absent where nobody else can write.
   */
  watch?(onChange: () => void): () => void;
  /** Makes everything appended so far survive a crash of the machine. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Where sessions live. Every implementation passes `session-store.case`. */
export interface SessionStore {
  list(): Promise<SessionInfo[]>;
  /** Throws ProblemError `not_found` or `not_a_session`. Opening never writes. */
  open(id: SessionId): Promise<StoredSession>;
  /** Publishes a complete new session at once; throws ProblemError `conflict` if its place is taken. */
  create(header: SessionHeader, entries: readonly AnyEntry[]): Promise<StoredSession>;
  /** As `create`, of a whole file that begins with `header`, as it is: what is damaged in it stays so. */
  createFrom(header: SessionHeader, text: string): Promise<StoredSession>;
}
