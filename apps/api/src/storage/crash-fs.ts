import { dirname } from "node:path";
import type { FileStat, Fs, OpenFile, OpenMode } from "./fs.ts";

interface Node {
  readonly inode: number;
  readonly folder: boolean;
  /** What is on the disk itself. */
  durable: Uint8Array;
  /** Written behind it, each in one call, and not known to be on the disk. */
  writes: Uint8Array[];
  mtime: number;
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
const error = (code: string): Error => Object.assign(new Error(code), { code });
const bytesOf = ({ durable, writes }: Node): Uint8Array => joined([durable, ...writes]);

/** One state in which a crash may leave the disk. */
export interface CrashImage {
  readonly name: string;
  readonly fs: CrashFs;
}

/**
 * A disk in memory that knows what is safe. At operation `crashAt` (from 1) and ever after it fails; `images` then gives the
 * disks that a machine may find when it starts again: what was not synced lost, kept, torn, or replaced by zeros while later bytes are
 * there; new names there or not.
 */
export class CrashFs implements Fs {
  crashAt: number = Number.POSITIVE_INFINITY;
  count = 0;
  #names = new Map<string, Node>([["/", makeNode(1, true)]]);
  #durableNames = new Map(this.#names);
  #inode = 1;
  #time = 1;

  /** Counts an operation. */
  step(): void {
    this.count += 1;
    if (this.count >= this.crashAt) throw error("ECRASHED");
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    this.step();
    const there = this.#names.get(path);
    if (mode === "create") {
      if (there !== undefined) throw error("EEXIST");
      this.#needFolder(path);
      this.#inode += 1;
      const node = makeNode(this.#inode, false);
      this.#names.set(path, node);
      return this.#handle(node);
    }
    if (there === undefined) throw error("ENOENT");
    return this.#handle(there);
  }

  stat(path: string): FileStat | null {
    const node = this.#names.get(path);
    return node === undefined ? null : statOf(node);
  }

  async readdir(path: string): Promise<{ name: string; folder: boolean }[]> {
    return [...this.#names].flatMap(([at, { folder }]) =>
      at !== "/" && dirname(at) === path ? [{ name: at.slice(path.length + 1), folder }] : [],
    );
  }

  async mkdir(path: string): Promise<void> {
    this.step();
    const make = (at: string): void => {
      if (this.#names.has(at)) return;
      make(dirname(at));
      this.#inode += 1;
      this.#names.set(at, makeNode(this.#inode, true));
    };
    make(path);
  }

  async link(from: string, to: string): Promise<void> {
    this.step();
    const node = this.#names.get(from);
    if (node === undefined) throw error("ENOENT");
    if (this.#names.has(to)) throw error("EEXIST");
    this.#names.set(to, node);
  }

  async unlink(path: string): Promise<void> {
    this.step();
    if (!this.#names.delete(path)) throw error("ENOENT");
  }

  async syncFolder(path: string): Promise<void> {
    this.step();
    for (const at of [...this.#durableNames.keys()]) {
      if (dirname(at) === path && !this.#names.has(at)) this.#durableNames.delete(at);
    }
    for (const [at, node] of this.#names) if (dirname(at) === path) this.#durableNames.set(at, node);
  }

  watch(): () => void {
    return () => undefined;
  }

  /** The bytes a reader would see. */
  bytes(path: string): Uint8Array {
    const node = this.#names.get(path);
    return node === undefined ? new Uint8Array() : bytesOf(node);
  }

  /** Everything so far is safe. */
  settle(): void {
    for (const node of this.#names.values()) {
      node.durable = bytesOf(node);
      node.writes = [];
    }
    this.#durableNames = new Map(this.#names);
  }

  /** What some systems do after a failed sync: the file is as it was before. True when something was lost. */
  loseUnsynced(path: string): boolean {
    const node = this.#names.get(path);
    const lost = (node?.writes.length ?? 0) > 0;
    if (node !== undefined) node.writes = [];
    return lost;
  }

  /** The disks a crash may leave now. `every`: a torn write is tried at each of its bytes, else at a few. */
  *images(every: boolean): Generator<CrashImage> {
    const longest = Math.max(0, ...[...this.#names.values()].map(({ writes }) => writes.at(-1)?.length ?? 0));
    for (const names of ["names lost", "names kept"] as const) {
      yield this.#image(`${names}, data lost`, names, () => []);
      yield this.#image(`${names}, data kept`, names, (writes) => writes);
      const zeros = (one: Uint8Array): Uint8Array => new Uint8Array(one.length);
      yield this.#image(`${names}, first write zeros`, names, ([first, ...more]) =>
        first === undefined ? [] : [zeros(first), ...more],
      );
      yield this.#image(`${names}, last write zeros`, names, (writes) => [
        ...writes.slice(0, -1),
        ...writes.slice(-1).map(zeros),
      ]);
      const cuts = every
        ? Array.from({ length: longest }, (_, at) => at)
        : [0, 1, Math.floor(longest / 2), Math.floor(longest / 2) + 1, longest - 1];
      for (const cut of cuts) {
        yield this.#image(`${names}, torn at ${cut}`, names, (writes) => [
          ...writes.slice(0, -1),
          ...writes.slice(-1).map((last) => last.subarray(0, cut)),
        ]);
      }
    }
  }

  #image(
    name: string,
    names: "names lost" | "names kept",
    left: (writes: Uint8Array[]) => Uint8Array[],
  ): CrashImage {
    const fs = new CrashFs();
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node) ?? {
        ...node,
        durable: joined([node.durable, ...left(node.writes)]),
        writes: [],
      };
      copies.set(node, known);
      return known;
    };
    const from = names === "names lost" ? this.#durableNames : this.#names;
    fs.#names = new Map([...from].map(([path, node]) => [path, copy(node)]));
    fs.#durableNames = new Map(fs.#names);
    fs.#inode = this.#inode;
    return { name, fs };
  }

  #needFolder(path: string): void {
    if (this.#names.get(dirname(path))?.folder !== true) throw error("ENOENT");
  }

  #handle(node: Node): OpenFile {
    const step = (): void => this.step();
    const touch = (): void => {
      this.#time += 1;
      node.mtime = this.#time;
    };
    return {
      write: (bytes) => {
        step();
        node.writes.push(bytes.slice());
        touch();
        return bytes.length;
      },
      read: async (position, length) => {
        step();
        return bytesOf(node).subarray(position, position + length);
      },
      stat: () => statOf(node),
      datasync: async () => {
        step();
        node.durable = bytesOf(node);
        node.writes = [];
      },
      close: async () => undefined,
    };
  }
}

const makeNode = (inode: number, folder: boolean): Node => ({
  inode,
  folder,
  durable: new Uint8Array(),
  writes: [],
  mtime: 0,
});

const statOf = (node: Node): FileStat => ({
  size: bytesOf(node).length,
  inode: node.inode,
  mtime: node.mtime,
});
