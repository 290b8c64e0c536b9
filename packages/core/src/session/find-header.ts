import type { Damage, SessionHeader } from "@espalier/protocol";
import { CURRENT_VERSION, migrateHeader } from "./migrate.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface FoundHeader {
  readonly header: SessionHeader;
  readonly version: number;
  /** Whether the header stands in the file where it belongs; else it was put together in memory. */
  readonly sound: boolean;
  readonly damage: readonly Damage[];
}

/** Types of version 1, whose entries have no ids. */
const OLD_TYPES: ReadonlySet<unknown> = new Set([
  "message",
  "model_change",
  "thinking_level_change",
  "compaction",
]);

const isHeader = (fields: Fields): boolean => fields.type === "session" && typeof fields.id === "string";

const looksLikeEntry = (fields: Fields): boolean =>
  typeof fields.type === "string" &&
  (typeof fields.id === "string"
    ? "parentId" in fields
    : OLD_TYPES.has(fields.type) && "timestamp" in fields);

const decoder = new TextDecoder();

/** The fields of a header that can still be made out in a damaged line. */
const salvage = (bytes: Uint8Array): Fields => {
  const text = decoder.decode(bytes.subarray(0, 8192));
  const field = (name: string): string | undefined => {
    const value = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(text)?.[1];
    try {
      return value === undefined ? undefined : String(JSON.parse(value));
    } catch {
      return undefined;
    }
  };
  const version = /"version"\s*:\s*(\d+)/.exec(text)?.[1];
  const fields = { id: field("id"), timestamp: field("timestamp"), cwd: field("cwd") };
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(version === undefined ? {} : { version: Number(version) }),
  };
};

/**
 * Finds the header among the lines of a file. It should be the first line that is JSON; when it is damaged or stands later, a
 * header is put together in memory so that the rest can be read.
 */
export class HeaderFinder {
  readonly #damage: Damage[] = [];
  #header: Fields | null = null;
  #salvaged: Fields = {};
  #version: number | null = null;
  #sound = true;
  #entries = 0;
  #firstTime = "";

  /** Version to read entries by; known from the header, else guessed from the first entry. */
  get version(): number {
    return this.#version ?? CURRENT_VERSION;
  }

  /** Whether a sound header of the present version was found where it belongs: nothing that follows changes how lines are read. */
  get isSettled(): boolean {
    return this.#header !== null && this.#sound && this.version >= CURRENT_VERSION;
  }

  /** For the tail of a file whose header was read before. */
  assume(version: number): void {
    this.#version = version;
    this.#header = { type: "session", version };
  }

  /** A line that is no JSON. */
  unreadable(bytes: Uint8Array, line: number): void {
    if (this.#header === null && this.#entries === 0 && line <= 1) this.#salvaged = salvage(bytes);
  }

  /** Takes a line that is no entry: the header, or what stands before it. Returns whether it took it. */
  offer(fields: Fields, line: number): boolean {
    if (isHeader(fields)) {
      this.#offerHeader(fields, line);
      return true;
    }
    if (looksLikeEntry(fields)) {
      this.#noteEntry(fields, line);
      return false;
    }
    if (this.#header !== null || this.#entries > 0) return false;
    if (typeof fields.id === "string" && typeof fields.cwd === "string") this.#salvaged = fields;
    this.#damaged(line, "stands where the header belongs and is none");
    return true;
  }

  found(): FoundHeader | null {
    if (this.#header === null && this.#entries === 0) return null;
    const fields = this.#header ?? { timestamp: this.#firstTime, ...this.#salvaged, version: this.version };
    return { header: migrateHeader(fields), version: this.version, sound: this.#sound, damage: this.#damage };
  }

  #offerHeader(fields: Fields, line: number): void {
    if (this.#header !== null) {
      this.#damage.push({ line, kind: "foreign_header", detail: "a second header, which nothing reads" });
      return;
    }
    this.#header = fields;
    if (this.#entries > 0) return this.#damaged(line, "the header stands below entries");
    this.#version =
      typeof fields.version === "number" ? fields.version : fields.version === undefined ? 1 : 3;
  }

  #noteEntry(fields: Fields, line: number): void {
    if (this.#header === null && this.#entries === 0) {
      const salvaged = this.#salvaged.version;
      const guess = typeof fields.id === "string" ? CURRENT_VERSION : 1;
      this.#version = typeof salvaged === "number" && typeof fields.id === "string" ? salvaged : guess;
      this.#firstTime = typeof fields.timestamp === "string" ? fields.timestamp : "";
      if (this.#sound)
        this.#damaged(line, "entries begin without a header; it is put together in memory only");
    }
    this.#entries += 1;
  }

  #damaged(line: number, detail: string): void {
    this.#sound = false;
    this.#damage.push({ line, kind: "foreign_header", detail });
  }
}
