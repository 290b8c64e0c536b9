import type { Damage, EntryId, Row, SessionHeader } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { EntrySpans } from "./entry-spans.ts";
import { type FoundHeader, HeaderFinder } from "./find-header.ts";
import { hangRows } from "./hang-rows.ts";
import type { AnyEntry } from "./known-entry.ts";
import { CURRENT_VERSION, migrateEntry } from "./migrate.ts";
import { isBlank, parseLine, readLine } from "./parse-line.ts";
import { readEntry } from "./read-entry.ts";
import { rowOf } from "./row.ts";
import { LineScanner, type LineSpan } from "./scan-lines.ts";
import { type AsciiText, skeletonRow } from "./skeleton.ts";

/** What a session file holds, without the bodies: those are read from their spans when somebody asks. */
export interface ParsedSession {
  readonly header: SessionHeader;
  /** Format version of the file: 1 and 2 are migrated in memory only, later ones than 3 are read like 3. */
  readonly version: number;
  /** Why nothing may be appended to this file; null for a sound version 3 file. */
  readonly readOnly: string | null;
  /** Rows in file order, parents resolved. */
  readonly rows: readonly Row[];
  readonly spans: EntrySpans;
  /** Places of rows that hold only what the tree needs; empty unless the parser was asked for skeletons. */
  readonly unread: readonly number[];
  readonly damage: readonly Damage[];
  /** Bytes read. */
  readonly bytes: number;
  /** Whether the last byte ends a line. */
  readonly finished: boolean;
  /** Where the next tail is to be read from: behind the last line that is whole, or at the one that is not. */
  readonly resume: { readonly offset: number; readonly line: number };
}

const LONGEST_ID = 256;

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** Ids taken so far, of this file or of what is known of it already. */
export interface TakenIds {
  has(id: EntryId): boolean;
}

/** The end of a file whose beginning was read before: where it starts, the file's version, and what stands before it. */
export interface Tail {
  readonly offset: number;
  readonly line: number;
  readonly version: number;
  readonly index: number;
  readonly taken: TakenIds;
}

/**
 * Reads a session file from chunks of its bytes. Never throws on any bytes: what cannot be read is reported as damage, with
 * the lines around it intact. `finish` gives the result once.
 *
 * With `skeletons` (how to read a few bytes as text) the messages of a sound version 3 file are not parsed, only looked at from both ends (`skeletonRow`): `unread`
 * names them. A line of those that turns out to be damaged, or to say something else, is a reason to read the file again without.
 */
export class SessionParser {
  readonly #scanner: LineScanner;
  readonly #finder = new HeaderFinder();
  readonly #rows: Row[] = [];
  readonly #oddParents = new Map<number, unknown>();
  readonly #spans: EntrySpans;
  readonly #unread: number[] = [];
  readonly #damage: Damage[] = [];
  readonly #taken: TakenIds;
  readonly #skeletons: AsciiText | null;
  readonly #before: number;
  #finished = true;
  #resume = { offset: 0, line: 1 };

  constructor({ tail, skeletons = null }: { tail?: Tail; skeletons?: AsciiText | null } = {}) {
    this.#scanner = new LineScanner((bytes, span, finished) => this.#line(bytes, span, finished), tail);
    this.#taken = tail?.taken ?? new Set();
    this.#skeletons = skeletons;
    this.#before = tail?.index ?? 0;
    this.#spans = new EntrySpans(this.#before);
    if (tail !== undefined) {
      this.#finder.assume(tail.version);
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
    const rows = this.#rows;
    const hung = hangRows(
      {
        rows,
        oddParents: this.#oddParents,
        indexOf: (id) => this.#spans.indexOf(id),
        lineAt: (at) => this.#spans.lineAt(at),
      },
      this.#taken,
    );
    return {
      header: found.header,
      version: found.version,
      readOnly: readOnlyReason(found),
      rows,
      spans: this.#spans,
      unread: this.#unread,
      damage: [...found.damage, ...this.#damage, ...hung].sort((a, b) => a.line - b.line),
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
    const quick = this.#skeletons !== null && finished && this.#finder.isSettled;
    if (quick && this.#skeleton(raw, span, this.#skeletons)) return;
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

  /** Whether the line was a message that could be taken by its ends. */
  #skeleton(line: Uint8Array, span: LineSpan, text: AsciiText): boolean {
    const row = skeletonRow(line, text);
    if (row === null || !this.#isFree(row.id)) return false;
    this.#unread.push(this.#rows.length);
    this.#rows.push(row);
    this.#spans.add(row.id, span);
    return true;
  }

  #entry(fields: Readonly<Record<string, unknown>>, text: string, span: LineSpan): void {
    const migrated = migrateEntry(fields, this.#finder.version, this.#before + this.#rows.length);
    const { type, id: named, parentId: parent } = migrated;
    if (typeof type !== "string") return this.#report(span.line, "malformed", "has no type");
    if (typeof named !== "string" || named === "") return this.#report(span.line, "malformed", "has no id");
    if (named.length > LONGEST_ID) return this.#report(span.line, "malformed", "its id is too long");
    const id = this.#freeId(entryId(named), span.line);
    if (parent !== null && parent !== undefined && typeof parent !== "string")
      this.#oddParents.set(this.#rows.length, parent);
    this.#rows.push(rowOf(readEntry(migrated, id, text)));
    this.#spans.add(id, span);
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
    return !this.#spans.has(id) && (this.#before === 0 || !this.#taken.has(id));
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
