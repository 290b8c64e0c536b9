import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { SessionHeader, SessionId, SessionInfo } from "@espalier/protocol";
import type Libsql from "libsql";
import type { FileStat } from "./fs.ts";
import { wordsFor } from "./index-words.ts";
import type { IndexedEntry, ReadingState } from "./session-reading.ts";

/** "Espl" */
const APPLICATION = 0x4573706c;
const VERSION = 1;
/** The calls are synchronous: nobody is kept waiting longer than this for another program's lock, ms. */
const BUSY_MS = 20;
/** Entries of a file are numbered from its key times this on, so that they lie together. */
const ENTRIES_PER_FILE = 2 ** 24;

/** What the list says of a file. `totals` are known once it was read to its end. */
export interface ShownFile {
  readonly header: Pick<SessionHeader, "id" | "timestamp" | "cwd" | "parentSession">;
  readonly name?: string;
  readonly firstMessage: string;
  readonly modified: number;
  readonly messageCount: number;
  readonly totals?: NonNullable<SessionInfo["totals"]>;
  readonly problem?: string;
}

/** One file as the index knows it. `stat` is the state it had when it was last read as far as `done` says. */
export interface IndexedFile {
  readonly key: number;
  readonly path: string;
  readonly root: SessionInfo["root"];
  /** The id it goes by. */
  readonly route: SessionId;
  readonly stat: FileStat;
  /** Hash of the bytes before the offset. */
  readonly mark: string;
  /** Read to its end as of `stat`. */
  readonly done: boolean;
  readonly shown: ShownFile;
  readonly reading: ReadingState;
}

/** An entry that matched: its file's key, its number in the file and where its line lies. */
export interface FoundEntry {
  readonly key: number;
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly role: string | null;
  readonly time: number;
  readonly start: number;
  readonly size: number;
  /** For an aside, the entry it is a note to. */
  readonly near: string | null;
}

/** Why the index cannot be used: `broken` is cured by a new one, `later` perhaps by time. */
export class IndexProblem extends Error {
  readonly cure: "broken" | "later";
  constructor(cure: IndexProblem["cure"], message: string, cause?: unknown) {
    super(message, { cause });
    this.cure = cure;
  }
}

const SCHEMA = `
CREATE TABLE file(
  key INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, root TEXT NOT NULL, route TEXT NOT NULL UNIQUE,
  inode INTEGER NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, offset INTEGER NOT NULL, mark TEXT NOT NULL,
  done INTEGER NOT NULL, header_id TEXT NOT NULL, cwd TEXT NOT NULL, created TEXT NOT NULL, parent TEXT,
  name TEXT, first_message TEXT NOT NULL, modified INTEGER NOT NULL, messages INTEGER NOT NULL,
  entries INTEGER, branches INTEGER, tokens INTEGER, cost REAL, model TEXT, damaged INTEGER, problem TEXT,
  reading TEXT NOT NULL, checksum TEXT NOT NULL);
CREATE TABLE entry(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, near TEXT, type TEXT NOT NULL, role TEXT, time INTEGER NOT NULL,
  start INTEGER NOT NULL, size INTEGER NOT NULL);
CREATE TABLE garbage(key INTEGER PRIMARY KEY);
CREATE TABLE counter(next INTEGER NOT NULL);
INSERT INTO counter VALUES(1);
CREATE VIRTUAL TABLE words USING fts5(
  said, tool, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
INSERT INTO words(words, rank) VALUES('automerge', 0);
INSERT INTO words(words, rank) VALUES('crisismerge', 1000);
PRAGMA application_id = ${APPLICATION};
PRAGMA user_version = ${VERSION};`;

/** Pages of the log after which it is written back: often, so that no single time is long. */
const CHECKPOINT_PAGES = 250;
/** Pages of the full text that are put together in one go. Left to itself it does much at once, now and then. */
const MERGE_PAGES = 16;

type Value = string | number | null;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const problemOfSql = (error: unknown): IndexProblem => {
  if (error instanceof IndexProblem) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const broken =
    /^SQLITE_(CORRUPT|NOTADB|SCHEMA|CONSTRAINT|MISMATCH|FORMAT)/.test(code) ||
    /malformed|not a database|no such (table|column)/i.test(message);
  return new IndexProblem(broken ? "broken" : "later", message, error);
};

/** Turns whatever SQLite throws into an IndexProblem. */
const guarded = <Result>(work: () => Result): Result => {
  try {
    return work();
  } catch (error) {
    throw problemOfSql(error);
  }
};

const rowOfFile = (file: IndexedFile): Value[] => {
  const { stat, shown, reading } = file;
  const { header, totals } = shown;
  const values: Value[] = [
    file.key,
    file.path,
    file.root,
    file.route,
    stat.inode,
    stat.size,
    stat.mtime,
    reading.offset,
    file.mark,
    file.done ? 1 : 0,
    header.id,
    header.cwd,
    header.timestamp,
    header.parentSession ?? null,
    shown.name ?? null,
    shown.firstMessage,
    shown.modified,
    shown.messageCount,
    totals?.entries ?? null,
    totals?.branches ?? null,
    totals?.tokens ?? null,
    totals?.cost ?? null,
    totals?.model ?? null,
    totals?.damaged ?? null,
    shown.problem ?? null,
    JSON.stringify(reading),
  ];
  return [...values, checksumOf(values)];
};

