import type { EntryId } from "@espalier/protocol";
import { newEntryId } from "./append-entry.ts";
import { CURRENT_VERSION, migrateEntry } from "./migrate.ts";
import { type ParsedSession, parseJsonl } from "./parse-jsonl.ts";
import { isBlank, parseLine } from "./parse-line.ts";
import { joinBytes, LineScanner } from "./scan-lines.ts";
import { serializeHeader, wellFormedJson } from "./serialize.ts";

/** What a repair did, in counts. */
export interface RepairCounts {
  /** Records that raw line ends had split, put together again. */
  readonly joined: number;
  /** Lines that could not be read and are not in the copy. */
  readonly dropped: number;
  /** Entries whose id was taken and that have a new one. */
  readonly renamed: number;
  /** Entries that hang somewhere else, since their parent was not there or their own descendant. */
  readonly reattached: number;
}

/** One thing a repair did. `line` is 1-based in the damaged file. */
export interface RepairStep {
  readonly line: number;
  readonly what: "joined" | "dropped" | "renamed" | "reattached" | "header";
  readonly detail: string;
}

export interface Repaired {
  readonly text: string;
  readonly counts: RepairCounts;
  /** By line. */
  readonly steps: readonly RepairStep[];
}

interface Line {
  readonly line: number;
  readonly bytes: Uint8Array;
}

/** Pieces of one record that are tried together. */
const LONGEST_RUN = 100;
const ESCAPED_END = new TextEncoder().encode("\\n");
const LINE_END = new Uint8Array([0x0a]);

const linesOf = (bytes: Uint8Array): Uint8Array[] => {
  const lines: Uint8Array[] = [];
  const scanner = new LineScanner((line) => lines.push(line.slice()));
  scanner.push(bytes);
  scanner.finish();
  return lines;
};

const isReadable = (line: Uint8Array): boolean => !("problem" in parseLine(line));

/** How many lines from `at` on make one record when the line ends between them are escaped; 0 when none do. */
const runLength = (lines: readonly Uint8Array[], at: number): number => {
  const pieces: Uint8Array[] = [];
  for (let next = at; next < lines.length && next - at < LONGEST_RUN; next += 1) {
    const line = lines[next] as Uint8Array;
    if (!isBlank(line) && isReadable(line)) return 0;
    if (pieces.length > 0) pieces.push(ESCAPED_END);
    pieces.push(line);
    if (next > at && isReadable(joinBytes(pieces))) return next - at + 1;
  }
  return 0;
};

/** The lines that can be read, pieces of one record joined, and what was done to get them. */
const readableLines = (lines: readonly Uint8Array[], steps: RepairStep[]): Line[] => {
  const whole: Line[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const bytes = lines[at] as Uint8Array;
    const line = at + 1;
    if (isBlank(bytes)) continue;
    const read = parseLine(bytes);
    if (!("problem" in read)) {
      whole.push({ line, bytes });
      continue;
    }
    const run = runLength(lines, at);
    if (run === 0) {
      steps.push({ line, what: "dropped", detail: read.problem });
      // Kept so far as it may be a damaged header, of which some fields can still be made out.
      if (whole.length === 0) whole.push({ line, bytes });
      continue;
    }
    steps.push({ line, what: "joined", detail: `lines ${line} to ${line + run - 1} are one record` });
    const pieces = lines
      .slice(at, at + run)
      .flatMap((piece, n) => (n === 0 ? [piece] : [ESCAPED_END, piece]));
    whole.push({ line, bytes: joinBytes(pieces) });
    at += run - 1;
  }
  return whole;
};

/** The header's own line where it is sound and of this version, else a new one. */
const headerOf = (session: ParsedSession, lines: readonly Line[], steps: RepairStep[]): string => {
  if (session.readOnly === null) {
    const header = lines.find(isHeader);
    if (header !== undefined) return `${new TextDecoder().decode(header.bytes)}\n`;
  }
  const detail =
    session.version < CURRENT_VERSION
      ? `the header says version ${CURRENT_VERSION} now`
      : "the header was put together of what could be made out of it";
  steps.push({ line: 1, what: "header", detail });
  return headerLine(session.header, session.rows[0]?.time ?? 0);
};

