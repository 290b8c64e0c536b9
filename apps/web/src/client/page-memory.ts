import type { EntryId, SessionId } from "@espalier/protocol";
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

interface PageData extends DBSchema {
  drafts: { key: string; value: { text: string; at: number } };
  seen: { key: string; value: { entries: number; at: number } };
}

/** What the browser remembers for this page; it may be cleared at any time without losing a session. */
export interface PageMemory {
  /** The unsent text at a leaf (null: before the first message); "" when there is none. */
  readonly draft: (session: SessionId, leaf: EntryId | null) => Promise<string>;
  /** An empty text forgets the draft. */
  readonly saveDraft: (session: SessionId, leaf: EntryId | null, text: string) => Promise<void>;
  /** Messages a session had when it was last looked at; null when it never was. */
  readonly seen: () => Promise<ReadonlyMap<string, number>>;
  readonly saveSeen: (session: SessionId, entries: number) => Promise<void>;
}

const draftKey = (session: SessionId, leaf: EntryId | null): string => `${session}\n${leaf ?? ""}`;
const MONTH_MS = 30 * 24 * 3_600_000;

const open = async (): Promise<IDBPDatabase<PageData>> => {
  const database = await openDB<PageData>("espalier", 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore("drafts");
      fresh.createObjectStore("seen");
    },
  });
  const transaction = database.transaction("drafts", "readwrite");
  for await (const cursor of transaction.store)
    if (Date.now() - cursor.value.at > MONTH_MS) await cursor.delete();
  return database;
};

/** Kept in IndexedDB; where that is refused (private windows), nothing is remembered and nothing fails. */
export const indexedDbMemory = (): PageMemory => {
  let database: Promise<IDBPDatabase<PageData>> | null = null;
  const use = async <Value>(
    fallback: Value,
    work: (database: IDBPDatabase<PageData>) => Promise<Value>,
  ): Promise<Value> => {
    try {
      database ??= open();
      return await work(await database);
    } catch {
      return fallback;
    }
  };
  return {
    draft: (session, leaf) =>
      use("", async (data) => (await data.get("drafts", draftKey(session, leaf)))?.text ?? ""),
    saveDraft: (session, leaf, text) =>
      use(undefined, async (data) => {
        if (text === "") await data.delete("drafts", draftKey(session, leaf));
        else await data.put("drafts", { text, at: Date.now() }, draftKey(session, leaf));
      }),
    seen: () =>
      use(new Map<string, number>(), async (data) => {
        const [keys, values] = [await data.getAllKeys("seen"), await data.getAll("seen")];
        return new Map(keys.map((key, index) => [key, values[index]?.entries ?? 0]));
      }),
    saveSeen: (session, entries) =>
      use(undefined, async (data) => {
        await data.put("seen", { entries, at: Date.now() }, session);
      }),
  };
};
