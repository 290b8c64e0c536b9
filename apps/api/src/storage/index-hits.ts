import { type AnyEntry, asKnown, readLine } from "@espalier/core";
import { type EntryId, entryId, type SearchHit } from "@espalier/protocol";
import type { Fs, OpenFile } from "./fs.ts";
import type { FoundEntry, IndexedFile } from "./index-database.ts";
import { textOfEntry } from "./index-text.ts";
import { excerptOf, occursIn, type SearchQuery } from "./search-query.ts";

/** Where a hit is read: a label at what it labels, a name or another note at the entry it hangs at. */
const placeOf = (entry: AnyEntry, { id, near }: FoundEntry): EntryId => {
  const known = asKnown(entry);
  return known?.type === "label" ? known.targetId : entryId(near ?? id);
};

/** The hit of an entry as its file has it now; null when another line stands there. */
const readHit = async (
  open: OpenFile,
  file: IndexedFile,
  found: FoundEntry,
  query: SearchQuery,
): Promise<SearchHit | null> => {
  const bytes = await open.read(found.start, found.size);
  // Of two entries with one id the second goes by another than its line names.
  const entry = readLine(bytes, entryId(found.id), file.reading.version, found.index);
  if (entry === null || entry.type.slice(0, 64) !== found.type) return null;
  const { said, tool } = textOfEntry(entry);
  const text = occursIn(said, query) ? said : occursIn(tool, query) ? tool : `${said}\n${tool}`;
  return {
    session: file.route,
    entryId: placeOf(entry, found),
    type: found.type,
    ...(found.role === null ? {} : { role: found.role }),
    time: found.time,
    parts: excerptOf(text, query),
  };
};

/** Excerpts of entries that matched, read from their files; those of files that are gone or changed are left out. */
export const readHits = async (
  fs: Fs,
  found: readonly FoundEntry[],
  fileOf: (key: number) => IndexedFile | undefined,
  query: SearchQuery,
  limit: number,
): Promise<SearchHit[]> => {
  const hits: SearchHit[] = [];
  const open = new Map<string, OpenFile | null>();
  try {
    for (const one of found) {
      if (hits.length === limit) break;
      const file = fileOf(one.key);
      if (file === undefined) continue;
      if (!open.has(file.path)) open.set(file.path, await fs.open(file.path, "read").catch(() => null));
      const reader = open.get(file.path);
      const hit = reader ? await readHit(reader, file, one, query).catch(() => null) : null;
      if (hit !== null) hits.push(hit);
    }
    return hits;
  } finally {
    for (const file of open.values()) await file?.close();
  }
};