const countsOf = (steps: readonly RepairStep[]): RepairCounts => {
  const count = (wanted: RepairStep["what"]): number => steps.filter(({ what }) => what === wanted).length;
  return {
    joined: count("joined"),
    dropped: count("dropped"),
    renamed: count("renamed"),
    reattached: count("reattached"),
  };
};

const isHeader = ({ bytes }: Line): boolean => {
  const read = parseLine(bytes);
  return !("problem" in read) && read.fields.type === "session";
};

/** Lines that are JSON and that nothing reads: no entries, or headers behind the first. */
const noteUnused = (session: ParsedSession, lines: readonly Line[], steps: RepairStep[]): void => {
  const header = lines.find(isHeader);
  for (const { line, kind, detail } of session.damage) {
    const original = lines[line - 1];
    if (original === undefined || original === header) continue;
    const unused = kind === "malformed" || (kind === "foreign_header" && isHeader(original));
    const isTold = steps.some((step) => step.line === original.line && step.what === "dropped");
    if (unused && !isTold) steps.push({ line: original.line, what: "dropped", detail });
  }
};

/**
 * The text of a sound version 3 session with everything that can be read of a damaged one: split records joined, unreadable lines
 * left out, later entries with a taken id under a new one, entries without a parent re-attached. Lines that need no change are
 * copied as they stand. Null if there is nothing of a session in the bytes.
 */
export const repairJsonl = (bytes: Uint8Array): Repaired | null => {
  const steps: RepairStep[] = [];
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const lines = readableLines(linesOf(marked ? bytes.subarray(3) : bytes), steps);
  const joined = joinBytes(lines.flatMap((line) => [line.bytes, LINE_END]));
  const session = parseJsonl(joined);
  if (session === null) return null;
  const { version, rows, spans } = session;
  noteUnused(session, lines, steps);
  const head = headerOf(session, lines, steps);
  const newIds = new Map<EntryId, EntryId>();
  const drawn = new Set<EntryId>();
  const duplicates = new Set(
    session.damage.filter(({ kind }) => kind === "duplicate_id").map(({ line }) => line),
  );
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = rows.map((row) => {
    const span = spans.get(row.id);
    if (span === undefined) return "";
    const line = lines[span.line - 1]?.line ?? span.line;
    const raw = decoder.decode(joined.subarray(span.start, span.end));
    const fields = migrateEntry(JSON.parse(raw) as Record<string, unknown>, version, span.index);
    const id = duplicates.has(span.line) ? newEntryId((one) => spans.has(one) || drawn.has(one)) : row.id;
    if (id !== row.id) {
      newIds.set(row.id, id);
      drawn.add(id);
      steps.push({ line, what: "renamed", detail: `id ${String(fields.id)} was taken: it is ${id} now` });
    }
    const parentId = row.parentId === null ? null : (newIds.get(row.parentId) ?? row.parentId);
    if (row.flags?.includes("reattached")) {
      const detail = `${id} hangs under ${parentId ?? "the root"} now, not under ${JSON.stringify(fields.parentId)}`;
      steps.push({ line, what: "reattached", detail });
    }
    const same = version >= CURRENT_VERSION && fields.id === id && fields.parentId === parentId;
    return `${same ? raw : wellFormedJson({ ...fields, id, parentId })}\n`;
  });
  steps.sort((a, b) => a.line - b.line);
  return { text: `${head}${text.join("")}`, counts: countsOf(steps), steps };
};

const headerLine = (header: Parameters<typeof serializeHeader>[0], firstTime: number): string => {
  const { id, timestamp, version, ...more } = header;
  return serializeHeader({
    ...more,
    version: Math.max(version ?? 1, CURRENT_VERSION),
    id: id === "" ? crypto.randomUUID() : id,
    timestamp: timestamp === "" ? new Date(firstTime).toISOString() : timestamp,
  });
};
