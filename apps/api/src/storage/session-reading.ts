import { createHash } from "node:crypto";
import {
  type AnyEntry,
  addToSummary,
  asKnown,
  HeaderFinder,
  isAside,
  LineScanner,
  type LineSpan,
  migrateEntry,
  NO_SUMMARY,
  parseLine,
  readEntry,
  type SessionSummary,
} from "@espalier/core";
import { entryId, type SessionHeader, type Usage } from "@espalier/protocol";
import { type EntryText, textOfEntry } from "./index-text.ts";

/** How far a file was read and what was found so far: all that is needed to read on from there, as JSON. */
export interface ReadingState {
  /** Where the next line begins. The line before it may be whole and still lack its end: then `finished` is false. */
  readonly offset: number;
  readonly line: number;
  readonly finished: boolean;
  readonly header: SessionHeader | null;
  readonly version: number;
  /** False where the header stands elsewhere or is damaged: such a file is read anew on every change. */
  readonly sound: boolean;
  readonly entries: number;
  readonly summary: SessionSummary;
  readonly tokens: number;
  readonly cost: number;
  readonly model: string | null;
  readonly damaged: number;
  /** Ids of the entries with nothing below them. */
  readonly tips: readonly string[];
  /** Parents that entries name and that have not been seen. */
  readonly loose: readonly string[];
  /** Last entry that is no aside. */
  readonly last: string | null;
  /** A parent stands below its child: only reading the whole file tells how it hangs together. */
  readonly odd: boolean;
}

export const UNREAD: ReadingState = {
  offset: 0,
  line: 1,
  finished: true,
  header: null,
  version: 0,
  sound: true,
  entries: 0,
  summary: NO_SUMMARY,
  tokens: 0,
  cost: 0,
  model: null,
  damaged: 0,
  tips: [],
  loose: [],
  last: null,
  odd: false,
};

/** An entry as the index keeps it. `near`: for an aside the entry it is a note to, "" if none; null for all others. */
export interface IndexedEntry extends EntryText {
  readonly id: string;
  readonly near: string | null;
  readonly type: string;
  readonly role: string | null;
  readonly time: number;
  readonly start: number;
  readonly size: number;
}

/** Bytes before the offset whose hash tells an append from a file that was written anew. */
export const MARK_BYTES = 4096;

export const markOf = (bytes: Uint8Array): string =>
  createHash("sha256").update(bytes).digest("hex").slice(0, 32);

const amount = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

const usageOf = (entry: AnyEntry): { usage: Partial<Usage> | undefined; answer: boolean } => {
  const known = asKnown(entry);
  if (known?.type === "message") {
    const { message } = known;
    return { usage: message.role === "assistant" ? message.usage : undefined, answer: true };
  }
  return { usage: known !== null && "usage" in known ? known.usage : undefined, answer: false };
};

const modelOf = (entry: AnyEntry): string | null => {
  const known = asKnown(entry);
  if (known?.type === "model_change") return `${known.provider}/${known.modelId}`;
  return known?.type === "message" && known.message.role === "assistant"
    ? `${known.message.provider}/${known.message.model}`
    : null;
};

const timeOf = (entry: AnyEntry): number => {
  const time = typeof entry.timestamp === "string" ? Date.parse(entry.timestamp) : Number.NaN;
  return Number.isFinite(time) ? time : 0;
};

const roleOf = (entry: AnyEntry): string | null => {
  const role = "message" in entry ? (entry.message as { role?: unknown } | null)?.role : undefined;
  return typeof role === "string" ? role : null;
};

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

const isBlank = (bytes: Uint8Array): boolean =>
  bytes.length < 64 && bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);

/**
 * Reads a session file line by line from where a state stands, in bounded memory, and can tell at every chunk where it stands
 * now. However a file is cut into such readings, the end state is the same. A last line that is not JSON yet is left for later.
 */
export class SessionReading {
  readonly #finder = new HeaderFinder();
  readonly #scanner: LineScanner;
  readonly #ids: Map<string, string | null>;
  readonly #tips: Set<string>;
  readonly #loose: Set<string>;
  #state: ReadingState;
  #found: IndexedEntry[] = [];
  #damage: number;
  /** Bytes behind the last whole line that are no line yet. */
  #torn = false;

