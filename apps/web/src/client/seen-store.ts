import type { AnyEntry } from "@espalier/core";
import type { EntryId, Row, SessionId, SessionInfo, SessionList, Snapshot } from "@espalier/protocol";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

/** A snapshot without what is kept apart from it. */
type SeenFacts = Omit<Snapshot, "rows" | "keys" | "items" | "from">;

interface SeenRecord {
  readonly facts: SeenFacts;
  readonly rows: number;
  /** About what all of it takes up. */
  readonly bytes: number;
  /** When it was last looked at, epoch ms. */
  readonly at: number;
}

interface SeenSchema extends DBSchema {
  sessions: { key: string; value: SeenRecord };
  /** Rows in file order, by session and the place of the first one. */
  rows: { key: [string, number]; value: Row[] };
  bodies: { key: [string, string]; value: AnyEntry };
  /** Entries that were made while the server was away, by session. */
  made: { key: string; value: AnyEntry[] };
  lists: { key: string; value: SessionList };
}

type SeenDatabase = IDBPDatabase<SeenSchema>;

/** What is left of a session in this browser. */
export interface SeenSession {
  readonly facts: SeenFacts;
  readonly rows: readonly Row[];
  readonly made: readonly AnyEntry[];
}

const MOST_BYTES = 200 * 1024 * 1024;
/** Rows of one record: writing one must not be felt. */
const ROWS_AT_ONCE = 2_000;
const ROW_BYTES = 200;
const BODIES_AT_ONCE = 20;

/** Resolves when the page has nothing better to do, two seconds later at most. */
const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in globalThis) requestIdleCallback(() => resolve(), { timeout: 2_000 });
    else setTimeout(resolve, 50);
  });

/** All keys that begin with a session's id. */
const below = (id: string): IDBKeyRange => IDBKeyRange.bound([id], [id, []], false, true);

const open = (): Promise<SeenDatabase> =>
  openDB<SeenSchema>("espalier-seen", 1, {
    upgrade: (fresh) => {
      for (const name of ["sessions", "rows", "bodies", "made", "lists"] as const)
        fresh.createObjectStore(name);
    },
  });

/**
 * The sessions that were looked at, as far as they were: all rows, and the bodies that came to the page. Kept in idle time, the longest
 * unused going first; where the browser refuses, nothing is kept and nothing fails. Entries made without the server are never let go.
 */
