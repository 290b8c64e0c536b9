import { leaves, SessionParser, SessionTree } from "@espalier/core";
import type { SessionInfo } from "@espalier/protocol";
import { shownOf } from "./file-glance.ts";
import type { Fs, OpenFile } from "./fs.ts";
import type { IndexDatabase, IndexedFile } from "./index-database.ts";
import { readChunks } from "./read-spans.ts";
import { MARK_BYTES, markOf, type ReadingState, SessionReading, UNREAD } from "./session-reading.ts";

/** Bytes that are read, cut into words and written in one go: a few milliseconds' work. */
const SLICE = 128 * 1024;
/** A reading that nobody wants any more. */
export class GivenUp extends Error {}

/** Ids of a file that are fetched in one go. */
const IDS = 5000;

type Ids = Map<string, string | null>;

/** What reading needs of the index around it. */
export interface IndexWork {
  readonly db: IndexDatabase;
  readonly fs: Fs;
  /** Lets other work have its turn. */
  readonly rest: () => Promise<void>;
  /** Asked before each write; false when the file was dropped meanwhile or the index closed: the reading is given up. */
  readonly wanted: (file: IndexedFile) => boolean;
  /** Ids of files read lately, by key. */
  readonly hot: Map<number, Ids>;
}

const HOT_FILES = 4;

const idsOf = async ({ db, hot, rest }: IndexWork, file: IndexedFile): Promise<Ids> => {
  const known = hot.get(file.key);
  if (known !== undefined && known.size === file.reading.entries) return known;
  const ids: Ids = new Map();
  while (ids.size < file.reading.entries) {
    const page = db.ids(file.key, ids.size, IDS);
    for (const { id, near } of page) ids.set(id, near);
    if (page.length === 0) break;
    await rest();
  }
  return ids;
};

const keepHot = (hot: Map<number, Ids>, key: number, ids: Ids): void => {
  hot.delete(key);
  hot.set(key, ids);
  for (const old of hot.keys()) {
    if (hot.size <= HOT_FILES) break;
    hot.delete(old);
  }
};

const markBefore = async (file: OpenFile, offset: number): Promise<string> => {
  const length = Math.min(MARK_BYTES, offset);
  return markOf(await file.read(offset - length, length));
};

/** Whether what was read of a file still stands in it, so that only its tail has to be read. */
const goesOn = async (open: OpenFile, { stat, mark, reading }: IndexedFile, ids: Ids): Promise<boolean> => {
  const now = open.stat();
  if (reading.offset === 0 || now.inode !== stat.inode || now.size < reading.offset) return false;
  if (!reading.sound || reading.odd || ids.size !== reading.entries) return false;
  if ((await markBefore(open, reading.offset)) !== mark) return false;
  if (reading.finished || now.size === reading.offset) return true;
  // The last line was whole but for its end: anything else than the end makes it another line.
  const [next] = await open.read(reading.offset, 1);
  return next === 0x0a || next === 0x0d;
};

/** The counts of a file whose lines do not stand in order, by reading it whole. */
const exactTotals = async (open: OpenFile): Promise<{ branches: number; damaged: number } | null> => {
  const parser = new SessionParser();
  for await (const chunk of readChunks(open, 0)) parser.push(chunk);
  const parsed = parser.finish();
  if (parsed === null) return null;
  return { branches: leaves(new SessionTree(parsed.rows)).length, damaged: parsed.damage.length };
};

const totalsOf = async (
  open: OpenFile,
  state: ReadingState,
  torn: boolean,
): Promise<NonNullable<SessionInfo["totals"]>> => {
  const { entries, tips, tokens, cost, model, damaged, finished } = state;
  const exact = state.odd || !state.sound ? await exactTotals(open) : null;
  return {
    entries,
    branches: exact?.branches ?? tips.length,
    tokens,
    cost,
    damaged: exact?.damaged ?? damaged + (torn || !finished ? 1 : 0),
    ...(model === null ? {} : { model }),
  };
};

/**
 * Reads a file on from where the index knows it, to its end, in slices: each writes its entries and how far they reach in one
 * transaction. A file that was written anew gets a new key and is read from its beginning. Null: it is no session (any more).
 * `tell` is given every state that was written.
 */
export const readIntoIndex = async (
  work: IndexWork,
  known: IndexedFile,
  tell: (file: IndexedFile) => void,
): Promise<IndexedFile | null> => {
  const open = await work.fs.open(known.path, "read");
  try {
    const ids = await idsOf(work, known);
    const begins = known.reading.offset === 0 && known.reading.entries === 0;
    if (begins || (await goesOn(open, known, ids))) return await readSlices(work, open, known, ids, tell);
    return await readSlices(work, open, null, new Map(), tell, known);
  } finally {
    await open.close();
  }
};

const readSlices = async (
  { db, rest, hot, wanted }: IndexWork,
  open: OpenFile,
  goOn: IndexedFile | null,
  ids: Ids,
  tell: (file: IndexedFile) => void,
  anew?: IndexedFile,
): Promise<IndexedFile | null> => {
  const stat = open.stat();
  let file = (goOn ?? anew) as IndexedFile;
  let fresh = goOn === null;
  const before = fresh ? UNREAD : file.reading;
  const reading = new SessionReading(before, ids);
  let written = before.entries;
  const write = async (end: { torn: boolean } | null): Promise<void> => {
    const state = reading.state;
    const mark = await markBefore(open, state.offset);
    const totals = end === null ? null : await totalsOf(open, state, end.torn);
    const { header } = state;
    if (!wanted(file)) throw new GivenUp();
    const shown =
      totals === null || header === null ? file.shown : { ...shownOf({ ...state.summary, header }), totals };
    db.together(() => {
      const key = fresh ? db.nextKey() : file.key;
      if (fresh) db.drop(file.key);
      const entries = reading.take();
      db.add(key, written, entries);
      written += entries.length;
      file = { ...file, key, stat, mark, done: end !== null, shown, reading: state };
      db.put(file);
    });
    db.merge();
    fresh = false;
    keepHot(hot, file.key, ids);
    tell(file);
  };
  for (let at = before.offset; ; ) {
    const chunk = await open.read(at, Math.min(SLICE, stat.size - at));
    reading.push(chunk);
    at += chunk.length;
    if (chunk.length === 0 || at >= stat.size) break;
    if (reading.waiting > 0) await write(null);
    await rest();
  }
  const end = reading.finish();
  if (reading.state.header === null) return null;
  await write(end);
  return file;
};
