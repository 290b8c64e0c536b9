import type { EntryId } from "@espalier/protocol";
import { newEntryId } from "./append-entry.ts";
import { CURRENT_VERSION, migrateEntry } from "./migrate.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { isBlank, parseLine } from "./parse-line.ts";
import { joinBytes, LineScanner } from "./scan-lines.ts";
import { serializeHeader, wellFormedJson } from "./serialize.ts";

/** What a repair did, in counts. */
export interface RepairCounts {
  /** Records that raw line ends had split, put together again. */
  joined: number;
  /** Lines that could not be read and are not in the copy. */
  dropped: number;
  /** Entries whose id was taken and that have a new one. */
  renamed: number;
  /** Entries that hang somewhere else, since their parent was not there or their own descendant. */
  reattached: number;
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

const joinPieces = (lines: readonly Uint8Array[], counts: RepairCounts): Uint8Array[] => {
  const whole: Uint8Array[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as Uint8Array;
    if (isBlank(line)) continue;
    if (isReadable(line)) {
      whole.push(line);
      continue;
    }
    const run = runLength(lines, at);
    if (run === 0) {
      counts.dropped += 1;
      // Kept so far as it may be a damaged header, of which some fields can still be made out.
      if (whole.length === 0) whole.push(line);
      continue;
    }
    counts.joined += 1;
    whole.push(
      joinBytes(
        lines.slice(at, at + run).flatMap((piece, index) => (index === 0 ? [piece] : [ESCAPED_END, piece])),
      ),
    );
    at += run - 1;
  }
  return whole;
};

/**
 * The text of a sound version 3 session with everything that can be read of a damaged one: split records joined, unreadable lines
 * left out, later entries with a taken id under a new one, entries without a parent re-attached. Lines that need no change are
 * copied as they stand. Null if there is nothing of a session in the bytes.
 */
export const repairJsonl = (bytes: Uint8Array): { text: string; counts: RepairCounts } | null => {
  const counts: RepairCounts = { joined: 0, dropped: 0, renamed: 0, reattached: 0 };
  const lines = joinPieces(linesOf(bytes), counts);
  const joined = joinBytes(lines.flatMap((line) => [line, LINE_END]));
  const session = parseJsonl(joined);
  if (session === null) return null;
  const { header, version, rows, spans } = session;
  const newIds = new Map<EntryId, EntryId>();
  const isTaken = (id: EntryId): boolean => spans.has(id) || [...newIds.values()].includes(id);
  const duplicates = new Set(
    session.damage.filter(({ kind }) => kind === "duplicate_id").map(({ line }) => line),
  );
  const decoder = new TextDecoder();
  const text = rows.map((row) => {
    const span = spans.get(row.id);
    if (span === undefined) return "";
    const raw = decoder.decode(joined.subarray(span.start, span.end));
    const fields = migrateEntry(JSON.parse(raw) as Record<string, unknown>, version, span.index);
    const id = duplicates.has(span.line) ? newEntryId(isTaken) : row.id;
    if (id !== row.id) newIds.set(row.id, id);
    if (row.flags?.includes("reattached")) counts.reattached += 1;
    const parentId = row.parentId === null ? null : (newIds.get(row.parentId) ?? row.parentId);
    const same = version >= CURRENT_VERSION && fields.id === id && fields.parentId === parentId;
    return `${same ? raw.trimEnd() : wellFormedJson({ ...fields, id, parentId })}\n`;
  });
  counts.renamed = newIds.size;
  return { text: `${headerLine(header, rows[0]?.time ?? 0)}${text.join("")}`, counts };
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
