import type { EntryId } from "@espalier/protocol";
import type { LineSpan } from "./scan-lines.ts";

/** Where an entry's line lies, and what is needed to read it again by itself. */
export interface EntrySpan extends LineSpan {
  /** Zero-based among the file's entries; version 1 files name entries by it. */
  readonly index: number;
}

/** The places of a file's entries in file order, held as columns: a hundred thousand small objects would cost ten times as much. */
export class EntrySpans {
  readonly #at = new Map<EntryId, number>();
  readonly #lines: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  readonly #before: number;

  /** `before`: entries of the file that stand before the first one held here. */
  constructor(before = 0) {
    this.#before = before;
  }

  get size(): number {
    return this.#starts.length;
  }

  has(id: EntryId): boolean {
    return this.#at.has(id);
  }

  /** Place among the entries held here, or -1. */
  indexOf(id: EntryId): number {
    return this.#at.get(id) ?? -1;
  }

  /** Adds the next entry of the file. */
  add(id: EntryId, { line, start, end }: LineSpan): void {
    this.#at.set(id, this.#starts.length);
    this.#lines.push(line);
    this.#starts.push(start);
    this.#ends.push(end);
  }

  lineAt(at: number): number {
    return this.#lines[at] ?? 0;
  }

  get(id: EntryId): EntrySpan | undefined {
    const at = this.#at.get(id);
    if (at === undefined) return undefined;
    return {
      line: this.#lines[at] ?? 0,
      start: this.#starts[at] ?? 0,
      end: this.#ends[at] ?? 0,
      index: this.#before + at,
    };
  }

  *[Symbol.iterator](): Generator<[EntryId, EntrySpan]> {
    for (const id of this.#at.keys()) yield [id, this.get(id) as EntrySpan];
  }
}
