import type { SessionId, SessionInfo, TrashedSession } from "@espalier/protocol";

/** Where deleted sessions lie until somebody wants them back. Nothing in it is ever removed by itself. */
export interface SessionTrash {
  /**
   * Takes a session away whole; gives the ticket to bring it back with. Never replaces anything. Throws ProblemError
   * `not_found`, or `read_only`, `disk_full`, `io`: the session is then where it was.
   */
  discard(session: SessionInfo): Promise<string>;
  /** Puts it back where it was. Throws `not_found` for an unknown ticket, `conflict` when its place is taken by now. */
  restore(ticket: string): Promise<SessionId>;
  /** What lies there, the last deleted first. */
  discarded(): Promise<TrashedSession[]>;
}
