import { problemOf } from "@espalier/core";
import type { SearchAnswer, SessionId, SessionInfo } from "@espalier/protocol";
import { diskProblem } from "./disk-problem.ts";
import { glance, infoOfShown, unreadableInfo } from "./file-glance.ts";
import type { FileStat, Fs } from "./fs.ts";
import { IndexConnection } from "./index-connection.ts";
import { type IndexDatabase, type IndexedFile, IndexProblem } from "./index-database.ts";
import { readHits } from "./index-hits.ts";
import { GivenUp, readIntoIndex } from "./read-into-index.ts";
import { readQuery } from "./search-query.ts";
import { type FoundFile, type JsonlFolders, sessionFiles } from "./session-files.ts";
import type { SessionPlaces } from "./session-places.ts";
import { UNREAD } from "./session-reading.ts";

export interface SessionIndexParts {
  /** Of the database. */
  readonly path: string;
  readonly folders: JsonlFolders;
  readonly fs: Fs;
  readonly places: SessionPlaces;
  /** The list by reading the files, for when there is no index. */
  readonly byReading: () => Promise<SessionInfo[]>;
  /** Resolves when nobody waits for anything else: reading files into the index steps aside until then. */
  readonly quiet?: () => Promise<void>;
  /** Called when something in the list has changed by itself. */
  readonly changed: () => void;
  /** How long after a failure the database is tried again, ms. */
  readonly retryMs?: number;
}

/** New files that are looked into at one time. */
const AT_ONCE = 8;
/** Up to this many files every list looks at each of them; with more it trusts folders and what is open here. */
const FEW = 2000;
/** Tails that a list waits for, bytes in all: the lines of a turn, not those of a day. */
const SHORT_TAILS = 512 * 1024;
const RETRY_MS = 5000;
const SCAN_AGAIN_MS = 2000;
const TELL_MS = 300;
/** While much changes a long list is not fetched again and again, ms. */
const TELL_AGAIN_MS = 2000;
const WORK_MS = 25;
const REST_MS = 4;

const sameStat = (a: FileStat, b: FileStat): boolean =>
  a.size === b.size && a.mtime === b.mtime && a.inode === b.inode;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A file that is no session or cannot be read, as of `stat`. */
interface Other {
  readonly stat: FileStat;
  readonly info: SessionInfo | null;
}

/**
 * What all session files hold, so that lists and searches need not read them. Everything in it comes from the files and can be
 * lost: while there is no database, lists are made by reading and searches say that they are not complete. Files are looked into
 * briefly when they are first seen and read whole in the background, the newest first.
 */
export class SessionIndex {
  readonly #parts: SessionIndexParts;
  readonly #connection: IndexConnection;
  /** By path; what the database holds. */
  readonly #files = new Map<string, IndexedFile>();
  readonly #pathOf = new Map<number, string>();
  readonly #others = new Map<string, Other>();
  readonly #watched = new Set<string>();
  /** Files whose end has not been read, with the state to reach. */
  readonly #behind = new Map<string, FileStat>();
  readonly #hot = new Map<number, Map<string, string | null>>();
  /** Files that could be looked into but not read to their end, as of `stat`, with the reason. */
  readonly #failed = new Map<string, { readonly stat: FileStat; readonly problem: string }>();
  readonly #reading = new Set<string>();
  #folders = new Map<string, number>();
  #list: SessionInfo[] | null = null;
  #scanned = false;
  #scannedAt = 0;
  #lane: Promise<unknown> = Promise.resolve();
  #working: Promise<void> | null = null;
  #telling: NodeJS.Timeout | null = null;
  #scanning: NodeJS.Timeout | null = null;
  #toldAt = Number.NEGATIVE_INFINITY;
  #closed = false;
  #workedSince = 0;

  constructor(parts: SessionIndexParts) {
    this.#parts = parts;
    this.#connection = new IndexConnection(parts.path, parts.fs, parts.retryMs ?? RETRY_MS);
  }

  /** Begins to read in the background. */
  start(): void {
    void this.#inLane(() => this.#look(true)).catch(() => undefined);
  }

