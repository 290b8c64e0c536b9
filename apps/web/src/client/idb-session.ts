import {
  type AnyEntry,
  addToSummary,
  type ParsedSession,
  ProblemError,
  readLine,
  refuseTaken,
  SessionParser,
  SessionTree,
  type StoredSession,
  serializeEntry,
} from "@espalier/core";
import type { Damage, EntryId, Row, SessionHeader, SessionId } from "@espalier/protocol";
import { pieceRange, type SessionRecord, type SessionsDatabase, storeProblem } from "./idb-sessions.ts";

/** Tells the other tabs that a session grew, and hears of it from them. */
export interface GrowthChannel {
  readonly post: (id: SessionId) => void;
  /** Returns the undo. */
  readonly listen: (listener: (id: SessionId) => void) => () => void;
}

const encoder = new TextEncoder();

const joined = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

/** A session in IndexedDB: rows here, bodies read from the pieces they lie in. */
export class IdbSession implements StoredSession {
  readonly id: SessionId;
  readonly path: string;
  readonly root = "espalier";
  readonly header: SessionHeader;
  readonly version: number;
  readonly readOnly: string | null;
  readonly tree: SessionTree;
  readonly #database: SessionsDatabase;
  readonly #channel: GrowthChannel;
  readonly #made: string;
  readonly #spans: ParsedSession["spans"];
  readonly #starts: number[];
  readonly #listeners = new Set<(entries: readonly AnyEntry[]) => void>();
  readonly #undos = new Set<() => void>();
  #damage: Damage[];
  #resume: ParsedSession["resume"];
  #finished: boolean;
  /** Bytes behind `resume`: a last line that is not whole. */
  #rest: Uint8Array;
  #bytes: number;
  #index: number;
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(
    id: SessionId,
    record: SessionRecord,
    pieces: readonly Uint8Array[],
    database: SessionsDatabase,
    channel: GrowthChannel,
  ) {
    const parser = new SessionParser();
    for (const piece of pieces) parser.push(piece);
    const parsed = parser.finish();
    if (parsed === null)
      throw new ProblemError("not_a_session", `Session ${id} holds neither a header nor entries.`);
    this.id = id;
    this.path = `browser/${id}`;
    this.header = parsed.header;
    this.version = parsed.version;
    this.readOnly = parsed.readOnly;
    this.tree = new SessionTree(parsed.rows);
    this.#database = database;
    this.#channel = channel;
    this.#made = record.made;
    this.#spans = parsed.spans;
    this.#damage = [...parsed.damage];
    this.#resume = parsed.resume;
    this.#finished = parsed.finished;
    this.#bytes = parsed.bytes;
    this.#index = parsed.rows.length;
    let start = 0;
    this.#starts = pieces.map((piece) => {
      start += piece.length;
      return start - piece.length;
    });
    this.#rest = joined(pieces.slice(this.#pieceOf(parsed.resume.offset))).subarray(
      parsed.resume.offset - (this.#starts[this.#pieceOf(parsed.resume.offset)] ?? 0),
    );
  }

  /** Throws `not_found` and `not_a_session`. Opening writes nothing. */
  static async open(id: SessionId, database: SessionsDatabase, channel: GrowthChannel): Promise<IdbSession> {
    const look = database.transaction(["sessions", "pieces"]);
    const record = await look.objectStore("sessions").get(id);
    if (record === undefined)
      throw new ProblemError("not_found", `There is no session ${id} in this browser.`);
    const pieces = await look.objectStore("pieces").getAll(pieceRange(id, 0, record.bytes));
    return new IdbSession(id, record, pieces, database, channel);
  }

  get damage(): readonly Damage[] {
    return this.#damage;
  }

  async read(ids: readonly EntryId[]): Promise<AnyEntry[]> {
    return Promise.all(ids.map((id) => this.#body(id)));
  }

  append(entries: readonly AnyEntry[]): Promise<void> {
    return this.#inTurn(() => this.#append(entries));
  }

  onForeign(listener: (entries: readonly AnyEntry[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const look = this.#database.transaction(["sessions", "pieces"]);
      const record = this.#same(await look.objectStore("sessions").get(this.id));
      if (record.bytes > this.#bytes)
        this.#tell(
          this.#take(await look.objectStore("pieces").getAll(pieceRange(this.id, this.#bytes, record.bytes))),
        );
    });
  }

  watch(onChange: () => void): () => void {
    const undo = this.#channel.listen((id) => {
      if (id === this.id) onChange();
    });
    this.#undos.add(undo);
    return undo;
  }

  async fill(): Promise<readonly Row[]> {
    return [];
  }

  /** A transaction that is done survives what the browser's own data survives: there is nothing more to ask for. */
  async sync(): Promise<void> {
    await this.#queue;
  }

  async close(): Promise<void> {
    for (const undo of this.#undos) undo();
    this.#listeners.clear();
    await this.#queue;
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work).catch((error: unknown) => {
      throw storeProblem(error);
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** What others wrote is taken in, and ours is written, in one transaction: nobody can come between. */
  async #append(entries: readonly AnyEntry[]): Promise<void> {
    if (this.readOnly !== null)
      throw new ProblemError("read_only", `Session ${this.id} is read only: ${this.readOnly}.`);
    const change = this.#database.transaction(["sessions", "pieces"], "readwrite");
    const sessions = change.objectStore("sessions");
    const pieces = change.objectStore("pieces");
    let foreign: AnyEntry[] = [];
    let written: Uint8Array<ArrayBuffer>;
    try {
      const record = this.#same(await sessions.get(this.id));
      if (record.bytes > this.#bytes)
        foreign = this.#take(await pieces.getAll(pieceRange(this.id, this.#bytes, record.bytes)));
      refuseTaken(this.tree, entries);
      written = encoder.encode((this.#finished ? "" : "\n") + entries.map(serializeEntry).join(""));
      const summary = entries.reduce(addToSummary, record.summary);
      void pieces.put(written, [this.id, this.#bytes]).catch(() => undefined);
      void sessions
        .put({ ...record, summary, bytes: this.#bytes + written.length }, this.id)
        .catch(() => undefined);
      await change.done;
    } catch (error) {
      change.done.catch(() => undefined);
      stop(change);
      throw error;
    } finally {
      this.#tell(foreign);
    }
    this.#take([written]);
    this.#channel.post(this.id);
  }

  #same(record: SessionRecord | undefined): SessionRecord {
    if (record === undefined || record.made !== this.#made || record.bytes < this.#bytes)
      throw new ProblemError("session_changed", `Session ${this.id} was deleted or replaced by another tab.`);
    return record;
  }

  #tell(entries: readonly AnyEntry[]): void {
    if (entries.length > 0) for (const listener of this.#listeners) listener(entries);
  }

  /** Takes bytes that follow what is known into rows, spans and damage; the entries in them. */
  #take(pieces: readonly Uint8Array[]): AnyEntry[] {
    const parser = new SessionParser({
      tail: { ...this.#resume, version: this.version, index: this.#index, taken: this.tree },
    });
    const before = this.#resume.offset;
    const bytes = joined([this.#rest, ...pieces]);
    parser.push(bytes);
    for (const piece of pieces) {
      this.#starts.push(this.#bytes);
      this.#bytes += piece.length;
    }
    const parsed = parser.finish();
    if (parsed === null) return [];
    this.#damage = [
      ...this.#damage.filter(({ kind, line }) => kind !== "torn" || line < this.#resume.line),
      ...parsed.damage,
    ];
    this.#resume = parsed.resume;
    this.#finished = parsed.finished;
    this.#index += parsed.rows.length;
    this.#rest = bytes.slice(parsed.resume.offset - before);
    return parsed.rows.flatMap((row) => {
      const span = parsed.spans.get(row.id);
      if (span === undefined) return [];
      this.tree.append(row);
      this.#spans.add(row.id, span);
      return (
        readLine(bytes.subarray(span.start - before, span.end - before), row.id, this.version, span.index) ??
        []
      );
    });
  }

  async #body(id: EntryId): Promise<AnyEntry> {
    const span = this.#spans.get(id);
    if (span === undefined) throw new ProblemError("not_found", `Entry ${id} is not in session ${this.id}.`);
    const first = this.#starts[this.#pieceOf(span.start)] ?? 0;
    const pieces = await this.#database.getAll("pieces", pieceRange(this.id, first, span.end));
    const entry = readLine(
      joined(pieces).subarray(span.start - first, span.end - first),
      id,
      this.version,
      span.index,
    );
    if (entry === null)
      throw new ProblemError("session_changed", `Entry ${id} is not in this browser any more.`);
    return entry;
  }

  /** Place of the piece that holds a byte. */
  #pieceOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A transaction that failed by itself is over already. */
const stop = (change: { abort(): void }): void => {
  try {
    change.abort();
  } catch {
    // It is over.
  }
};
