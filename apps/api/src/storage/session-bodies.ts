import {
  type AnyEntry,
  type EntrySpan,
  type EntrySpans,
  type ParsedSession,
  ProblemError,
  readLine,
  wholeRow,
} from "@espalier/core";
import type { EntryId, Row, SessionId } from "@espalier/protocol";
import { BodyCache } from "./body-cache.ts";
import { diskProblem } from "./disk-problem.ts";
import type { OpenFile } from "./fs.ts";
import { readSpans } from "./read-spans.ts";

/** Bytes of lines whose rows are filled in one go: a few milliseconds of parsing. */
const SLICE = 384 * 1024;

/** Where every entry of one file lies, and their bodies on demand. */
export class SessionBodies {
  readonly #of: { readonly id: SessionId; readonly path: string };
  readonly #version: number;
  readonly #spans: EntrySpans;
  readonly #reader: OpenFile;
  readonly #cache = new BodyCache();
  /** Rows that hold only what the tree needs, in file order; they are filled from the end. */
  readonly #unread: Row[];

  readonly #onMisread: () => void;

  constructor(
    of: { readonly id: SessionId; readonly path: string },
    parsed: ParsedSession,
    reader: OpenFile,
    onMisread: () => void = () => undefined,
  ) {
    this.#onMisread = onMisread;
    this.#of = of;
    this.#version = parsed.version;
    this.#spans = parsed.spans;
    this.#reader = reader;
    this.#unread = parsed.unread.map((at) => parsed.rows[at] as Row);
  }

  /** Says where an entry that was written or found since lies; in file order. */
  place(id: EntryId, span: EntrySpan): void {
    this.#spans.add(id, span);
  }

  /** Bodies in the order asked for. Throws ProblemError `not_found`, `session_changed` or `io`. */
  async read(ids: readonly EntryId[], once?: "once"): Promise<AnyEntry[]> {
    const entries: AnyEntry[] = [];
    const missing: { at: number; id: EntryId; span: EntrySpan }[] = [];
    for (const [at, id] of ids.entries()) {
      const held = this.#cache.get(id);
      if (held !== undefined) {
        entries[at] = held;
        continue;
      }
      const span = this.#spans.get(id);
      if (span === undefined)
        throw new ProblemError("not_found", `Entry ${id} is not in session ${this.#of.id}.`);
      missing.push({ at, id, span });
    }
    try {
      for await (const { item, bytes } of readSpans(this.#reader, missing)) {
        const entry = readLine(bytes, item.id, this.#version, item.span.index);
        if (entry === null) throw this.#misread(item.id);
        entries[item.at] = entry;
      }
    } catch (error) {
      throw diskProblem(error, `Reading ${this.#of.path}`);
    }
    if (once) return entries;
    for (const { at, id, span } of missing)
      this.#cache.set(id, entries[at] as AnyEntry, span.end - span.start);
    return entries;
  }

  /** Whole rows for some of those that hold only what the tree needs; empty when there are none any more. */
  async nextRows(): Promise<Row[]> {
    const rows: Row[] = [];
    const places = this.#lastUnread();
    try {
      for await (const { item, bytes } of readSpans(this.#reader, places)) {
        const row = wholeRow(bytes, item.row);
        if (row === null) throw this.#misread(item.row.id);
        rows.push(row);
      }
    } catch (error) {
      throw diskProblem(error, `Reading ${this.#of.path}`);
    }
    this.#unread.length -= places.length;
    return rows;
  }

  #lastUnread(): { row: Row; span: EntrySpan }[] {
    const places: { row: Row; span: EntrySpan }[] = [];
    let bytes = 0;
    for (let at = this.#unread.length - 1; at >= 0 && bytes < SLICE; at -= 1) {
      const row = this.#unread[at] as Row;
      const span = this.#spans.get(row.id) as EntrySpan;
      bytes += span.end - span.start;
      places.push({ row, span });
    }
    return places;
  }

  #misread(id: EntryId): ProblemError {
    this.#onMisread();
    return new ProblemError(
      "session_changed",
      `Entry ${id} of ${this.#of.path} has changed, or its line is damaged.`,
    );
  }
}