  /** `ids`: every id that stands before the state's offset, with its `near`; filled further here. */
  constructor(from: ReadingState, ids: Map<string, string | null>) {
    this.#state = from;
    this.#ids = ids;
    this.#tips = new Set(from.tips);
    this.#loose = new Set(from.loose);
    this.#damage = from.damaged;
    if (from.offset > 0) this.#finder.assume(from.version);
    this.#scanner = new LineScanner((bytes, span, finished) => this.#line(bytes, span, finished), from);
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** The file ends here, for now. Returns whether bytes are left over that are no whole line. */
  finish(): { torn: boolean } {
    this.#scanner.finish();
    return { torn: this.#torn };
  }

  /** Entries found since the last call. */
  take(): IndexedEntry[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** Entries that `take` would give. */
  get waiting(): number {
    return this.#found.length;
  }

  get state(): ReadingState {
    const found = this.#finder.found();
    const header = this.#state.header ?? found?.header ?? null;
    return {
      ...this.#state,
      header,
      version: found?.version ?? 0,
      sound: this.#state.sound && (found?.sound ?? true),
      damaged: this.#damage + (found?.damage.length ?? 0),
      tips: [...this.#tips],
      loose: [...this.#loose],
    };
  }

  #line(raw: Uint8Array, span: LineSpan, finished: boolean): void {
    const bytes = span.line === 1 ? withoutMark(raw) : raw;
    const line = isBlank(bytes) ? null : parseLine(bytes);
    if (line !== null && "problem" in line) {
      if (!finished) {
        this.#torn = true;
        return;
      }
      this.#finder.unreadable(bytes, span.line);
      this.#damage += 1;
    }
    this.#state = finished
      ? { ...this.#state, offset: span.end + 1, line: span.line + 1, finished: true }
      : { ...this.#state, offset: span.end, line: span.line, finished: line === null };
    if (line === null || "problem" in line || this.#finder.offer(line.fields, span.line)) return;
    this.#entry(line.fields, line.text, span);
  }

  #entry(fields: Readonly<Record<string, unknown>>, text: string, span: LineSpan): void {
    const migrated = migrateEntry(fields, this.#finder.version, this.#state.entries);
    const { type, id: named, parentId: parent } = migrated;
    if (typeof type !== "string" || typeof named !== "string" || named === "" || named.length > 256) {
      this.#damage += 1;
      return;
    }
    const id = this.#freeId(named);
    const entry = readEntry(migrated, entryId(id), text);
    const aside = isAside(entry);
    const above = this.#hang(id, parent, aside);
    this.#count(entry);
    this.#found.push({
      ...textOfEntry(entry),
      id,
      near: aside ? above : null,
      type: type.slice(0, 64),
      role: roleOf(entry),
      time: timeOf(entry),
      start: span.start,
      size: span.end - span.start,
    });
  }

  #freeId(named: string): string {
    if (!this.#ids.has(named)) return named;
    this.#damage += 1;
    let copy = 2;
    while (this.#ids.has(`${named}~${copy}`)) copy += 1;
    return `${named}~${copy}`;
  }

  /** Puts an entry under its parent; returns the entry it hangs at when asides are skipped, "" for none. */
  #hang(id: string, parent: unknown, aside: boolean): string {
    const known = typeof parent === "string" && this.#ids.has(parent);
    const above = known ? (this.#ids.get(parent as string) ?? (parent as string)) : "";
    // It may still come, further down in the file; until then the entry hangs at the one before it.
    const missing = !known && parent !== null && parent !== undefined;
    const at = missing ? (this.#state.last ?? "") : above;
    if (missing) this.#damage += 1;
    if (missing && typeof parent === "string") this.#loose.add(parent);
    if (this.#loose.has(id)) this.#state = { ...this.#state, odd: true };
    this.#ids.set(id, aside ? at : null);
    if (aside) return at;
    this.#tips.delete(at);
    this.#tips.add(id);
    this.#state = { ...this.#state, last: id };
    return at;
  }

  #count(entry: AnyEntry): void {
    const { usage, answer } = usageOf(entry);
    const state = this.#state;
    this.#state = {
      ...state,
      entries: state.entries + 1,
      summary: addToSummary(state.summary, entry),
      tokens: state.tokens + (answer ? amount(usage?.totalTokens) : 0),
      cost: state.cost + amount(usage?.cost?.total),
      model: modelOf(entry) ?? state.model,
    };
  }
}
