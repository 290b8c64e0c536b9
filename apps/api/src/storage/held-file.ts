import { ProblemError } from "@espalier/core";
import type { FileStat, Fs, OpenFile } from "./fs.ts";

/**
 * A file that is read now and then: its descriptor can be given back, and the next read opens the file again if it is still the
 * same one. While the descriptor is held, the bytes can be read even when the file has lost its name.
 */
export class HeldFile implements OpenFile {
  readonly #path: string;
  readonly #inode: number;
  readonly #fs: Fs;
  #file: Promise<OpenFile> | null;
  #reading = 0;
  #closed = false;

  constructor(path: string, file: OpenFile, fs: Fs) {
    this.#path = path;
    this.#fs = fs;
    this.#inode = file.stat().inode;
    this.#file = Promise.resolve(file);
  }

  get inode(): number {
    return this.#inode;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    this.#reading += 1;
    try {
      return await (await this.#opened()).read(position, length);
    } finally {
      this.#reading -= 1;
    }
  }

  /** Gives the descriptor back unless somebody is reading. */
  async release(): Promise<void> {
    if (this.#reading === 0) await this.#giveBack();
  }

  /** For good: nothing is read after it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#giveBack();
  }

  async #giveBack(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await (await file?.catch(() => null))?.close();
  }

  write(): number {
    throw new ProblemError("internal", `${this.#path} is open for reading only.`);
  }

  stat(): FileStat {
    const stat = this.#fs.stat(this.#path);
    if (stat === null) throw this.#changed("is gone: it was moved or deleted");
    return stat;
  }

  async datasync(): Promise<void> {}

  #opened(): Promise<OpenFile> {
    const opened = this.#file ?? this.#reopen();
    this.#file = opened;
    opened.catch(() => {
      if (this.#file === opened) this.#file = null;
    });
    return opened;
  }

  async #reopen(): Promise<OpenFile> {
    if (this.#closed) throw new ProblemError("conflict", `${this.#path} was closed meanwhile.`);
    const file = await this.#fs.open(this.#path, "read");
    if (file.stat().inode === this.#inode) return file;
    await file.close();
    throw this.#changed("is another file now");
  }

  #changed(what: string): ProblemError {
    return new ProblemError("session_changed", `${this.#path} ${what}.`);
  }
}
