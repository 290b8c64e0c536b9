import { renameSync, rmSync } from "node:fs";
import type { Fs } from "./fs.ts";
import { IndexDatabase, IndexProblem } from "./index-database.ts";

/** Removes an index that cannot be used; the last such one is kept beside it for whoever wants to know why. */
const moveAside = (path: string): void => {
  for (const end of ["-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
  renameSync(path, `${path}.unusable`);
};

/**
 * The index's database while there is one: opened on first use, made anew when it is damaged, gone or of another version, and
 * tried again later when it is locked or the disk refuses.
 */
export class IndexConnection {
  readonly #path: string;
  readonly #fs: Fs;
  readonly #retryMs: number;
  #db: IndexDatabase | null = null;
  #inode = -1;
  #triedAt = Number.NEGATIVE_INFINITY;
  #problem: string | null = null;

  constructor(path: string, fs: Fs, retryMs: number) {
    this.#path = path;
    this.#fs = fs;
    this.#retryMs = retryMs;
  }

  /** Why there is no database, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  /** The database, and whether it was opened just now. Null when it cannot be had at the moment. */
  get(): { db: IndexDatabase; opened: boolean } | null {
    const gone = this.#db !== null && this.#fs.stat(this.#path)?.inode !== this.#inode;
    if (gone) this.drop(null);
    if (this.#db !== null) return { db: this.#db, opened: false };
    if (performance.now() - this.#triedAt < this.#retryMs) return null;
    try {
      this.#db = this.#open();
      this.#inode = this.#fs.stat(this.#path)?.inode ?? -1;
      this.#problem = null;
      return { db: this.#db, opened: true };
    } catch (error) {
      this.#triedAt = performance.now();
      this.#problem = error instanceof Error ? error.message : String(error);
      return null;
    }
  }

  /** Lets go of a database that failed (`problem`), or that lies no longer where it was (null). */
  drop(problem: IndexProblem | null): void {
    this.#db?.close();
    this.#db = null;
    this.#problem = problem?.message ?? null;
    if (problem?.cure === "later") this.#triedAt = performance.now();
    if (problem?.cure !== "broken") return;
    try {
      moveAside(this.#path);
    } catch {
      this.#triedAt = performance.now();
    }
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
    this.#triedAt = Number.POSITIVE_INFINITY;
  }

  #open(): IndexDatabase {
    try {
      return IndexDatabase.open(this.#path);
    } catch (error) {
      if (!(error instanceof IndexProblem) || error.cure !== "broken") throw error;
      moveAside(this.#path);
      return IndexDatabase.open(this.#path);
    }
  }
}
