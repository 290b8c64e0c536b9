import {
  type AnyEntry,
  type ParsedSession,
  ProblemError,
  refuseTaken,
  rowOf,
  SessionParser,
  SessionTree,
  type StoredSession,
  serializeEntry,
} from "@espalier/core";
import type { Damage, EntryId, Row, SessionHeader, SessionId, SessionInfo } from "@espalier/protocol";
import { diskProblem } from "./disk-problem.ts";
import type { Fs, OpenFile } from "./fs.ts";
import { readChunks } from "./read-spans.ts";
import { SessionBodies } from "./session-bodies.ts";

/** Where a session lies and what it goes by. */
export interface SessionPlace {
  readonly id: SessionId;
  readonly path: string;
  readonly root: SessionInfo["root"];
}

/** How far into the file our knowledge reaches. */
interface Known {
  /** Bytes read or written. */
  readonly size: number;
  /** Where the next tail is read from, and the number of the line that begins there. */
  readonly resume: ParsedSession["resume"];
  /** Whether the last byte ends a line. */
  readonly finished: boolean;
  /** Entries read or written. */
  readonly index: number;
}

/** Bytes before the tail that are compared, to tell an append from a file that was written anew. */
const MARK = 64;

/**
 * One session file. Opening reads it and writes nothing; entries are appended, each as one line, and no byte that is there is
 * ever changed. Another program may append meanwhile: its lines are read before ours are written.
 */
