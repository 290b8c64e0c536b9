import type { EntryId, SessionHeader, SessionId, SessionInfo, TrashedSession } from "@espalier/protocol";
import { sessionId } from "@espalier/protocol";
import { ProblemError } from "../problem/problem-error.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { rowOf } from "../session/row.ts";
import { serializeEntry, serializeHeader } from "../session/serialize.ts";
import { SessionTree } from "../session/session-tree.ts";
import { addToSummary, NO_SUMMARY } from "../session/summarize-session.ts";
import type { AnyEntry, SessionStore, StoredSession } from "./session-store.ts";
import type { SessionTrash } from "./session-trash.ts";

/** The lines of one session, as a file would hold them. */
class MemoryFile {
  text: string;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Uint8Array {
    return new TextEncoder().encode(this.text);
  }
}

class MemorySession implements StoredSession {
  readonly id: SessionId;
  readonly path: string;
  readonly root = "espalier";
  readonly header: SessionHeader;
  readonly version: number;
  readonly readOnly: string | null;
  readonly tree: SessionTree;
  readonly damage: StoredSession["damage"];
  readonly #file: MemoryFile;
  readonly #bodies = new Map<EntryId, AnyEntry>();

  constructor(id: SessionId, file: MemoryFile) {
    const parsed = parseJsonl(file.bytes);
    if (parsed === null)
      throw new ProblemError("not_a_session", `Session ${id} holds neither a header nor entries.`);
    this.id = id;
    this.path = `memory/${id}`;
    this.header = parsed.header;
    this.version = parsed.version;
    this.readOnly = parsed.readOnly;
    this.tree = new SessionTree(parsed.rows);
    this.damage = parsed.damage;
    this.#file = file;
    for (const row of parsed.rows) {
      const entry = parsed.read(row.id);
      if (entry !== null) this.#bodies.set(row.id, entry);
    }
  }

  async read(ids: readonly EntryId[]): Promise<AnyEntry[]> {
    return ids.map((id) => {
      const entry = this.#bodies.get(id);
      if (entry === undefined)
        throw new ProblemError("not_found", `Entry ${id} is not in session ${this.id}.`);
      return entry;
    });
  }

  async append(entries: readonly AnyEntry[]): Promise<void> {
    if (this.readOnly !== null)
      throw new ProblemError("read_only", `Session ${this.id} is read only: ${this.readOnly}.`);
    refuseTaken(this.tree, entries);
    const lines = entries.map(serializeEntry);
    this.#file.text += lines.join("");
    entries.forEach((entry, at) => {
      const written = JSON.parse(lines[at] ?? "null") as AnyEntry;
      this.#bodies.set(entry.id, written);
      this.tree.append(rowOf(written));
    });
  }

  onForeign(): () => void {
    return () => undefined;
  }

  async refresh(): Promise<void> {}

  async fill(): Promise<readonly []> {
    return [];
  }

  async sync(): Promise<void> {}

  async close(): Promise<void> {}
}

/** Throws `conflict` when an id is in the session already, or twice among the new ones. */
export const refuseTaken = (tree: SessionTree, entries: readonly AnyEntry[]): void => {
  const fresh = new Set<EntryId>();
  for (const { id } of entries) {
    if (tree.has(id) || fresh.has(id))
      throw new ProblemError("conflict", `Entry id ${id} is taken; draw a new one.`);
    fresh.add(id);
  }
};

/** Sessions that live as long as the object: for tests, and where there is no disk. */
export class MemoryStore implements SessionStore, SessionTrash {
  readonly #files = new Map<SessionId, MemoryFile>();
  readonly #trash = new Map<string, { readonly of: TrashedSession; readonly file: MemoryFile }>();

  async list(): Promise<SessionInfo[]> {
    return [...this.#files].map(([id, file]) => infoOf(id, new MemorySession(id, file), file));
  }

  async open(id: SessionId): Promise<StoredSession> {
    const file = this.#files.get(id);
    if (file === undefined) throw new ProblemError("not_found", `There is no session ${id}.`);
    return new MemorySession(id, file);
  }

  create(header: SessionHeader, entries: readonly AnyEntry[]): Promise<StoredSession> {
    return this.createFrom(header, serializeHeader(header) + entries.map(serializeEntry).join(""));
  }

  async createFrom(header: SessionHeader, text: string): Promise<StoredSession> {
    const id = sessionId(header.id);
    if (this.#files.has(id)) throw new ProblemError("conflict", `There is a session ${id} already.`);
    const file = new MemoryFile(text);
    this.#files.set(id, file);
    return new MemorySession(id, file);
  }

  async discard({ id, path, root, name, firstMessage }: SessionInfo): Promise<string> {
    const file = this.#files.get(id);
    if (file === undefined) throw new ProblemError("not_found", `There is no session ${id}.`);
    const ticket = `${this.#trash.size}-${id}`;
    const of = { ticket, id, path, root, name: name ?? firstMessage, time: "" };
    this.#trash.set(ticket, { of, file });
    this.#files.delete(id);
    return ticket;
  }

  async restore(ticket: string): Promise<SessionId> {
    const held = this.#trash.get(ticket);
    if (held === undefined) throw new ProblemError("not_found", `There is no ${ticket} in the trash.`);
    const { id } = held.of;
    if (this.#files.has(id)) throw new ProblemError("conflict", `There is a session ${id} again.`);
    this.#files.set(id, held.file);
    this.#trash.delete(ticket);
    return id;
  }

  async discarded(): Promise<TrashedSession[]> {
    return [...this.#trash.values()].map(({ of }) => of).reverse();
  }

  /** The bytes a file would hold; empty for a session that is not there. */
  bytes(id: SessionId): Uint8Array {
    return this.#files.get(id)?.bytes ?? new Uint8Array();
  }
}

const infoOf = (id: SessionId, { header, path }: MemorySession, file: MemoryFile): SessionInfo => {
  const parsed = parseJsonl(file.bytes);
  const entries = (parsed?.rows ?? []).flatMap((row) => parsed?.read(row.id) ?? []);
  const { messageCount, firstMessage, name, modified } = entries.reduce(addToSummary, NO_SUMMARY);
  return {
    id,
    path,
    root: "espalier",
    cwd: header.cwd,
    ...(name === undefined ? {} : { name }),
    firstMessage,
    created: header.timestamp,
    modified: modified > 0 ? new Date(modified).toISOString() : header.timestamp,
    messageCount,
    ...(header.parentSession === undefined ? {} : { parent: header.parentSession }),
  };
};
