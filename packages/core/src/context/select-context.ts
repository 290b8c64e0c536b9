import type { EntryId, Row } from "@espalier/protocol";
import { POSITION } from "../session/aside.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";

/** What the choice of a context needs to know of an entry; a row has all of it. */
export interface ContextNode {
  readonly id: EntryId;
  readonly type: string;
  readonly role?: string;
  /** Of a compaction: the first entry it keeps. */
  readonly firstKept?: string;
  /** False where the entry's own parent is not in the file: what stands before is for the eye only. */
  readonly linked: boolean;
  /** Remembers a place and nothing else. */
  readonly position: boolean;
}

export const nodeOfRow = (row: Row): ContextNode => ({
  id: row.id,
  type: row.type,
  ...(row.role === undefined ? {} : { role: row.role }),
  ...(row.type === "compaction" && row.target !== undefined ? { firstKept: row.target } : {}),
  linked: !(row.flags?.includes("reattached") ?? false),
  position: row.type === "custom" && row.name === POSITION,
});

/** `before` is the entry above on the path, if any. */
export const nodeOfEntry = (entry: AnyEntry, before: AnyEntry | undefined): ContextNode => {
  const known = asKnown(entry);
  return {
    id: entry.id,
    type: entry.type,
    ...(known?.type === "message" ? { role: known.message.role } : {}),
    ...(known?.type === "compaction" ? { firstKept: known.firstKeptEntryId } : {}),
    linked: before === undefined || entry.parentId === before.id,
    position: known?.type === "custom" && known.customType === POSITION,
  };
};

export interface ContextSelection {
  /** Indices into the path, in the order of the context: the newest compaction first, what it keeps, what follows it. */
  readonly indices: readonly number[];
  /** Index of the newest compaction, or -1. */
  readonly compaction: number;
  /** Index of the first entry that counts at all: after the last break in the chain of parents. */
  readonly start: number;
}

/**
 * Chooses the entries of a path that make up its context, as pi 1.6.0 does: from the newest compaction on, preceded by what that
 * compaction keeps, without the system messages in the kept part (its checkpoint stands for them). A `firstKept` that is not on
 * the path before the compaction keeps nothing.
 */
export const selectContext = (path: readonly ContextNode[]): ContextSelection => {
  const start = Math.max(
    0,
    path.findLastIndex((node) => !node.linked),
  );
  const compaction = path.findLastIndex((node, at) => at >= start && node.type === "compaction");
  const all = path.map((_, at) => at).filter((at) => at >= start && path[at]?.position !== true);
  if (compaction < 0) return { indices: all, compaction, start };
  const firstKept = path[compaction]?.firstKept;
  const from = path.findIndex((node, at) => at >= start && at < compaction && node.id === firstKept);
  const kept =
    from < 0 ? [] : all.filter((at) => at >= from && at < compaction && path[at]?.role !== "system");
  return { indices: [compaction, ...kept, ...all.filter((at) => at > compaction)], compaction, start };
};
