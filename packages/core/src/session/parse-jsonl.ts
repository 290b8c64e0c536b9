import type { Damage, EntryId, Row, SessionHeader } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { type FoundHeader, HeaderFinder } from "./find-header.ts";
import { hangRows, type LooseRow } from "./hang-rows.ts";
import { type AnyEntry, isFields } from "./known-entry.ts";
import { CURRENT_VERSION, migrateEntry } from "./migrate.ts";
import { readEntry } from "./read-entry.ts";
import { rowOf } from "./row.ts";
import { LineScanner, type LineSpan } from "./scan-lines.ts";

/** Where an entry's line lies, and what is needed to read it again by itself. */
export interface EntrySpan extends LineSpan {
  /** Zero-based among the file's entries; version 1 files name entries by it. */
  readonly index: number;
}

/** What a session file holds, without the bodies: those are read from their spans when somebody asks. */
export interface ParsedSession {
  readonly header: SessionHeader;
  /** Format version of the file: 1 and 2 are migrated in memory only, later ones than 3 are read like 3. */
  readonly version: number;
  /** Why nothing may be appended to this file; null for a sound version 3 file. */
  readonly readOnly: string | null;
  /** Rows in file order, parents resolved. */
  readonly rows: readonly Row[];
  readonly spans: ReadonlyMap<EntryId, EntrySpan>;
  readonly damage: readonly Damage[];
  /** Bytes read. */
  readonly bytes: number;
  /** Whether the last byte ends a line. */
  readonly finished: boolean;
  /** Where the next tail is to be read from: behind the last line that is whole, or at the one that is not. */
  readonly resume: { readonly offset: number; readonly line: number };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LONGEST_ID = 256;
/** Levels of arrays and objects; what a model or a tool gives has fewer than twenty. */
const DEEPEST = 500;

/** The recursion ends at the limit, so it cannot overflow. */
const nestsDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const held of Object.values(value)) if (nestsDeeper(held, levels - 1)) return true;
  return false;
};

/** A parsed line, or why it cannot be read. Never throws. */
export const parseLine = (
  bytes: Uint8Array,
): { fields: Readonly<Record<string, unknown>>; text: string } | { problem: string } => {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    // Read by a loop, written by recursion: what could not be written again is not let in.
    if (nestsDeeper(value, DEEPEST)) return { problem: `nests deeper than ${DEEPEST} levels` };
    return isFields(value) ? { fields: value, text } : { problem: "not an object" };
  } catch (error) {
    const zeros = bytes.every((byte) => byte === 0);
    if (zeros) return { problem: `${bytes.length} zero bytes` };
    return { problem: `not JSON: ${error instanceof Error ? error.message : String(error)}`.slice(0, 200) };
  }
};

/** One entry from the bytes of its line. `id` is the id its row has. Null if the line cannot be read (any more). */
export const readLine = (bytes: Uint8Array, id: EntryId, version: number, index: number): AnyEntry | null => {
  const line = parseLine(bytes);
  return "problem" in line ? null : readEntry(migrateEntry(line.fields, version, index), id, line.text);
};

/** Whether a line holds nothing but white space. */
export const isBlank = (bytes: Uint8Array): boolean =>
  bytes.length < 64 && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Ids taken so far, of this file or of what is known of it already. */
export interface TakenIds {
  has(id: EntryId): boolean;
}

/**
 * Reads a session file from chunks of its bytes. Never throws on any bytes: what cannot be read is reported as damage, with
 * the lines around it intact. `finish` gives the result once.
 */
export class SessionParser {
  readonly #scanner: LineScanner;
  readonly #finder = new HeaderFinder();
  readonly #rows: LooseRow[] = [];
  readonly #spans = new Map<EntryId, EntrySpan>();
  readonly #damage: Damage[] = [];
  readonly #taken: TakenIds;
  #index = 0;
  #finished = true;
  #resume = { offset: 0, line: 1 };

