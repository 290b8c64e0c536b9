import { constants, fstatSync, statSync, watch, writeSync } from "node:fs";
import { type FileHandle, link, mkdir, open, readdir, unlink } from "node:fs/promises";
import { join } from "node:path";

/** What tells one state of a file from another. `size` in bytes, `mtime` in epoch ms. */
export interface FileStat {
  readonly size: number;
  readonly inode: number;
  readonly mtime: number;
}

/** An open file. */
export interface OpenFile {
  /**
   * Hands bytes to the system in one call and returns how many it took, which may be fewer. Synchronous: for the few hundred
   * bytes of an entry a thread pool costs ten times the write.
   */
  write(bytes: Uint8Array): number;
  /** Up to `length` bytes from `position`; fewer at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  stat(): FileStat;
  /** Returns when the data are on the disk itself. */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** "read"; "append" to a file that is there; "create" a new one, which must not be there. */
export type OpenMode = "read" | "append" | "create";

/**
 * The few things session files need of a disk. Errors are Node's own, with their `code`. Two implementations: the disk, and one
 * that fails or stops at a given operation.
 */
export interface Fs {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  /** Null when there is nothing at the path. */
  stat(path: string): FileStat | null;
  /** Names in a folder; empty when the folder is not there. */
  readdir(path: string): Promise<{ readonly name: string; readonly folder: boolean }[]>;
  /** Makes a folder and those above it. */
  mkdir(path: string): Promise<void>;
  /** Gives a file a second name; fails with EEXIST when that name is taken. */
  link(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Makes the names of a folder survive a crash. */
  syncFolder(path: string): Promise<void>;
  /**
   * Calls `onChange` when something in a folder may have changed, until the returned undo is called; never keeps the process alive.
   * `name` is null when the system does not say; `names`: a name came or went, rather than a file's content. Where the system
   * cannot watch, it is never called.
   */
  watch(path: string, onChange: (change: FolderChange) => void): () => void;
}

export interface FolderChange {
  readonly name: string | null;
  readonly names: boolean;
}

/** "append" never makes a file: one that was deleted under us must not come back empty. */
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_RDWR | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

class DiskFile implements OpenFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  write(bytes: Uint8Array): number {
    return writeSync(this.#handle.fd, bytes);
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(buffer, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  stat(): FileStat {
    const { size, ino, mtimeMs } = fstatSync(this.#handle.fd);
    return { size, inode: ino, mtime: mtimeMs };
  }

  datasync(): Promise<void> {
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");

/** The machine's own disk. Files are made readable by their owner only. */
export const diskFs: Fs = {
  async open(path, mode) {
    return new DiskFile(await open(path, FLAGS[mode], 0o600));
  },
  stat(path) {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat === undefined ? null : { size: stat.size, inode: stat.ino, mtime: stat.mtimeMs };
  },
  async readdir(path) {
    try {
      const names = await readdir(path, { withFileTypes: true });
      const isFolder = (name: string): boolean =>
        statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
      return names.map((entry) => ({
        name: entry.name,
        folder: entry.isDirectory() || (entry.isSymbolicLink() && isFolder(entry.name)),
      }));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },
  async mkdir(path) {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  link,
  unlink,
  async syncFolder(path) {
    // Windows cannot open a folder; its file system keeps names by itself.
    if (process.platform === "win32") return;
    const handle = await open(join(path, "."), "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  watch(path, onChange) {
    try {
      const watcher = watch(path, { persistent: false }, (kind, name) =>
        onChange({ name, names: kind === "rename" }),
      );
      // The folder may go, or the system run out of watches: whoever watches also looks now and then.
      watcher.on("error", () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  },
};