const checksumOf = (values: readonly unknown[]): string =>
  createHash("sha1").update(JSON.stringify(values)).digest("base64url").slice(0, 16);

type Raw = readonly (string | number | null)[];

const totalsOf = (row: Raw): ShownFile["totals"] | undefined => {
  const [entries, branches, tokens, cost, model, damaged] = row.slice(18, 24);
  if (entries === null || entries === undefined) return undefined;
  return {
    entries: Number(entries),
    branches: Number(branches),
    tokens: Number(tokens),
    cost: Number(cost),
    damaged: Number(damaged),
    ...(model === null || model === undefined ? {} : { model: String(model) }),
  };
};

/** Null for a row that is not what was written: its file is read anew. */
const fileOfRow = (row: Raw): IndexedFile | null => {
  if (checksumOf(row.slice(0, -1)) !== row.at(-1)) return null;
  const totals = totalsOf(row);
  const text = (at: number): string => String(row[at]);
  return {
    key: Number(row[0]),
    path: text(1),
    root: text(2) as IndexedFile["root"],
    route: text(3) as SessionId,
    stat: { inode: Number(row[4]), size: Number(row[5]), mtime: Number(row[6]) },
    mark: text(8),
    done: row[9] === 1,
    shown: {
      header: {
        id: text(10),
        cwd: text(11),
        timestamp: text(12),
        ...(row[13] === null ? {} : { parentSession: text(13) }),
      },
      ...(row[14] === null ? {} : { name: text(14) }),
      firstMessage: text(15),
      modified: Number(row[16]),
      messageCount: Number(row[17]),
      ...(totals === undefined ? {} : { totals }),
      ...(row[24] === null ? {} : { problem: text(24) }),
    },
    reading: JSON.parse(text(25)) as ReadingState,
  };
};

const QUESTIONS = `(${Array.from({ length: 27 }, () => "?").join(",")})`;
/** Of the matches the newest written are ranked; a word that stands everywhere must not cost a look at every place. */
const RANKED = 1500;
const FIND = `
SELECT f.number, entry.id, entry.type, entry.role, entry.time, entry.start, entry.size, entry.near FROM (
  SELECT rowid AS number, bm25(words, 1.0, 0.5) AS rank FROM words
  WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ${RANKED}
) AS f JOIN entry ON entry.number = f.number ORDER BY round(f.rank, 1), entry.time DESC LIMIT ?`;

/** `<data-dir>/index.db`. Synchronous; every method throws IndexProblem and nothing else. */
export class IndexDatabase {
  readonly path: string;
  readonly #sql: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  #next: number;

