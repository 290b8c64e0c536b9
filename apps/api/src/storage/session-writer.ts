import { ProblemError } from "@espalier/core";
import { diskProblem, systemCode } from "./disk-problem.ts";
import type { FileStat, Fs, OpenFile } from "./fs.ts";
import { type Later, unhurried } from "./later.ts";

/** Written bytes wait at most so long for the disk, ms, when nobody asks for it sooner. */
const GROUP_MS = 200;
/** After a failed sync that nobody waited for, ms. */
const AGAIN_MS = 2000;

interface Written {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * The one descriptor that writes to a session's file, always at its end. What was written is on the disk itself after `sync`, which
 * comes by itself at the latest 200 ms after the first byte that is not. A descriptor whose sync failed is dropped: the system
 * may have forgotten the bytes and would report success next time. The next one is trusted only when the file holds, byte
 * for byte, everything that was written and not known to be safe.
 */
export class SessionWriter {
  readonly #path: string;
  readonly #inode: number;
  readonly #fs: Fs;
  readonly #later: Later;
  #file: OpenFile | null = null;
  #unsynced: Written[] = [];
  #suspect = false;
  /** A failed sync that nobody has heard of. */
  #owed: ProblemError | null = null;
  #cancel: (() => void) | null = null;
  #syncing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(path: string, inode: number, fs: Fs, later: Later = unhurried) {
    this.#path = path;
    this.#inode = inode;
    this.#fs = fs;
    this.#later = later;
  }

  /** Whether everything that was written is on the disk. */
  get settled(): boolean {
    return this.#unsynced.length === 0;
  }

  /** The descriptor if it is open and trusted; `open` gives it otherwise. */
  get ready(): OpenFile | null {
    return this.#file;
  }

  /** Throws ProblemError `session_changed` when another file has taken the place, or the file lost what was written to it. */
  async open(): Promise<OpenFile> {
    if (this.#file !== null) return this.#file;
    const file = await this.#fs.open(this.#path, "append").catch((error: unknown) => {
      throw systemCode(error) === "ENOENT" ? this.#changed("is gone: it was moved or deleted") : error;
    });
    try {
      if (file.stat().inode !== this.#inode) throw this.#changed("is another file now");
      if (this.#suspect) await this.#verify(file);
    } catch (error) {
      await file.close().catch(() => undefined);
      throw error;
    }
    this.#suspect = false;
    this.#file = file;
    return file;
  }

  /**
   * One write of whole lines at the end; what the system takes only in part is written on. Returns the file as it is then, which
   * is larger than expected when another program wrote in between. Throws with a part possibly written, and the
   * descriptor dropped.
   */
  write(file: OpenFile, bytes: Uint8Array): FileStat {
    try {
      for (let taken = 0; taken < bytes.length; ) {
        const count = file.write(taken === 0 ? bytes : bytes.subarray(taken));
        if (count === 0) throw new ProblemError("io", `The disk takes no more bytes of ${this.#path}.`);
        taken += count;
      }
      return file.stat();
    } catch (error) {
      void this.#drop();
      throw error;
    }
  }

  /** Says where bytes that were written lie; from here on they are to be made safe. */
  wrote(start: number, bytes: Uint8Array): void {
    this.#unsynced.push({ start, bytes });
    this.#arm(GROUP_MS);
  }

  /**
   * Resolves when everything written so far is on the disk. Throws ProblemError when it is not known to be, also once for a sync
   * that failed earlier while nobody waited.
   */
  sync(): Promise<void> {
    const done = this.#syncing.then(() => this.#sync());
    this.#syncing = done.catch(() => undefined);
    return done;
  }

  /** Gives the descriptor back when nothing waits for it. */
  async release(): Promise<void> {
    await this.#syncing;
    if (this.settled) await this.#drop();
  }

  /** Makes safe what can be, and ends. Throws as `sync` does, closed in any case. */
  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.sync();
    } finally {
      this.#disarm();
      await this.#drop();
    }
  }

  async #sync(): Promise<void> {
    const owed = this.#owed;
    this.#owed = null;
    if (owed !== null) throw owed;
    if (this.settled) return;
    this.#disarm();
    const covered = this.#unsynced.length;
    try {
      const file = await this.open();
      try {
        await file.datasync();
      } catch (error) {
        this.#suspect = true;
        await this.#drop();
        throw systemCode(error) === "EIO" ? this.#mayBeLost(error) : error;
      }
    } catch (error) {
      throw diskProblem(error, `Making ${this.#path} safe on the disk`);
    }
    this.#unsynced.splice(0, covered);
    if (!this.settled) this.#arm(GROUP_MS);
  }

  #arm(ms: number): void {
    if (this.#closed) return;
    this.#cancel ??= this.#later(ms, () => {
      this.#cancel = null;
      this.sync().catch((error: unknown) => {
        this.#owed = diskProblem(error, `Making ${this.#path} safe on the disk`);
        this.#arm(AGAIN_MS);
      });
    });
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  async #verify(file: OpenFile): Promise<void> {
    for (const { start, bytes } of this.#unsynced) {
      const there = await file.read(start, bytes.length);
      if (Buffer.compare(there, bytes) !== 0)
        throw this.#changed("lost what was written to it when the disk failed");
    }
  }

  /** What the file gives when it is compared may come from memory: only the disk knows, and it has failed. */
  #mayBeLost(cause: unknown): ProblemError {
    return new ProblemError(
      "io",
      `The disk failed while ${this.#path} was made safe: what was written in the last moments may be lost if the machine stops now. Look after the disk, and keep a copy elsewhere.`,
      { cause },
    );
  }

  #changed(what: string): ProblemError {
    return new ProblemError("session_changed", `${this.#path} ${what}. Save what is known as a new session.`);
  }

  async #drop(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close().catch(() => undefined);
  }
}
