import { setTimeout as sleep } from "node:timers/promises";
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
import type { FileStat, Fs, OpenFile } from "./fs.ts";
import { HeldFile } from "./held-file.ts";
import { type Later, unhurried } from "./later.ts";
import { latinText } from "./latin-text.ts";
import { readChunks } from "./read-spans.ts";
import { SessionBodies } from "./session-bodies.ts";
import { SessionWriter } from "./session-writer.ts";
import { watchFile } from "./watch-file.ts";

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
  /** When the file was changed last, as far as we know; 0 when not looked at since it was read. */
  readonly mtime: number;
  /** Where the next tail is read from, and the number of the line that begins there. */
  readonly resume: ParsedSession["resume"];
  /** Whether the last byte ends a line. */
  readonly finished: boolean;
  /** Entries read or written. */
  readonly index: number;
}

/** Bytes before the tail that are compared, to tell an append from a file that was written anew. */
const MARK = 64;
/** A session that nobody used for so long gives its descriptors back, ms. */
const IDLE_MS = 60_000;
/** Writes of others that may come between a look and our own write, one after another. */
const RACES = 20;
/** How long a line that another program has begun is waited for before ours is written behind it, and how often it is looked at. */
const LINE_GRACE_MS = 1000;
const LINE_LOOK_MS = 50;

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
  readonly #later: Later;
  readonly #damage: Damage[];
  #known: Known;
  #mark: Uint8Array;
  readonly #bodies: SessionBodies;
  readonly #listeners = new Set<(entries: readonly AnyEntry[]) => void>();
  /** Entries of others that are in the tree and that nobody has been told of yet. */
  #untold: EntryId[] = [];
  /** When a line without an end of another program was first seen; null when there is none. */
  #halfLineSince: number | null = null;
  /** A write of ours broke off: what stands at the end may be a part of it. */
  #ownPart = false;
  readonly #reader: HeldFile;
  readonly #writer: SessionWriter;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #watched = 0;
  #used = false;
  #lost = false;
  #idle: (() => void) | null = null;

  private constructor(
    place: SessionPlace,
    parsed: ParsedSession,
    reader: OpenFile,
    mark: Uint8Array,
    { fs, later, misread }: { fs: Fs; later: Later; misread?: (() => void) | undefined },
  ) {
    this.id = place.id;
    this.path = place.path;
    this.root = place.root;
    this.header = parsed.header;
    this.version = parsed.version;
    this.readOnly = parsed.readOnly;
    this.tree = new SessionTree(parsed.rows);
    this.#fs = fs;
    this.#later = later;
    this.#reader = new HeldFile(place.path, reader, fs);
    this.#writer = new SessionWriter(place.path, this.#reader.inode, fs, later);
    this.#bodies = new SessionBodies(place, parsed, this.#reader, misread);
    this.#damage = [...parsed.damage];
    this.#known = knownOf(parsed, 0, 0);
    this.#mark = mark;
    this.#use();
  }

  /**
   * Throws ProblemError `not_found`, `not_a_session` or `io`. With `quick` messages are only looked at until somebody reads them;
   * rows are completed by `fill`, and `misread` is told when a line turns out to be damaged.
   */
  static async open(
    place: SessionPlace,
    fs: Fs,
    quick: { readonly misread: () => void } | null = null,
    later: Later = unhurried,
  ): Promise<JsonlSession> {
    const what = `Opening ${place.path}`;
    let reader: OpenFile;
    try {
      reader = await fs.open(place.path, "read");
    } catch (error) {
      throw diskProblem(error, what);
    }
    try {
      const parser = new SessionParser({ skeletons: quick === null ? null : latinText });
      for await (const chunk of readChunks(reader, 0)) parser.push(chunk);
      const parsed = parser.finish();
      if (parsed !== null) {
        const mark = await bytesBefore(reader, parsed.resume.offset, MARK);
        return new JsonlSession(place, parsed, reader, mark, { fs, later, misread: quick?.misread });
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

  /**
   * The session of a file that was made just now: `text` is all of it, `reader` an open descriptor. Nothing is read, so that a
   * file that was made is never said not to be.
   */
  static ofText(
    place: SessionPlace,
    text: Uint8Array,
    reader: OpenFile,
    fs: Fs,
    later: Later = unhurried,
  ): JsonlSession {
    const parser = new SessionParser();
    parser.push(text);
    const parsed = parser.finish();
    if (parsed === null)
      throw new ProblemError("not_a_session", "This is no session: it has neither a header nor entries.");
    const end = parsed.resume.offset;
    return new JsonlSession(place, parsed, reader, text.slice(Math.max(0, end - MARK), end), { fs, later });
  }

  /** Bytes of the file, as far as they are known. */
  get size(): number {
    return this.#known.size;
  }

  get damage(): readonly Damage[] {
    return this.#damage;
  }

  read(ids: readonly EntryId[], once?: "once"): Promise<AnyEntry[]> {
    this.#use();
    return this.#bodies.read(ids, once);
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
    return this.#inTurn(async () => {
      try {
        await this.#catchUp();
      } catch (error) {
        throw diskProblem(error, `Reading ${this.path}`);
      }
    });
  }

  onForeign(listener: (entries: readonly AnyEntry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(onChange: () => void): () => void {
    this.#watched += 1;
    const unwatch = watchFile(this.path, this.#fs, onChange, this.#later);
    let on = true;
    return () => {
      if (!on) return;
      on = false;
      this.#watched -= 1;
      this.#use();
      unwatch();
    };
  }

  /** Not in turn: what is written meanwhile need not wait for the disk. */
  async sync(): Promise<void> {
    await this.#queue;
    await this.#writer.sync();
  }

  /** Never throws: who must know that everything is safe asks `sync` before. */
  close(): Promise<void> {
    return this.#inTurn(async () => {
      this.#idle?.();
      await this.#writer.close().catch(() => undefined);
      await this.#reader.close().catch(() => undefined);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#use();
    // Whoever comes alone need not wait for the end of nothing.
    const done = this.#waiting === 0 ? work() : this.#queue.then(work);
    const over = (): void => void (this.#waiting -= 1);
    this.#waiting += 1;
    this.#queue = done.then(over, over);
    return done;
  }

  /** Descriptors are held while the session is used or watched, and given back some time after. */
  #use(): void {
    this.#used = true;
    this.#idle ??= this.#later(IDLE_MS, () => {
      this.#idle = null;
      if (this.#lost) return;
      if (this.#used || this.#watched > 0) {
        this.#use();
        this.#used = false;
        return;
      }
      void this.#queue.then(() => Promise.all([this.#writer.release(), this.#reader.release()]));
    });
  }

  async #append(entries: readonly AnyEntry[]): Promise<void> {
    if (this.readOnly !== null) {
      throw new ProblemError("read_only", `${this.path} cannot be appended to: ${this.readOnly}.`);
    }
    let left = entries;
    try {
      for (let race = 0; left.length > 0; race += 1) {
        if (race > RACES)
          throw new ProblemError("io", `${this.path} is being written by another program without a pause.`);
        const late = this.#catchUp();
        if (late !== null) await late;
        if (this.#halfLineSince !== null) await this.#waitForLine(this.#halfLineSince);
        refuseTaken(this.tree, left);
        const file = this.#writer.ready ?? (await this.#writer.open());
        const lost = this.#write(file, left);
        left = lost === null ? [] : await lost;
      }
    } catch (error) {
      throw diskProblem(error, `Appending to ${this.path}`);
    }
  }

  /** Another program is in the middle of a line: it gets a moment to end it. One that was left so is ended by our write. */
  async #waitForLine(since: number): Promise<void> {
    while (this.#halfLineSince !== null && performance.now() - since < LINE_GRACE_MS) {
      await sleep(LINE_LOOK_MS);
      await this.#catchUp();
    }
    this.#halfLineSince = null;
  }

  /** One write. Only after the last byte is taken does anything count as written. The promise is of entries to write again. */
  #write(file: OpenFile, entries: readonly AnyEntry[]): Promise<readonly AnyEntry[]> | null {
    const { size, resume, finished, index } = this.#known;
    // A last line that somebody left unfinished gets its end first; nothing is cut off.
    const gap = finished ? 0 : 1;
    const lines = entries.map(serializeEntry);
    const bytes = Buffer.from("\n".repeat(gap) + lines.join(""));
    this.#ownPart = true;
    const after = this.#writer.write(file, bytes);
    this.#ownPart = false;
    // Another program wrote between our look and our write: where our lines lie is read from the file.
    if (after.size !== size + bytes.length) return this.#findOurs(entries, lines);
    this.#writer.wrote(size, bytes);
    if (gap === 1) this.#endTorn(resume.line);
    let start = size + gap;
    entries.forEach((entry, at) => {
      const length = entries.length === 1 ? bytes.length - gap : Buffer.byteLength(lines[at] as string);
      const place = { line: resume.line + gap + at, index: index + at };
      this.#bodies.place(entry.id, { ...place, start, end: start + length - 1 });
      this.tree.append(rowOf(entry));
      start += length;
    });
    this.#known = {
      size: start,
      mtime: after.mtime,
      resume: { offset: start, line: resume.line + gap + entries.length },
      finished: true,
      index: index + entries.length,
    };
    // Copied: a mark must not hold a line of megabytes in memory.
    const tail = bytes.length >= MARK || gap === 1 ? bytes : Buffer.concat([this.#mark, bytes]);
    this.#mark = Buffer.from(tail.subarray(-MARK));
    return null;
  }

  /** Takes in what was written by others and by us; returns the entries whose lines another's unfinished line has swallowed. */
  async #findOurs(entries: readonly AnyEntry[], lines: readonly string[]): Promise<readonly AnyEntry[]> {
    const parsed = await this.#takeTail(new Set(entries.map(({ id }) => id)));
    return entries.filter(({ id }, at) => {
      const span = parsed?.spans.get(id);
      if (span === undefined) return true;
      this.#writer.wrote(span.start, Buffer.from(lines[at] as string));
      return false;
    });
  }

  /** A fragment at the end is a damaged line once a line follows it; one that only lacked its end is none. */
  #endTorn(line: number): void {
    const at = this.#damage.findIndex((one) => one.kind === "torn" && one.line >= line - 1);
    const torn = this.#damage[at];
    if (torn === undefined) return;
    const whole = this.#known.resume.offset === this.#known.size;
    this.#damage.splice(at, 1, ...(whole ? [] : [{ ...torn, kind: "malformed" as const }]));
  }

  /** Looks whether the file is still ours, and takes in what was appended to it. Null: nothing has changed. */
  #catchUp(): Promise<void> | null {
    const there = this.#fs.stat(this.path);
    if (there === null) throw this.#changed("is gone: it was moved or deleted");
    if (there.inode !== this.#reader.inode) throw this.#changed("is another file now");
    if (there.size < this.#known.size) throw this.#changed("was cut");
    const same = there.size === this.#known.size && there.mtime === this.#known.mtime;
    return same && this.#untold.length === 0 ? null : this.#takeIn(there);
  }

  async #takeIn(there: FileStat): Promise<void> {
    if (there.size > this.#known.size) await this.#takeTail(new Set());
    else await this.#compareMark();
    this.#known = { ...this.#known, mtime: there.mtime };
    await this.#tell();
  }

  async #compareMark(): Promise<void> {
    const before = await bytesBefore(this.#reader, this.#known.resume.offset, this.#mark.length);
    if (Buffer.compare(before, this.#mark) !== 0) throw this.#changed("was written anew by another program");
  }

  /** From here on the descriptors are kept: they may be all that is left of the file. */
  #changed(what: string): ProblemError {
    this.#lost = true;
    return new ProblemError(
      "session_changed",
      `${this.path} ${what}. Open the session again to go on, or save what is known of it as a new session.`,
    );
  }

  /** Everything that can fail comes before anything is changed. */
  async #takeTail(ours: ReadonlySet<EntryId>): Promise<ParsedSession | null> {
    const { resume, index } = this.#known;
    await this.#compareMark();
    const parser = new SessionParser({
      tail: { ...resume, version: this.version, index, taken: this.tree },
    });
    for await (const chunk of readChunks(this.#reader, resume.offset)) parser.push(chunk);
    const parsed = parser.finish();
    if (parsed === null) return null;
    this.#mark = await bytesBefore(this.#reader, parsed.resume.offset, MARK);
    const settled = this.#damage.findIndex(({ line, kind }) => kind === "torn" && line >= resume.line);
    if (settled >= 0) this.#damage.splice(settled, 1);
    for (const damage of parsed.damage) this.#damage.push(damage);
    for (const [id, span] of parsed.spans) this.#bodies.place(id, span);
    for (const row of parsed.rows) {
      this.tree.append(row);
      if (!ours.has(row.id)) this.#untold.push(row.id);
    }
    this.#known = knownOf(parsed, index, this.#known.mtime);
    const isTheirs = !parsed.finished && !this.#ownPart;
    this.#halfLineSince = isTheirs ? (this.#halfLineSince ?? performance.now()) : null;
    if (parsed.finished) this.#ownPart = false;
    return parsed;
  }

  async #tell(): Promise<void> {
    if (this.#untold.length === 0) return;
    const entries = await this.#bodies.read(this.#untold);
    this.#untold = [];
    for (const listener of this.#listeners) listener(entries);
  }
}

const knownOf = (parsed: ParsedSession, before: number, mtime: number): Known => ({
  size: parsed.bytes,
  mtime,
  resume: parsed.resume,
  finished: parsed.finished,
  index: before + parsed.rows.length,
});

/** The last bytes before an offset, at most `count`. */
const bytesBefore = (file: OpenFile, offset: number, count: number): Promise<Uint8Array> => {
  const length = Math.min(count, offset);
  return file.read(offset - length, length);
};