  private constructor(path: string, sql: Libsql.Database) {
    this.path = path;
    this.#sql = sql;
    this.#next = Number(this.#all("SELECT next FROM counter")[0]?.[0]);
    if (!Number.isSafeInteger(this.#next)) throw new IndexProblem("broken", "its counter is no number");
  }

  /** Opens the index or makes a new one. `broken` for a file that is damaged, none of ours, or of a later version. */
  static open(path: string): IndexDatabase {
    return guarded(() => {
      // Loaded here: what needs no index does not wait for it.
      const Database = createRequire(import.meta.url)("libsql") as typeof Libsql;
      const sql = new Database(path);
      try {
        sql.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
        const application = pragma(sql, "application_id");
        const version = pragma(sql, "user_version");
        const empty = pragma(sql, "page_count") === 0;
        if (!empty && (application !== APPLICATION || version !== VERSION))
          throw new IndexProblem("broken", `it is of version ${version}, not ${VERSION}`);
        sql.exec(
          "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304",
        );
        if (empty) sql.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT;`);
        sql.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
        return new IndexDatabase(path, sql);
      } catch (error) {
        sql.close();
        throw error;
      }
    });
  }

  close(): void {
    try {
      this.#sql.close();
    } catch {
      // A database that is broken may fail at closing too.
    }
  }

  /** Every file that was written whole. */
  files(): IndexedFile[] {
    return this.#all("SELECT * FROM file").flatMap((row) => fileOfRow(row) ?? []);
  }

  /** A key that no file had before. Part of the transaction that first uses it. */
  nextKey(): number {
    const key = this.#next;
    this.#next += 1;
    this.#run("UPDATE counter SET next = ?", this.#next);
    return key;
  }

  /** Does `work` whole or not at all. */
  together(work: () => void): void {
    const next = this.#next;
    this.#run("BEGIN IMMEDIATE");
    try {
      work();
      this.#run("COMMIT");
    } catch (error) {
      this.#next = next;
      try {
        this.#sql.exec("ROLLBACK");
      } catch {
        // Undone already by SQLite itself.
      }
      throw error;
    }
  }

  /** Puts some of the full text's pieces together: of many small ones searches would be slow. False when there is no need. */
  merge(): boolean {
    const changes = (): number => Number(this.#all("SELECT total_changes()")[0]?.[0]);
    const before = changes();
    this.#run("INSERT INTO words(words, rank) VALUES('merge', ?)", MERGE_PAGES);
    // The order itself counts as one change.
    return changes() - before > 1;
  }

  put(file: IndexedFile): void {
    this.#run(`INSERT OR REPLACE INTO file VALUES ${QUESTIONS}`, ...rowOfFile(file));
  }

  /** Adds entries; the first has number `from` in its file. */
  add(key: number, from: number, entries: readonly IndexedEntry[]): void {
    for (const [at, entry] of entries.entries()) {
      const number = key * ENTRIES_PER_FILE + from + at;
      const { id, near, type, role, time, start, size } = entry;
      this.#run(
        "INSERT INTO entry VALUES (?,?,?,?,?,?,?,?)",
        number,
        id,
        near,
        type,
        role,
        time,
        start,
        size,
      );
      if (entry.said === "" && entry.tool === "") continue;
      this.#run(
        "INSERT INTO words(rowid, said, tool) VALUES (?,?,?)",
        number,
        wordsFor(entry.said),
        wordsFor(entry.tool),
      );
    }
  }

  /** Forgets a file; its entries are cleared away later. */
  drop(key: number): void {
    this.#run("DELETE FROM file WHERE key = ?", key);
    this.#run("INSERT OR IGNORE INTO garbage VALUES (?)", key);
  }

  /** Ids of a file's entries with what they are notes to, from number `from` on. */
  ids(key: number, from: number, limit: number): { id: string; near: string | null }[] {
    const first = key * ENTRIES_PER_FILE + from;
    return this.#all(
      "SELECT id, near FROM entry WHERE number >= ? AND number < ? ORDER BY number LIMIT ?",
      first,
      (key + 1) * ENTRIES_PER_FILE,
      limit,
    ).map(([id, near]) => ({ id: String(id), near: near === null ? null : String(near) }));
  }

  /** Clears some entries of forgotten files away. False when there is nothing left to clear. */
  sweep(limit: number): boolean {
    const key = this.#all("SELECT key FROM garbage LIMIT 1")[0]?.[0];
    if (key === undefined) return false;
    const first = Number(key) * ENTRIES_PER_FILE;
    const last = first + ENTRIES_PER_FILE - 1;
    this.together(() => {
      const numbers = this.#all(
        "SELECT number FROM entry WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
        first,
        last,
        limit,
      );
      const end = Number(numbers.at(-1)?.[0] ?? last);
      this.#run("DELETE FROM words WHERE rowid BETWEEN ? AND ?", first, end);
      this.#run("DELETE FROM entry WHERE number BETWEEN ? AND ?", first, end);
      if (numbers.length < limit) this.#run("DELETE FROM garbage WHERE key = ?", key as number);
    });
    return true;
  }

  /** Entries that match, the best first: those that match in what was said, then the others. `key` keeps to one file. */
  find(match: string, limit: number, key: number | null): FoundEntry[] {
    const first = key === null ? 0 : key * ENTRIES_PER_FILE;
    const last = key === null ? Number.MAX_SAFE_INTEGER : first + ENTRIES_PER_FILE - 1;
    const rows = (asked: string): Raw[] => {
      try {
        return this.#all(FIND, asked, first, last, limit);
      } catch (error) {
        // A query that is not understood is no fault of the index.
        if (error instanceof IndexProblem && codeOf(error.cause) === "SQLITE_ERROR") return [];
        throw error;
      }
    };
    const said = rows(`said : (${match})`);
    const more = said.length < limit ? rows(match) : [];
    const seen = new Set(said.map(([number]) => number));
    return [...said, ...more.filter(([number]) => !seen.has(number ?? 0))].slice(0, limit).map(foundOf);
  }

  #all(sql: string, ...values: Value[]): Raw[] {
    return guarded(() => this.#statement(sql).all(...values) as unknown as Raw[]);
  }

  #run(sql: string, ...values: Value[]): void {
    guarded(() => this.#statement(sql).run(...values));
  }

  #statement(sql: string): Libsql.Statement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#sql.prepare(sql);
    if (/^\s*SELECT/.test(sql)) made.raw(true);
    this.#statements.set(sql, made);
    return made;
  }
}

const pragma = (sql: Libsql.Database, name: string): number =>
  Number((sql.prepare(`PRAGMA ${name}`).raw(true).all()[0] as Raw | undefined)?.[0] ?? 0);

const foundOf = ([number, id, type, role, time, start, size, near]: Raw): FoundEntry => ({
  key: Math.floor(Number(number) / ENTRIES_PER_FILE),
  index: Number(number) % ENTRIES_PER_FILE,
  id: String(id),
  type: String(type),
  role: role === null || role === undefined ? null : String(role),
  time: Number(time),
  start: Number(start),
  size: Number(size),
  near: typeof near === "string" && near !== "" ? near : null,
});
