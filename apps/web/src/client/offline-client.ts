import {
  type AnyEntry,
  leafAtOpen,
  ProblemError,
  parseJsonl,
  problemOf,
  rowOf,
  SessionTree,
} from "@espalier/core";
import type {
  Command,
  CommandAnswer,
  EntryBody,
  EntryId,
  NewSessionAnswer,
  PathItem,
  PathWindow,
  SessionId,
  SessionList,
  Snapshot,
  ToolGroup,
} from "@espalier/protocol";
import { ApiClient } from "./api-client.ts";
import type { StreamFrame } from "./event-stream.ts";
import type { IdbSession } from "./idb-session.ts";
import type { IdbStore } from "./idb-store.ts";
import type { KeyRing } from "./key-ring.ts";
import { factsOfFile, LocalSession, localId, unseenEntry } from "./local-session.ts";
import type { SeenStore } from "./seen-store.ts";
import type { Transport } from "./transport.ts";

/** The server's own `io` problems come in an answer; without one there is a cause. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ProblemError && error.code === "io" && error.cause !== undefined;

const resultsOf = (group: ToolGroup): AnyEntry[] => {
  if (group.kind !== "complete" && group.kind !== "orphaned_result") return [];
  const { entryId, message, edit } = group.result;
  const timestamp = new Date(message.timestamp).toISOString();
  // Its parent stands in its row.
  return [{ type: "message", id: entryId, parentId: null, timestamp, message }, ...(edit ? [edit] : [])];
};

/** The entries that path items are made of. */
const bodiesOf = (items: readonly PathItem[]): AnyEntry[] =>
  items.flatMap((item) => [
    item.entry,
    ...(item.edit ? [item.edit] : []),
    ...(item.kind === "step" ? item.groups.flatMap(resultsOf) : []),
  ]);

/** What happened to entries made without the server, once it was back. */
export interface Merged {
  readonly session: SessionId;
  readonly entries: number;
  /** Why they could not be merged; they stay in this browser. */
  readonly problem: string | null;
}

/**
 * The server's API, and while the server is away what this browser holds: sessions that were looked at, and files that were opened
 * meanwhile. Entries made then are kept and merged by id when the server is back (`merge`).
 */
export class OfflineClient extends ApiClient {
  readonly #seen: SeenStore;
  readonly #files: IdbStore;
  readonly #local = new Map<SessionId, Promise<LocalSession | null>>();

  constructor(
    transport: Transport,
    keys: KeyRing,
    signedOut: () => void,
    kept: { readonly seen: SeenStore; readonly files: IdbStore },
  ) {
    super(transport, keys, signedOut);
    this.#seen = kept.seen;
    this.#files = kept.files;
  }

  /** Whether the browser answers for a session at present. */
  isLocal(id: SessionId): boolean {
    return this.#local.has(id);
  }

  override async sessions(): Promise<SessionList> {
    const files = await this.#files.list().catch(() => []);
    const list = await super.sessions().then(
      (answer) => {
        this.#seen.keepList(answer);
        return answer;
      },
      (error: unknown) => {
        if (isUnreachable(error)) return this.#seen.list();
        throw error;
      },
    );
    const known = new Set(list.sessions.map(({ id }) => id));
    return { sessions: [...files.filter(({ id }) => !known.has(id)), ...list.sessions] };
  }

  override async snapshot(id: SessionId, at?: EntryId, limit?: number): Promise<Snapshot> {
    try {
      const snapshot = await super.snapshot(id, at, limit);
      this.#local.delete(id);
      if (snapshot.stored && limit !== 0) this.#seen.keep(snapshot, bodiesOf(snapshot.items));
      return snapshot;
    } catch (error) {
      return this.#instead(error, id, (local) => local.snapshot(at, limit));
    }
  }

  override async items(id: SessionId, leaf: EntryId, from: number, to: number): Promise<PathWindow> {
    try {
      const window = await super.items(id, leaf, from, to);
      this.#seen.keepBodies(id, bodiesOf(window.items));
      return window;
    } catch (error) {
      return this.#instead(error, id, (local) => local.items(leaf, from, to));
    }
  }

  override async command(id: SessionId, command: Command): Promise<CommandAnswer> {
    try {
      return await super.command(id, command);
    } catch (error) {
      return this.#instead(error, id, (local) => local.command(command));
    }
  }

  override async entry(id: SessionId, entry: EntryId): Promise<EntryBody> {
    try {
      return await super.entry(id, entry);
    } catch (error) {
      return this.#instead(error, id, async (local) => ({ entry: await local.entry(entry) }));
    }
  }