  /** For a tail: where it starts, the version of its file, and the ids that stand before it. */
  constructor(tail?: { offset: number; line: number; version: number; index: number; taken: TakenIds }) {
    this.#scanner = new LineScanner((bytes, span, finished) => this.#line(bytes, span, finished), tail);
    this.#taken = tail?.taken ?? new Set();
    if (tail !== undefined) {
      this.#finder.assume(tail.version);
      this.#index = tail.index;
      this.#resume = { offset: tail.offset, line: tail.line };
    }
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** Null when there is neither a header nor anything that looks like an entry: not a session file. */
  finish(): ParsedSession | null {
    const bytes = this.#scanner.finish();
    const found = this.#finder.found();
    if (found === null) return null;
    const { rows, damage } = hangRows(this.#rows, this.#taken);
    return {
      header: found.header,
      version: found.version,
      readOnly: readOnlyReason(found),
      rows,
      spans: this.#spans,
      damage: [...found.damage, ...this.#damage, ...damage].sort((a, b) => a.line - b.line),
      bytes,
      finished: this.#finished,
      resume: this.#resume,
    };
  }

  #line(raw: Uint8Array, span: LineSpan, finished: boolean): void {
    this.#finished = finished;
    this.#resume = finished
      ? { offset: span.end + 1, line: span.line + 1 }
      : { offset: span.start, line: span.line };
    const bytes = span.line === 1 ? withoutMark(raw) : raw;
    if (isBlank(bytes)) return;
    const line = parseLine(bytes);
    if ("problem" in line) {
      this.#finder.unreadable(bytes, span.line);
      this.#report(span.line, finished ? "malformed" : "torn", line.problem);
      return;
    }
    if (!finished) {
      this.#report(span.line, "torn", "the last line is whole but does not end yet");
      this.#resume = { offset: span.end, line: span.line };
    }
    if (this.#finder.offer(line.fields, span.line)) return;
    this.#entry(line.fields, line.text, span);
  }

  #entry(fields: Readonly<Record<string, unknown>>, text: string, span: LineSpan): void {
    const index = this.#index;
    const migrated = migrateEntry(fields, this.#finder.version, index);
    const { type, id: named, parentId: parent } = migrated;
    if (typeof type !== "string") return this.#report(span.line, "malformed", "has no type");
    if (typeof named !== "string" || named === "") return this.#report(span.line, "malformed", "has no id");
    if (named.length > LONGEST_ID) return this.#report(span.line, "malformed", "its id is too long");
    this.#index += 1;
    const id = this.#freeId(entryId(named), span.line);
    const entry = readEntry(migrated, id, text);
    this.#spans.set(id, { line: span.line, start: span.start, end: span.end, index });
    this.#rows.push({ row: rowOf(entry), line: span.line, parent });
  }

  /** The id itself if it is free; a later entry with the same id is shown under a derived one. */
  #freeId(id: EntryId, line: number): EntryId {
    if (this.#isFree(id)) return id;
    let free = id;
    for (let copy = 2; !this.#isFree(free); copy += 1) free = entryId(`${id}~${copy}`);
    this.#report(line, "duplicate_id", `id ${id} is taken by an earlier line; shown as ${free}`);
    return free;
  }

  #isFree(id: EntryId): boolean {
    return !this.#spans.has(id) && !this.#taken.has(id);
  }

  #report(line: number, kind: Damage["kind"], detail: string): void {
    this.#damage.push({ line, kind, detail });
  }
}

const readOnlyReason = (found: FoundHeader): string | null => {
  if (found.version < CURRENT_VERSION) return `the file is of version ${found.version}`;
  return found.sound ? null : "the header of the file is damaged";
};

/** Reads a whole file that is in memory. Null if it is no session file. */
export const parseJsonl = (
  bytes: Uint8Array,
): (ParsedSession & { read(id: EntryId): AnyEntry | null }) | null => {
  const parser = new SessionParser();
  parser.push(bytes);
  const parsed = parser.finish();
  if (parsed === null) return null;
  const read = (id: EntryId): AnyEntry | null => {
    const span = parsed.spans.get(id);
    if (span === undefined) return null;
    return readLine(bytes.subarray(span.start, span.end), id, parsed.version, span.index);
  };
  return { ...parsed, read };
};
