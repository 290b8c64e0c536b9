import {
  type AnyEntry,
  addToSummary,
  NO_SUMMARY,
  ProblemError,
  parseJsonl,
  type SessionStore,
  serializeEntry,
  serializeHeader,
} from "@espalier/core";
import { type SessionHeader, type SessionId, type SessionInfo, sessionId } from "@espalier/protocol";
import { type GrowthChannel, IdbSession } from "./idb-session.ts";
import {
  openSessions,
  pieceRange,
  type SessionRecord,
  type SessionsDatabase,
  storeProblem,
} from "./idb-sessions.ts";

/** Bytes of one piece of a file that is taken in whole: what is read for the body of one short entry. */
const PIECE = 256 * 1024;

const summaryOf = (bytes: Uint8Array) => {
  const parsed = parseJsonl(bytes);
  const entries = parsed?.rows.flatMap(({ id }) => parsed.read(id) ?? []) ?? [];
  return entries.reduce(addToSummary, NO_SUMMARY);
};

const infoOf = (id: SessionId, { header, summary }: SessionRecord): SessionInfo => {
  const { name, firstMessage, messageCount, modified } = summary;
  return {
    id,
    path: `browser/${id}`,
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

/** Whole sessions in the browser's IndexedDB, shared by its tabs. All methods throw ProblemError. */
export class IdbStore implements SessionStore {
  readonly #database: () => Promise<SessionsDatabase>;
  readonly #channel: GrowthChannel;

  /** The database is opened when it is first needed. */
  constructor(name: string, channel: GrowthChannel) {
    let opened: Promise<SessionsDatabase> | null = null;
    this.#database = () => {
      opened ??= openSessions(name).catch((error: unknown) => {
        opened = null;
        throw storeProblem(error);
      });
      return opened;
    };
    this.#channel = channel;
  }

  async list(): Promise<SessionInfo[]> {
    const look = (await this.#database()).transaction("sessions");
    const [ids, records] = await Promise.all([look.store.getAllKeys(), look.store.getAll()]);
    return ids.flatMap((id, at) => {
      const record = records[at];
      return record === undefined ? [] : [infoOf(sessionId(id), record)];
    });
  }

  async open(id: SessionId): Promise<IdbSession> {
    return IdbSession.open(id, await this.#database(), this.#channel);
  }

  create(header: SessionHeader, entries: readonly AnyEntry[]): Promise<IdbSession> {
    return this.createFrom(header, serializeHeader(header) + entries.map(serializeEntry).join(""));
  }

  async createFrom(header: SessionHeader, text: string): Promise<IdbSession> {
    return this.createFromBytes(header, new TextEncoder().encode(text));
  }

  /** As `createFrom`, of bytes that may be no text everywhere: they are kept as they are. */
  async createFromBytes(header: SessionHeader, bytes: Uint8Array): Promise<IdbSession> {
    const id = sessionId(header.id);
    const database = await this.#database();
    const record = { header, summary: summaryOf(bytes), bytes: bytes.length, made: crypto.randomUUID() };
    const change = database.transaction(["sessions", "pieces"], "readwrite");
    try {
      if ((await change.objectStore("sessions").getKey(id)) !== undefined)
        throw new ProblemError("conflict", `There is a session ${id} in this browser already.`);
      const pieces = change.objectStore("pieces");
      const puts: Promise<unknown>[] = [change.objectStore("sessions").put(record, id)];
      for (let at = 0; at < bytes.length; at += PIECE)
        puts.push(pieces.put(bytes.slice(at, at + PIECE), [id, at]));
      await Promise.all([...puts, change.done]);
    } catch (error) {
      change.done.catch(() => undefined);
      throw storeProblem(error);
    }
    return this.open(id);
  }

  /** The bytes of a session as its file would hold them; throws `not_found`. */
  async bytes(id: SessionId): Promise<Uint8Array<ArrayBuffer>> {
    const look = (await this.#database()).transaction(["sessions", "pieces"]);
    const record = await look.objectStore("sessions").get(id);
    if (record === undefined)
      throw new ProblemError("not_found", `There is no session ${id} in this browser.`);
    const pieces = await look.objectStore("pieces").getAll(pieceRange(id, 0, record.bytes));
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  /** Forgets a session; nothing happens when it is not there. */
  async remove(id: SessionId): Promise<void> {
    const change = (await this.#database()).transaction(["sessions", "pieces"], "readwrite");
    void change.objectStore("sessions").delete(id);
    void change.objectStore("pieces").delete(pieceRange(id, 0, Number.MAX_SAFE_INTEGER));
    await change.done.catch((error: unknown) => {
      throw storeProblem(error);
    });
  }
}

/** The other tabs of this browser. */
export const growthChannel = (name: string): GrowthChannel => {
  const channel = new BroadcastChannel(name);
  return {
    post: (id) => channel.postMessage(id),
    listen: (listener) => {
      const hear = (event: MessageEvent<SessionId>): void => listener(event.data);
      channel.addEventListener("message", hear);
      return () => channel.removeEventListener("message", hear);
    },
  };
};