export class JsonlSession implements StoredSession {
  readonly id: SessionId;
  readonly path: string;
  readonly root: SessionInfo["root"];
  readonly header: SessionHeader;
  readonly version: number;
  readonly readOnly: string | null;
  readonly tree: SessionTree;
  readonly #fs: Fs;
  readonly #damage: Damage[];
  readonly #inode: number;
  #known: Known;
  #mark: Uint8Array;
  #unsynced = false;
  readonly #bodies: SessionBodies;
  readonly #listeners = new Set<(entries: readonly AnyEntry[]) => void>();
  readonly #reader: OpenFile;
  #writer: OpenFile | null = null;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    place: SessionPlace,
    parsed: ParsedSession,
    reader: OpenFile,
    mark: Uint8Array,
    fs: Fs,
    misread?: () => void,
  ) {
    this.id = place.id;
    this.path = place.path;
    this.root = place.root;
    this.header = parsed.header;
    this.version = parsed.version;
    this.readOnly = parsed.readOnly;
    this.tree = new SessionTree(parsed.rows);
    this.#fs = fs;
    this.#reader = reader;
    this.#bodies = new SessionBodies(place, parsed, reader, misread);
    this.#damage = [...parsed.damage];
    this.#known = knownOf(parsed, 0);
    this.#inode = reader.stat().inode;
    this.#mark = mark;
  }

  /**
   * Throws ProblemError `not_found`, `not_a_session` or `io`. With `quick` messages are only looked at until somebody reads them;
   * rows are completed by `fill`, and `misread` is told when a line turns out to be damaged.
   */
  static async open(
    place: SessionPlace,
    fs: Fs,
    quick: { readonly misread: () => void } | null = null,
  ): Promise<JsonlSession> {
    const what = `Opening ${place.path}`;
    let reader: OpenFile;
    try {
      reader = await fs.open(place.path, "read");
    } catch (error) {
      throw diskProblem(error, what);
    }
    try {
      const parser = new SessionParser({ skeletons: quick !== null });
      for await (const chunk of readChunks(reader, 0)) parser.push(chunk);
      const parsed = parser.finish();
      if (parsed !== null) {
        const mark = await bytesBefore(reader, parsed.resume.offset, MARK);
        return new JsonlSession(place, parsed, reader, mark, fs, quick?.misread);
      }
    } catch (error) {
      await reader.close();
      throw diskProblem(error, what);
    }
    await reader.close();
    throw new ProblemError(
      "not_a_session",
      `${place.path} is no session file: it has neither a header nor entries.`,
    );
  }

  /** Bytes of the file, as far as they are known. */
  get size(): number {
    return this.#known.size;
  }

  get damage(): readonly Damage[] {
    return this.#damage;
  }

  read(ids: readonly EntryId[]): Promise<AnyEntry[]> {
    return this.#bodies.read(ids);
  }

  async fill(): Promise<readonly Row[]> {
    const rows = await this.#bodies.nextRows();
    if (rows.length > 0) this.tree.fill(rows);
    return rows;
  }

  append(entries: readonly AnyEntry[]): Promise<void> {
    return this.#inTurn(() => this.#append(entries));
  }

  refresh(): Promise<void> {
    return this.#inTurn(() => this.#catchUp());
  }

  onForeign(listener: (entries: readonly AnyEntry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  sync(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#unsynced) return;
      try {
        this.#writer ??= await this.#fs.open(this.path, "append");
        await this.#writer.datasync();
        this.#unsynced = false;
      } catch (error) {
        // After a failed sync the system may have dropped our pages: this descriptor is not to be trusted again.
        await this.#dropWriter();
        throw diskProblem(error, `Writing ${this.path} to the disk`);
      }
    });
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#dropWriter();
      await this.#reader.close();
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async #append(entries: readonly AnyEntry[]): Promise<void> {
    if (this.readOnly !== null) {
      throw new ProblemError("read_only", `${this.path} cannot be appended to: ${this.readOnly}.`);
    }
    if (entries.length === 0) return;
    try {
      await this.#catchUp();
      refuseTaken(this.tree, entries);
      this.#writer ??= await this.#fs.open(this.path, "append");
      if (this.#writer.stat().inode !== this.#inode) throw this.#changed("is another file now");
      this.#write(this.#writer, entries);
    } catch (error) {
      await this.#dropWriter();
      throw diskProblem(error, `Appending to ${this.path}`);
    }
  }

  /** One write. Only after the last byte is taken does anything count as written. */
  #write(writer: OpenFile, entries: readonly AnyEntry[]): void {
    const { size, resume, finished, index } = this.#known;
    // A last line that somebody left unfinished gets its end first; nothing is cut off.
    const gap = finished ? 0 : 1;
    const lines = entries.map((entry) => Buffer.from(serializeEntry(entry)));
    const bytes = Buffer.concat([Buffer.from("\n".repeat(gap)), ...lines]);
    this.#unsynced = true;
    writeAll(writer, bytes);
    let start = size + gap;
    entries.forEach((entry, at) => {
      const next = start + (lines[at]?.length ?? 0);
      const place = { line: resume.line + gap + at, index: index + at };
      this.#bodies.place(entry.id, { ...place, start, end: next - 1 });
      this.tree.append(rowOf(entry));
      start = next;
    });
    const line = resume.line + gap + entries.length;
    this.#known = {
      size: start,
      resume: { offset: start, line },
      finished: true,
      index: index + entries.length,
    };
    this.#mark = (finished ? Buffer.concat([this.#mark, bytes]) : bytes).subarray(-MARK);
  }

  /** Looks whether the file is still ours, and takes in what was appended to it. */
  async #catchUp(): Promise<void> {
    const there = this.#fs.stat(this.path);
    if (there === null) throw this.#changed("is gone: it was moved or deleted");
    if (there.inode !== this.#inode) throw this.#changed("is another file now");
    if (there.size < this.#known.size) throw this.#changed("was cut");
    if (there.size > this.#known.size) await this.#takeTail();
  }

  #changed(what: string): ProblemError {
    return new ProblemError("session_changed", `${this.path} ${what}. Open the session again to go on.`);
  }

  async #takeTail(): Promise<void> {
    const { resume, index } = this.#known;
    const before = await bytesBefore(this.#reader, resume.offset, this.#mark.length);
    if (Buffer.compare(before, this.#mark) !== 0) throw this.#changed("was written anew by another program");
    const parser = new SessionParser({
      tail: { ...resume, version: this.version, index, taken: this.tree },
    });
    for await (const chunk of readChunks(this.#reader, resume.offset)) parser.push(chunk);
    const parsed = parser.finish();
    if (parsed === null) return;
    const settled = this.#damage.findIndex(({ line, kind }) => kind === "torn" && line >= resume.line);
    if (settled >= 0) this.#damage.splice(settled, 1);
    for (const damage of parsed.damage) this.#damage.push(damage);
    for (const [id, span] of parsed.spans) this.#bodies.place(id, span);
    for (const row of parsed.rows) this.tree.append(row);
    this.#known = knownOf(parsed, index);
    this.#mark = await bytesBefore(this.#reader, parsed.resume.offset, MARK);
    if (parsed.rows.length === 0) return;
    const entries = await this.read(parsed.rows.map(({ id }) => id));
    for (const listener of this.#listeners) listener(entries);
  }

  async #dropWriter(): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    await writer?.close().catch(() => undefined);
  }
}

const knownOf = (parsed: ParsedSession, before: number): Known => ({
  size: parsed.bytes,
  resume: parsed.resume,
  finished: parsed.finished,
  index: before + parsed.rows.length,
});

/** The last bytes before an offset, at most `count`. */
const bytesBefore = (file: OpenFile, offset: number, count: number): Promise<Uint8Array> => {
  const length = Math.min(count, offset);
  return file.read(offset - length, length);
};

/** Writes on where the system took only a part. */
const writeAll = (writer: OpenFile, bytes: Uint8Array): void => {
  for (let taken = 0; taken < bytes.length; ) {
    const count = writer.write(bytes.subarray(taken));
    if (count === 0) throw new ProblemError("io", "The disk takes no more bytes of the session file.");
    taken += count;
  }
};