  /** All sessions, as they are now. */
  async list(): Promise<SessionInfo[]> {
    const infos = await this.#inLane(async () => {
      await this.#look(false);
      // A database that went away meanwhile may be back already, but nobody has compared it with the files.
      return this.#db() === null || !this.#scanned ? null : this.#infos();
    });
    return infos ?? this.#parts.byReading();
  }

  /** The best places that hold all words. `complete` is false while files are still to be read. */
  async search(text: string, limit: number, session: SessionId | null): Promise<SearchAnswer> {
    return this.#inLane(async () => {
      if (!this.#scanned) await this.#look(true);
      const db = this.#db();
      const query = readQuery(text);
      const path = session === null ? null : this.#parts.places.byId(session)?.path;
      const file = path === null || path === undefined ? null : this.#files.get(path);
      if (db === null || query.match === "" || (session !== null && !file))
        return { hits: [], complete: this.#isComplete() };
      const found = this.#guard(() => db.find(query.match, limit * 2, file?.key ?? null)) ?? [];
      const hits = await readHits(
        this.#parts.fs,
        found,
        (key) => this.#files.get(this.#pathOf.get(key) ?? ""),
        query,
        limit,
      );
      return { hits, complete: this.#isComplete() };
    });
  }

  /** A file that is open here and will change: every list looks at it. */
  watch(path: string): void {
    this.#watched.add(path);
  }

  /** Resolves when everything there is has been read (or cannot be). */
  async settled(): Promise<void> {
    await this.#inLane(() => this.#look(true));
    while (this.#working !== null) await this.#working;
  }

  /** Files still to be read, and why there is no database. */
  get state(): { files: number; behind: number; problem: string | null } {
    return { files: this.#files.size, behind: this.#behind.size, problem: this.#connection.problem };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of [this.#telling, this.#scanning]) if (timer !== null) clearTimeout(timer);
    await this.#working;
    await this.#lane.catch(() => undefined);
    this.#connection.close();
  }

  #isComplete(): boolean {
    return this.#scanned && this.#connection.problem === null && this.#behind.size === 0;
  }

  /** Lists and searches take turns, so that none sees a half-made step. */
  #inLane<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lane.then(work);
    this.#lane = done.catch(() => undefined);
    return done;
  }

  #infos(): SessionInfo[] {
    this.#list ??= [
      ...[...this.#files.values()].map((file) => {
        const problem = this.#failed.get(file.path)?.problem;
        return infoOfShown(
          { id: file.route, path: file.path, root: file.root },
          problem === undefined ? file.shown : { ...file.shown, problem },
        );
      }),
      ...[...this.#others.values()].flatMap(({ info }) => info ?? []),
    ];
    return this.#list;
  }

  /** The database with all that it knows read into memory; null while it cannot be had. */
  #db(): IndexDatabase | null {
    if (this.#closed) return null;
    const had = this.#connection.get();
    if (had?.opened === true) {
      this.#forget();
      const files = this.#guard(() => had.db.files());
      if (files === null) return null;
      const { places } = this.#parts;
      for (const file of files) {
        const known = places.byPath(file.path)?.id ?? file.route;
        places.remember({ id: known, path: file.path, root: file.root });
        this.#keep(file);
      }
    }
    if (had === null) this.#forget();
    return had?.db ?? null;
  }

  #forget(): void {
    this.#files.clear();
    this.#pathOf.clear();
    this.#behind.clear();
    this.#hot.clear();
    this.#folders.clear();
    this.#list = null;
    this.#scanned = false;
  }

  /** What fails in the database makes it go away, and nothing else. */
  #guard<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof IndexProblem)) throw error;
      this.#connection.drop(error);
      this.#forget();
      return null;
    }
  }

  #keep(file: IndexedFile): void {
    const before = this.#files.get(file.path);
    if (before !== undefined) this.#pathOf.delete(before.key);
    this.#files.set(file.path, file);
    this.#pathOf.set(file.key, file.path);
    if (before?.shown !== file.shown) this.#list = null;
  }

  /** Looks what has changed in the folders; `whole` looks at every file. New files are looked into before it returns. */
  async #look(whole: boolean): Promise<void> {
    if (this.#db() === null) return this.#scanLater();
    const { fs } = this.#parts;
    const moved = [...this.#folders].some(([folder, mtime]) => (fs.stat(folder)?.mtime ?? -1) !== mtime);
    if (whole || !this.#scanned || moved || this.#files.size <= FEW) await this.#scan();
    else {
      for (const path of this.#watched) await this.#lookAt(path);
      this.#scanLater();
    }
    await this.#readShortTails();
    this.#work();
  }

  async #scan(): Promise<void> {
    const { fs, folders } = this.#parts;
    const tops = [folders.sessions, folders.piSessions];
    const stamps = new Map(tops.map((folder) => [folder, fs.stat(folder)?.mtime ?? -1]));
    const found = await sessionFiles(fs, folders, (folder) =>
      stamps.set(folder, fs.stat(folder)?.mtime ?? -1),
    );
    const there = new Set<string>();
    const fresh: { file: FoundFile; stat: FileStat }[] = [];
    for (const [at, file] of found.entries()) {
      if (at % 500 === 499) await turn();
      const stat = fs.stat(file.path);
      if (stat === null) continue;
      there.add(file.path);
      if (!this.#compare(file.path, stat)) fresh.push({ file, stat });
    }
    await this.#takeIn(fresh);
    for (const path of [...this.#files.keys(), ...this.#others.keys()])
      if (!there.has(path)) this.#remove(path);
    this.#folders = stamps;
    this.#scanned = true;
    this.#scannedAt = performance.now();
  }

  /** Takes note of a file's present state. False when it is unknown, or another than before, and must be looked into. */
  #compare(path: string, stat: FileStat): boolean {
    const other = this.#others.get(path);
    if (other !== undefined) return sameStat(other.stat, stat);
    const file = this.#files.get(path);
    if (file === undefined) return false;
    if (file.done && sameStat(file.stat, stat)) {
      this.#behind.delete(path);
      return true;
    }
    const failed = this.#failed.get(path);
    // Read again when it has changed, not at every look.
    if (failed !== undefined && sameStat(failed.stat, stat)) return true;
    const before = this.#behind.get(path);
    const grown = file.done && file.stat.inode === stat.inode && stat.size >= file.stat.size;
    this.#behind.set(path, stat);
    return grown || (before !== undefined && sameStat(before, stat));
  }

  async #lookAt(path: string): Promise<void> {
    const stat = this.#parts.fs.stat(path);
    const file = this.#files.get(path);
    if (stat === null || file === undefined || this.#compare(path, stat)) return;
    await this.#takeIn([{ file: { path, root: file.root }, stat }]);
  }

  async #takeIn(fresh: readonly { file: FoundFile; stat: FileStat }[]): Promise<void> {
    const queue = fresh.entries();
    const looks: Awaited<ReturnType<typeof glance>>[] = [];
    const work = async (): Promise<void> => {
      for (const [at, { file }] of queue) looks[at] = await glance(this.#parts.fs, file);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (let from = 0; from < fresh.length; from += 100) {
      const db = this.#db();
      if (db === null) return;
      this.#guard(() =>
        db.together(() => {
          for (const [at, one] of fresh.slice(from, from + 100).entries())
            this.#takeOne(db, one, looks[from + at] ?? null);
        }),
      );
      await turn();
    }
    if (fresh.length > 0) this.#tell();
  }

  #takeOne(
    db: IndexDatabase,
    { file, stat }: { file: FoundFile; stat: FileStat },
    look: Awaited<ReturnType<typeof glance>>,
  ): void {
    const known = this.#files.get(file.path);
    if (look === null || "failed" in look) {
      if (known !== undefined) db.drop(known.key);
      this.#forgetFile(file.path);
      const info = look === null ? null : unreadableInfo(file, look.failed);
      this.#others.set(file.path, { stat, info });
      this.#list = null;
      return;
    }
    const { id } = this.#parts.places.place(file.path, file.root, look.header.id);
    const kept: IndexedFile = {
      key: known?.key ?? db.nextKey(),
      path: file.path,
      root: file.root,
      route: id,
      stat: known?.stat ?? stat,
      mark: known?.mark ?? "",
      done: false,
      shown: look,
      reading: known?.reading ?? UNREAD,
    };
    db.put(kept);
    this.#others.delete(file.path);
    this.#keep(kept);
    this.#behind.set(file.path, stat);
  }

  #remove(path: string): void {
    const file = this.#files.get(path);
    const db = this.#db();
    if (file !== undefined && db !== null) this.#guard(() => db.together(() => db.drop(file.key)));
    this.#forgetFile(path);
    this.#tell();
  }

  #forgetFile(path: string): void {
    this.#pathOf.delete(this.#files.get(path)?.key ?? -1);
    for (const map of [this.#files, this.#others, this.#behind, this.#failed]) map.delete(path);
    this.#watched.delete(path);
    this.#list = null;
  }

  /** What was written just now is in the list, without waiting for the background. */
  async #readShortTails(): Promise<void> {
    let left = SHORT_TAILS;
    for (const [path, stat] of this.#behind) {
      const file = this.#files.get(path);
      if (file === undefined || !(file.done || this.#watched.has(path))) continue;
      left -= Math.max(0, stat.size - file.reading.offset);
      if (left < 0) return;
      await this.#readOne(path);
    }
  }

  /** Reads one file to its end; what goes wrong with it is told in the list. */
  async #readOne(path: string): Promise<void> {
    const db = this.#db();
    const file = this.#files.get(path);
    const stat = this.#behind.get(path);
    if (db === null || file === undefined || stat === undefined || this.#reading.has(path)) return;
    this.#reading.add(path);
    try {
      const work = {
        db,
        fs: this.#parts.fs,
        hot: this.#hot,
        rest: () => this.#rest(),
        wanted: this.#wants(db),
      };
      const read = await readIntoIndex(work, file, (state) => this.#keep(state));
      this.#failed.delete(path);
      this.#behind.delete(path);
      if (read !== null) return;
      this.#remove(path);
      this.#others.set(path, { stat, info: null });
    } catch (error) {
      if (error instanceof GivenUp) return;
      if (error instanceof IndexProblem)
        return void this.#guard(() => {
          throw error;
        });
      this.#behind.delete(path);
      this.#failed.set(path, { stat, problem: problemOf(diskProblem(error, `Reading ${path}`)).message });
      this.#list = null;
    } finally {
      this.#reading.delete(path);
    }
  }

  #wants(db: IndexDatabase): (file: IndexedFile) => boolean {
    return ({ path, key }) =>
      !this.#closed && this.#connection.get()?.db === db && this.#files.get(path)?.key === key;
  }

  /** Reads what is behind, the newest first, and clears away what is left of forgotten files. */
  #work(): void {
    if (this.#working !== null || this.#closed) return;
    this.#working = this.#readAll()
      .catch(() => undefined)
      .finally(() => {
        this.#working = null;
      });
  }

  async #readAll(): Promise<void> {
    this.#workedSince = performance.now();
    while (!this.#closed && this.#db() !== null) {
      let newest: string | null = null;
      for (const [path, { mtime }] of this.#behind) {
        if (newest === null || mtime > (this.#behind.get(newest)?.mtime ?? 0)) newest = path;
      }
      if (newest === null) break;
      const stat = this.#behind.get(newest);
      await this.#readOne(newest);
      // Given up or being read elsewhere: not again in this round.
      if (this.#behind.get(newest) === stat) this.#behind.delete(newest);
      this.#tell();
      await this.#rest();
    }
    for (let more = true; more && !this.#closed; ) {
      const db = this.#db();
      more = this.#guard(() => db !== null && (db.sweep(500) || db.merge())) ?? false;
      await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    await this.#parts.quiet?.();
    if (performance.now() - this.#workedSince < WORK_MS) return turn();
    await later(REST_MS);
    this.#workedSince = performance.now();
  }

  /** Says once for many changes that the list is another. */
  #tell(): void {
    if (this.#telling !== null || this.#closed) return;
    const wait = Math.max(TELL_MS, this.#toldAt + TELL_AGAIN_MS - performance.now());
    this.#telling = setTimeout(() => {
      this.#telling = null;
      this.#toldAt = performance.now();
      this.#parts.changed();
    }, wait);
    this.#telling.unref();
  }

  #scanLater(): void {
    if (this.#scanning !== null || this.#closed) return;
    const wait = Math.max(0, this.#scannedAt + SCAN_AGAIN_MS - performance.now());
    this.#scanning = setTimeout(() => {
      this.#scanning = null;
      void this.#inLane(() => this.#look(true)).catch(() => undefined);
    }, wait);
    this.#scanning.unref();
  }
}