export class SeenStore {
  #database: Promise<SeenDatabase> | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  keepList(list: SessionList): void {
    this.#later(async (database) => {
      await database.put("lists", list, "all");
    });
  }

  /** The sessions that can be read here, as they were last listed, or as their own rows tell. */
  async list(): Promise<SessionList> {
    const database = await this.#open();
    const [list, records] = await Promise.all([database.get("lists", "all"), database.getAll("sessions")]);
    const kept = new Set(records.map(({ facts }) => facts.id));
    const listed = (list?.sessions ?? []).filter(({ id }) => kept.delete(id));
    const others = records.filter(({ facts }) => kept.has(facts.id));
    const told = others.map(async (record) =>
      infoOf(record, (await database.get("rows", [record.facts.id, 0])) ?? []),
    );
    return { sessions: [...listed, ...(await Promise.all(told))] };
  }

  /** Keeps a session as it is now, in place of what was kept of its rows. */
  keep(snapshot: Snapshot, bodies: readonly AnyEntry[]): void {
    const { rows, keys: _keys, items: _items, from: _from, ...facts } = snapshot;
    this.#later(async (database) => {
      const before = await database.get("sessions", facts.id);
      await database.delete("rows", below(facts.id));
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
        await idle();
        await database.put("rows", rows.slice(at, at + ROWS_AT_ONCE), [facts.id, at]);
      }
      const bytes = (before?.bytes ?? 0) + Math.max(0, rows.length - (before?.rows ?? 0)) * ROW_BYTES;
      await database.put("sessions", { facts, rows: rows.length, bytes, at: Date.now() }, facts.id);
      await this.#bodies(database, facts.id, bodies);
      await makeRoom(database, facts.id);
    });
  }

  /** Keeps bodies that came later. */
  keepBodies(id: SessionId, bodies: readonly AnyEntry[]): void {
    if (bodies.length > 0) this.#later((database) => this.#bodies(database, id, bodies));
  }

  /** Keeps what was added to a session that is kept. */
  keepAdded(id: SessionId, rows: readonly Row[], bodies: readonly AnyEntry[], leafId: EntryId | null): void {
    this.#later(async (database) => {
      const record = await database.get("sessions", id);
      if (record === undefined) return;
      if (rows.length > 0) await database.put("rows", [...rows], [id, record.rows]);
      await database.put(
        "sessions",
        {
          ...record,
          facts: { ...record.facts, leafId, stored: true },
          rows: record.rows + rows.length,
          bytes: record.bytes + rows.length * ROW_BYTES,
        },
        id,
      );
      await this.#bodies(database, id, bodies);
    });
  }

  /** What is kept of a session; null when nothing is. */
  async session(id: SessionId): Promise<SeenSession | null> {
    await this.#queue;
    const database = await this.#open();
    const record = await database.get("sessions", id);
    if (record === undefined) return null;
    const [rows, made] = await Promise.all([database.getAll("rows", below(id)), this.made(id)]);
    const seen = new Set<EntryId>();
    const fresh = (row: Row): boolean => !seen.has(row.id) && seen.add(row.id) !== undefined;
    return { facts: record.facts, rows: rows.flat().filter(fresh), made };
  }

  /** Bodies by id; those that were never seen are missing. */
  async bodies(id: SessionId, entries: readonly EntryId[]): Promise<ReadonlyMap<EntryId, AnyEntry>> {
    const look = (await this.#open()).transaction("bodies");
    const found = await Promise.all(entries.map((entry) => look.store.get([id, entry])));
    return new Map(found.flatMap((body) => (body === undefined ? [] : [[body.id, body] as const])));
  }

  async made(id: SessionId): Promise<AnyEntry[]> {
    return (await (await this.#open()).get("made", id)) ?? [];
  }

  /** Sessions with entries that the server does not know yet. */
  async waiting(): Promise<SessionId[]> {
    return (await (await this.#open()).getAllKeys("made")) as SessionId[];
  }

  /** Keeps entries made without the server. Rejects when the browser refuses: then they do not count as made. */
  async add(id: SessionId, entries: readonly AnyEntry[]): Promise<void> {
    const change = (await this.#open()).transaction("made", "readwrite");
    await change.store.put([...((await change.store.get(id)) ?? []), ...entries], id);
    await change.done;
  }

  /** Forgets entries that the server has now. */
  async settle(id: SessionId, entries: readonly AnyEntry[]): Promise<void> {
    const change = (await this.#open()).transaction("made", "readwrite");
    const settled = new Set(entries.map((entry) => entry.id));
    const left = ((await change.store.get(id)) ?? []).filter((entry) => !settled.has(entry.id));
    if (left.length === 0) await change.store.delete(id);
    else await change.store.put(left, id);
    await change.done;
  }

  async #bodies(database: SeenDatabase, id: SessionId, bodies: readonly AnyEntry[]): Promise<void> {
    let added = 0;
    for (const [at, body] of bodies.entries()) {
      if (at % BODIES_AT_ONCE === 0) await idle();
      if ((await database.getKey("bodies", [id, body.id])) === undefined)
        added += JSON.stringify(body).length;
      await database.put("bodies", body, [id, body.id]);
    }
    const record = await database.get("sessions", id);
    if (record !== undefined) await database.put("sessions", { ...record, bytes: record.bytes + added }, id);
  }

  #open(): Promise<SeenDatabase> {
    this.#database ??= open().catch((error: unknown) => {
      this.#database = null;
      throw error;
    });
    return this.#database;
  }

  #later(work: (database: SeenDatabase) => Promise<void>): void {
    this.#queue = this.#queue
      .then(idle)
      .then(async () => work(await this.#open()))
      .catch(() => undefined);
  }
}

const infoOf = ({ facts, rows, at }: SeenRecord, first: readonly Row[]): SessionInfo => {
  const name = first.findLast((row) => row.type === "session_info")?.name;
  return {
    id: facts.id,
    path: facts.path,
    root: facts.root,
    cwd: facts.header.cwd,
    ...(name === undefined ? {} : { name }),
    firstMessage: first.find((row) => row.role === "user")?.line ?? "",
    created: facts.header.timestamp,
    modified: new Date(at).toISOString(),
    messageCount: rows,
  };
};

/** Lets the longest unused sessions go until the rest fits; never the one that is looked at, nor what the server does not know. */
const makeRoom = async (database: SeenDatabase, shown: SessionId): Promise<void> => {
  const { quota } = (await navigator.storage?.estimate?.()) ?? {};
  const most = Math.min(MOST_BYTES, (quota ?? MOST_BYTES * 4) / 4);
  const records = (await database.getAll("sessions")).toSorted((a, b) => a.at - b.at);
  const made = new Set(await database.getAllKeys("made"));
  let total = records.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { facts, bytes } of records) {
    if (total <= most) return;
    if (facts.id === shown || made.has(facts.id)) continue;
    const change = database.transaction(["sessions", "rows", "bodies"], "readwrite");
    await Promise.all([
      change.objectStore("sessions").delete(facts.id),
      change.objectStore("rows").delete(below(facts.id)),
      change.objectStore("bodies").delete(below(facts.id)),
      change.done,
    ]);
    total -= bytes;
  }
};
