import { ProblemError, type SessionSummary } from "@espalier/core";
import type { SessionHeader } from "@espalier/protocol";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** What is kept of a session beside its bytes. */
export interface SessionRecord {
  readonly header: SessionHeader;
  readonly summary: SessionSummary;
  /** Length of all pieces together. */
  readonly bytes: number;
  /** Changes when the session is made anew under the same id. */
  readonly made: string;
}

interface SessionsSchema extends DBSchema {
  sessions: { key: string; value: SessionRecord };
  /** The session's file, cut anywhere, by session id and the offset of the piece's first byte. */
  pieces: { key: [string, number]; value: Uint8Array<ArrayBuffer> };
}

export type SessionsDatabase = IDBPDatabase<SessionsSchema>;

/** Opens the database that holds whole sessions. Rejects where the browser refuses one (private windows). */
export const openSessions = (name: string): Promise<SessionsDatabase> =>
  openDB<SessionsSchema>(name, 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore("sessions");
      fresh.createObjectStore("pieces");
    },
  });

/** Keys of the pieces that hold bytes `from` to `to`; `from` must be where a piece begins. */
export const pieceRange = (id: string, from: number, to: number): IDBKeyRange =>
  IDBKeyRange.bound([id, from], [id, to], false, true);

/** A browser's refusal in words. ProblemErrors pass as they are. */
export const storeProblem = (error: unknown): ProblemError => {
  if (error instanceof ProblemError) return error;
  return error instanceof DOMException && error.name === "QuotaExceededError"
    ? new ProblemError(
        "disk_full",
        "The browser gives this page no more space: delete some of what it keeps.",
        {
          cause: error,
        },
      )
    : new ProblemError("io", `The browser could not keep the session: ${String(error)}`, { cause: error });
};
