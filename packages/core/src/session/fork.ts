import type { EntryId, SessionHeader } from "@espalier/protocol";
import { isPosition } from "./aside.ts";
import { type AnyEntry, asKnown } from "./known-entry.ts";
import { CURRENT_VERSION } from "./migrate.ts";
import { rowOf } from "./row.ts";

/** What a copy is to be called and where it belongs. `time` in epoch ms; `cwd` absent keeps the source's folder. */
export interface CopyStamp {
  readonly id: string;
  readonly time: number;
  /** Absolute path of the source's file. */
  readonly parentSession: string;
  readonly cwd?: string;
}

export interface SessionCopy {
  readonly header: SessionHeader;
  readonly entries: readonly AnyEntry[];
}

const copyHeader = (source: SessionHeader, stamp: CopyStamp): SessionHeader => ({
  type: "session",
  version: CURRENT_VERSION,
  id: stamp.id,
  timestamp: new Date(stamp.time).toISOString(),
  cwd: stamp.cwd ?? source.cwd,
  parentSession: stamp.parentSession,
});

/**
 * The same entry under another parent; the same object when it hangs there already, so that a line of an unknown type is
 * copied byte for byte.
 */
const under = (entry: AnyEntry, parentId: EntryId | null): AnyEntry =>
  entry.parentId === parentId ? entry : { ...entry, parentId };

/** What a label or an outcome mark points at; undefined for any other entry. */
const markedBy = (entry: AnyEntry): string | undefined => {
  if (entry.type !== "label" && entry.type !== "custom") return undefined;
  const { type, target, outcome } = rowOf(entry);
  return type === "label" || outcome !== undefined || target !== undefined ? target : undefined;
};

/** Entries that a path does not need: what still holds of them is put at the end. */
const isLeftOut = (entry: AnyEntry): boolean =>
  entry.type === "label" || isPosition(entry) || markedBy(entry) !== undefined;

/** For each id the id itself, or, if its entry is left out, the next one on the path that stays. */
const successors = (path: readonly AnyEntry[]): ReadonlyMap<string, EntryId> => {
  const next = new Map<string, EntryId>();
  let kept: EntryId | undefined;
  for (const entry of path.toReversed()) {
    if (!isLeftOut(entry)) kept = entry.id;
    if (kept !== undefined) next.set(entry.id, kept);
  }
  return next;
};

/** A compaction whose first kept entry is left out keeps from the next one on. */
const pointInside = (entry: AnyEntry, next: ReadonlyMap<string, EntryId>): AnyEntry => {
  const known = asKnown(entry);
  if (known?.type !== "compaction") return entry;
  const firstKeptEntryId = next.get(known.firstKeptEntryId) ?? known.firstKeptEntryId;
  return firstKeptEntryId === known.firstKeptEntryId ? entry : { ...known, firstKeptEntryId };
};

/**
 * A new session of one path. Entries keep their ids; labels, outcome marks and remembered positions on the path are left out and
 * the links closed over them. `marks` are the labels and outcome marks that hold, one for each target; those of entries on the path
 * stand at the end with their own times. `path` holds the path's entries, root first, and ends with the chosen one.
 */
export const forkPath = (
  source: SessionHeader,
  path: readonly AnyEntry[],
  marks: readonly AnyEntry[],
  stamp: CopyStamp,
): SessionCopy => {
  const next = successors(path);
  let parent: EntryId | null = null;
  const entries: AnyEntry[] = [];
  for (const entry of path) {
    if (isLeftOut(entry)) continue;
    entries.push(pointInside(under(entry, parent), next));
    parent = entry.id;
  }
  const onPath = new Set<string>(entries.map(({ id }) => id));
  for (const mark of marks) {
    if (!onPath.has(markedBy(mark) ?? "") || onPath.has(mark.id)) continue;
    entries.push(under(mark, parent));
    parent = mark.id;
  }
  return { header: copyHeader(source, stamp), entries };
};

/** A version 3 copy of a whole session, all branches, for one that cannot be appended to where it lies. */
export const copyForWriting = (
  source: SessionHeader,
  entries: readonly AnyEntry[],
  stamp: CopyStamp,
): SessionCopy => ({ header: copyHeader(source, stamp), entries });
