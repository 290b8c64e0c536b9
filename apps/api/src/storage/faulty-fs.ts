import type { FileStat, FolderChange, Fs, OpenFile, OpenMode } from "./fs.ts";

/** Every operation that a fault can hit. */
export type FsOperation =
  | "open"
  | "write"
  | "read"
  | "datasync"
  | "readdir"
  | "mkdir"
  | "link"
  | "unlink"
  | "syncFolder";

/** What goes wrong. Operations are counted from 1, those named in `only` (all without it). */
export interface Fault {
  readonly at: number;
  readonly only?: readonly FsOperation[];
  /** An error code the operation fails with, or "crash": from here on nothing works any more. */
  readonly kind: "ENOSPC" | "EIO" | "EACCES" | "crash";
  /** Fails every later operation too, not only this one. */
  readonly persistent?: boolean;
  /** Of a write: how many bytes reach the file before it fails. */
  readonly torn?: number;
  /** Of a write: takes only this many bytes and reports so, without an error. */
  readonly short?: number;
}

/** An error as the system gives it. */
class FaultError extends Error {
  readonly code: string;
  constructor(code: string, operation: FsOperation) {
    super(`${code}: ${operation} was made to fail`);
    this.code = code;
  }
}

/** A file system that works on a real one until the fault; counts and names what was done. */
export class FaultyFs implements Fs {
  readonly done: FsOperation[] = [];
  readonly #inner: Fs;
  #fault: Fault | null;
  #count = 0;
  #broken = false;

  constructor(inner: Fs, fault: Fault | null = null) {
    this.#inner = inner;
    this.#fault = fault;
  }

  /** Sets another fault, counted from now; null mends everything. */
  set(fault: Fault | null): void {
    this.#fault = fault;
    this.#count = 0;
    this.#broken = false;
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    this.#step("open");
    return new FaultyFile(await this.#inner.open(path, mode), this);
  }

  stat(path: string): FileStat | null {
    return this.#inner.stat(path);
  }

  async readdir(path: string): ReturnType<Fs["readdir"]> {
    this.#step("readdir");
    return this.#inner.readdir(path);
  }

  async mkdir(path: string): Promise<void> {
    this.#step("mkdir");
    return this.#inner.mkdir(path);
  }

  async link(from: string, to: string): Promise<void> {
    this.#step("link");
    return this.#inner.link(from, to);
  }

  async unlink(path: string): Promise<void> {
    this.#step("unlink");
    return this.#inner.unlink(path);
  }

  async syncFolder(path: string): Promise<void> {
    this.#step("syncFolder");
    return this.#inner.syncFolder(path);
  }

  watch(path: string, onChange: (change: FolderChange) => void): () => void {
    return this.#inner.watch(path, onChange);
  }

  /** Counts an operation; throws when it is the one to fail. Returns the fault for a write, which may act in part. */
  hits(operation: FsOperation): Fault | null {
    this.done.push(operation);
    const fault = this.#fault;
    if (fault === null || (fault.only !== undefined && !fault.only.includes(operation))) return null;
    this.#count += 1;
    const hit = this.#broken || this.#count === fault.at;
    if (hit && (fault.persistent === true || fault.kind === "crash")) this.#broken = true;
    return hit ? fault : null;
  }

  #step(operation: FsOperation): void {
    const fault = this.hits(operation);
    if (fault !== null) throw new FaultError(fault.kind, operation);
  }
}

class FaultyFile implements OpenFile {
  readonly #inner: OpenFile;
  readonly #fs: FaultyFs;

  constructor(inner: OpenFile, fs: FaultyFs) {
    this.#inner = inner;
    this.#fs = fs;
  }

  write(bytes: Uint8Array): number {
    const fault = this.#fs.hits("write");
    if (fault === null) return this.#inner.write(bytes);
    if (fault.short !== undefined) return this.#inner.write(bytes.subarray(0, fault.short));
    if (fault.torn !== undefined && fault.torn > 0) this.#inner.write(bytes.subarray(0, fault.torn));
    throw new FaultError(fault.kind, "write");
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const fault = this.#fs.hits("read");
    if (fault !== null) throw new FaultError(fault.kind, "read");
    return this.#inner.read(position, length);
  }

  stat(): FileStat {
    return this.#inner.stat();
  }

  async datasync(): Promise<void> {
    const fault = this.#fs.hits("datasync");
    if (fault !== null) throw new FaultError(fault.kind, "datasync");
    return this.#inner.datasync();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
