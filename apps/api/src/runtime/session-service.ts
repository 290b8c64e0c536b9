import type {
  Command,
  CommandAnswer,
  Comparison,
  EntryBody,
  EntryId,
  ImportBody,
  NewSession,
  NewSessionAnswer,
  PathWindow,
  SearchAnswer,
  SessionId,
  SessionList,
  Snapshot,
  TrashAnswer,
  TrashList,
} from "@espalier/protocol";

/** One block of an entry in full: text, or the bytes of an image. */
export type BlockBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; readonly bytes: Uint8Array };

/**
 * All that routes know of sessions. Two implementations pass `session-service.case`: the runtime and one in memory. Every
 * method throws ProblemError: `not_found` for an unknown session or entry, `not_a_session` for a file that is none.
 */
export interface SessionService {
  list(): Promise<SessionList>;
  /** Makes a session without a file: the file appears with the first user message. */
  create(input: NewSession): Promise<NewSessionAnswer>;
  /** `at`: the entry that is read; its path is windowed around it. Without it the session's leaf. */
  snapshot(id: SessionId, window: { at?: EntryId; limit?: number }): Promise<Snapshot>;
  /** Items `from` to `to` (exclusive) of the path that ends at `leaf`; null is the empty path before the root. */
  items(id: SessionId, window: { leaf: EntryId | null; from: number; to: number }): Promise<PathWindow>;
  /** What the branches through two entries came to since they parted, file texts within bounds. */
  compare(id: SessionId, ends: { a: EntryId; b: EntryId }): Promise<Comparison>;
  entry(id: SessionId, entryId: EntryId): Promise<EntryBody>;
  /** Block `index` of the entry's message content. */
  block(id: SessionId, entryId: EntryId, index: number): Promise<BlockBody>;
  /** Does a command once per `commandId`; a repeat within ten minutes gets the first answer. */
  command(id: SessionId, command: Command): Promise<CommandAnswer>;
  /** The best places in all sessions (or in one) that hold every word of `text`. */
  search(query: { text: string; limit: number; session: SessionId | null }): Promise<SearchAnswer>;
  /** Moves a session to the trash. Throws `busy` while a run of it works. */
  discard(id: SessionId): Promise<TrashAnswer>;
  /** Brings a session back. Throws `conflict` when its place is taken. */
  restore(ticket: string): Promise<NewSessionAnswer>;
  discarded(): Promise<TrashList>;
  /** Copies a session file's text into the data dir. */
  import(input: ImportBody): Promise<NewSessionAnswer>;
}
