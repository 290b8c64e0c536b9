import type { SessionHeader } from "@espalier/protocol";
import { isFields } from "./known-entry.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The version this project and pi 1.6.0 write; later ones are read as they are. */
export const CURRENT_VERSION = 3;

/** Id of the entry at a zero-based index (header not counted) of a version 1 file, which names none: 8 hex digits. */
export const idOfIndex = (index: number): string => index.toString(16).padStart(8, "0");

/** Role of version 2 that is called "custom" since. */
const renameRole = (entry: Fields): Fields =>
  isFields(entry.message) && entry.message.role === "hookMessage"
    ? { ...entry, message: { ...entry.message, role: "custom" } }
    : entry;

/** `firstKeptEntryIndex` counts the file's entries with the header as 0; an index that names no entry keeps nothing. */
const nameFirstKept = ({ firstKeptEntryIndex, ...entry }: Fields): Fields => ({
  ...entry,
  firstKeptEntryId:
    typeof firstKeptEntryIndex === "number" && firstKeptEntryIndex >= 1
      ? idOfIndex(firstKeptEntryIndex - 1)
      : "",
});

/**
 * One entry of an older file as version 3 would hold it, in memory only. `index` is the entry's zero-based index among the
 * file's entries; version 1 files are lines without ids, each the child of the one before.
 */
export const migrateEntry = (entry: Fields, version: number, index: number): Fields => {
  if (version >= CURRENT_VERSION) return entry;
  const renamed = renameRole(entry);
  if (version >= 2) return renamed;
  const kept =
    renamed.type === "compaction" && "firstKeptEntryIndex" in renamed ? nameFirstKept(renamed) : renamed;
  return { ...kept, id: idOfIndex(index), parentId: index === 0 ? null : idOfIndex(index - 1) };
};

/** A header with old names read as new ones; unknown fields stay. */
export const migrateHeader = (header: Fields): SessionHeader => {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const branchedFrom = text(header.branchedFrom);
  return {
    ...header,
    type: "session",
    id: text(header.id),
    timestamp: text(header.timestamp),
    cwd: text(header.cwd),
    ...(typeof header.parentSession !== "string" && branchedFrom !== ""
      ? { parentSession: branchedFrom }
      : {}),
  } as SessionHeader;
};
