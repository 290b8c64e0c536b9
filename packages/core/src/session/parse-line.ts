import type { EntryId, Row } from "@espalier/protocol";
import { type AnyEntry, isFields } from "./known-entry.ts";
import { CURRENT_VERSION, migrateEntry } from "./migrate.ts";
import { readEntry } from "./read-entry.ts";
import { rowOf } from "./row.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Levels of arrays and objects; what a model or a tool gives has fewer than twenty. */
const DEEPEST = 500;

/** The recursion ends at the limit, so it cannot overflow. */
const nestsDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  // Parsed values have no inherited fields; listing them as an array first would double the cost of every line.
  for (const key in value) if (nestsDeeper((value as Record<string, unknown>)[key], levels - 1)) return true;
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

/**
 * The whole row of a message whose line was only looked at from both ends (`skeletonRow`). Null when the line cannot be parsed or
 * says something else than its ends seemed to: then the file must be read again, line by line.
 */
export const wholeRow = (bytes: Uint8Array, skeleton: Row): Row | null => {
  const line = parseLine(bytes);
  if ("problem" in line || line.fields.id !== skeleton.id) return null;
  const row = rowOf(readEntry(migrateEntry(line.fields, CURRENT_VERSION, 0), skeleton.id, line.text));
  const moved = skeleton.flags?.includes("reattached") ?? false;
  const same =
    row.type === skeleton.type &&
    row.role === skeleton.role &&
    row.time === skeleton.time &&
    (moved || row.parentId === skeleton.parentId);
  return same ? row : null;
};