  /** Brings a session file in; without the server it is opened in this browser, byte for byte as it is. */
  async openFile(file: File): Promise<NewSessionAnswer> {
    try {
      return await this.importSession(file.name, await file.text());
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    const parsed = parseJsonl(bytes);
    if (parsed === null)
      throw new ProblemError("not_a_session", "This file is no session: it has no session header.");
    const named = localId(parsed.header.id);
    const taken = (await this.sessions()).sessions.some(({ id }) => id === named);
    const id = taken ? localId("") : named;
    await this.#files.createFromBytes({ ...parsed.header, id }, bytes);
    this.#local.delete(id);
    return { id };
  }

  /** The bytes of a session that only this browser has: the file as it was opened, and what was added. */
  fileBytes(id: SessionId): Promise<Uint8Array<ArrayBuffer>> {
    return this.#files.bytes(id);
  }

  /** Takes a session that only this browser has to the server, and forgets it here. */
  async importLocal(id: SessionId): Promise<NewSessionAnswer> {
    const text = new TextDecoder().decode(await this.#files.bytes(id));
    const answer = await this.importSession(`${id}.jsonl`, text);
    await this.#files.remove(id);
    this.#local.delete(id);
    return answer;
  }

  /** Keeps what the stream brings to sessions that are kept. */
  keepFrames(frames: readonly StreamFrame[]): void {
    for (const { frame } of frames) {
      const { session, event } = frame;
      if (session === null) continue;
      if (event.type === "entries") this.#seen.keepAdded(session, event.rows, event.entries, event.leafId);
      if (event.type === "leaf") this.#seen.keepAdded(session, [], [], event.leafId);
    }
  }

  /** With the server back: brings what was made meanwhile to it, by entry id. What cannot be merged stays here. */
  async merge(): Promise<Merged[]> {
    const merged: Merged[] = [];
    for (const id of await this.#seen.waiting().catch(() => [])) {
      const entries = await this.#seen.made(id);
      const done = await this.#mergeInto(id, entries);
      if (done === null) continue;
      merged.push(done);
      if (done.problem === null) await this.#seen.settle(id, entries);
    }
    for (const { id } of await this.#files.list().catch(() => [])) {
      const done = await this.#mergeFile(id);
      if (done === null) continue;
      merged.push(done);
      if (done.problem === null) await this.#files.remove(id);
    }
    this.#local.clear();
    return merged;
  }

  /** Null when the server does not know the session, or is away again. */
  async #mergeInto(id: SessionId, entries: readonly AnyEntry[]): Promise<Merged | null> {
    if (entries.length === 0) return { session: id, entries: 0, problem: null };
    try {
      await super.command(id, { type: "merge", entries: [...entries] });
      return { session: id, entries: entries.length, problem: null };
    } catch (error) {
      if (isUnreachable(error) || problemOf(error).code === "not_found") return null;
      return { session: id, entries: entries.length, problem: problemOf(error).message };
    }
  }

  async #mergeFile(id: SessionId): Promise<Merged | null> {
    try {
      const known = new Set((await super.snapshot(id, undefined, 1)).rows.map((row) => row.id));
      const session = await this.#files.open(id);
      const fresh = session.tree.rows.flatMap((row) => (known.has(row.id) ? [] : [row.id]));
      const entries = await session.read(fresh);
      await session.close();
      return await this.#mergeInto(id, entries);
    } catch {
      return null;
    }
  }

  async #instead<Answer>(
    error: unknown,
    id: SessionId,
    work: (local: LocalSession) => Promise<Answer>,
  ): Promise<Answer> {
    if (!isUnreachable(error) && problemOf(error).code !== "not_found") throw error;
    let opening = this.#local.get(id);
    if (opening === undefined) {
      opening = this.#open(id, isUnreachable(error)).catch(() => null);
      this.#local.set(id, opening);
    }
    const local = await opening;
    if (local === null) {
      this.#local.delete(id);
      throw error;
    }
    return work(local);
  }

  async #open(id: SessionId, away: boolean): Promise<LocalSession | null> {
    const file = await this.#files.open(id).catch(() => null);
    if (file !== null) return new LocalSession(await sourceOfFile(file));
    return away ? this.#openSeen(id) : null;
  }

  async #openSeen(id: SessionId): Promise<LocalSession | null> {
    const kept = await this.#seen.session(id);
    if (kept === null) return null;
    const made = kept.made.filter((entry) => !kept.rows.some((row) => row.id === entry.id));
    const tree = new SessionTree(kept.rows);
    const own = new Map<EntryId, AnyEntry>();
    const take = (entry: AnyEntry): void => {
      own.set(entry.id, entry);
      tree.append(rowOf(entry));
    };
    for (const entry of made) take(entry);
    const { leafId, ...facts } = kept.facts;
    const here = made.length > 0 ? leafAtOpen(tree) : leafId;
    return new LocalSession({
      tree,
      // Nothing runs without the server, as far as this page can know.
      facts: { ...facts, run: null, runs: [], partials: {}, tools: [], approvals: [], queue: [] },
      leafId: here,
      read: async (ids) => {
        const bodies = await this.#seen.bodies(id, ids);
        return ids.flatMap((entryId) => {
          const row = tree.get(entryId);
          if (row === undefined) return [];
          const body = own.get(entryId) ?? bodies.get(entryId) ?? unseenEntry(row);
          return [{ ...body, parentId: row.parentId }];
        });
      },
      append: async (entries) => {
        await this.#seen.add(id, entries);
        for (const entry of entries) take(entry);
      },
    });
  }
}

const sourceOfFile = async (session: IdbSession) => ({
  tree: session.tree,
  facts: await factsOfFile(session),
  leafId: leafAtOpen(session.tree),
  read: (ids: readonly EntryId[]) => session.read(ids),
  append: (entries: readonly AnyEntry[]) => session.append(entries),
});
