import type { EntryId, Row } from "@espalier/protocol";
import { POSITION } from "../session/aside.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { pathToLeaf } from "../session/path-to-leaf.ts";
import type { SessionTree } from "../session/session-tree.ts";

/** What the choice of a context needs to know of an entry; a row has all of it. */
export interface ContextNode {
  readonly id: EntryId;
  readonly type: string;
  readonly role?: string;
  /** Of a compaction: the first entry it keeps. */
  readonly firstKept?: string;
  /** Remembers a place and nothing else. */
  readonly position: boolean;
}

export const nodeOfRow = (row: Row): ContextNode => ({
  id: row.id,
  type: row.type,
  ...(row.role === undefined ? {} : { role: row.role }),
  ...(row.type === "compaction" && row.target !== undefined ? { firstKept: row.target } : {}),
  position: row.type === "custom" && row.name === POSITION,
});

export const nodeOfEntry = (entry: AnyEntry): ContextNode => {
  const known = asKnown(entry);
  return {
    id: entry.id,
    type: entry.type,
    ...(known?.type === "message" ? { role: known.message.role } : {}),
    ...(known?.type === "compaction" ? { firstKept: known.firstKeptEntryId } : {}),
    position: known?.type === "custom" && known.customType === POSITION,
  };
};

/**
 * The part of a path that a context is built of, root first. An entry whose own parent is not in the file hangs somewhere for the
 * eye only: as in pi, the context begins with it.
 */
export const contextPath = (tree: SessionTree, leafId: EntryId | null): EntryId[] => {
  const path = pathToLeaf(tree, leafId);
  const start = path.findLastIndex((id) => tree.get(id)?.flags?.includes("reattached") ?? false);
  return path.slice(Math.max(0, start));
};

/**
 * The entries of `contextPath` that a context cannot do without, root first: what it is made of, and the last that named a model or a
 * thinking level. `buildContext` gives the same of these as of the whole path.
 */
export const contextIds = (tree: SessionTree, leafId: EntryId | null): EntryId[] => {
  const rows = contextPath(tree, leafId).flatMap((id) => tree.get(id) ?? []);
  const nodes = rows.map(nodeOfRow);
  const { indices, compaction } = selectContext(nodes);
  const chosen = new Set(indices);
  // Where the kept part begins has to be found, even when it says nothing by itself.
  if (compaction >= 0)
    chosen.add(nodes.findIndex(({ id }, at) => at < compaction && id === nodes[compaction]?.firstKept));
  chosen.add(rows.findLastIndex(({ type }) => type === "thinking_level_change"));
  chosen.add(rows.findLastIndex(({ type, role }) => type === "model_change" || role === "assistant"));
  return rows.flatMap(({ id }, at) => (chosen.has(at) ? [id] : []));
};

export interface ContextSelection {
  /** Indices into the path, in the order of the context: the newest compaction first, what it keeps, what follows it. */
  readonly indices: readonly number[];
  /** Index of the newest compaction, or -1. */
  readonly compaction: number;
}

/**
 * Chooses the entries of a path that make up its context, as pi 1.6.0 does: from the newest compaction on, preceded by what that
 * compaction keeps, without the system messages in the kept part (its checkpoint stands for them). A `firstKept` that is not on
 * the path before the compaction keeps nothing.
 */
export const selectContext = (path: readonly ContextNode[]): ContextSelection => {
  const compaction = path.findLastIndex(({ type }) => type === "compaction");
  const all = path.map((_, at) => at).filter((at) => path[at]?.position !== true);
  if (compaction < 0) return { indices: all, compaction };
  const firstKept = path[compaction]?.firstKept;
  const from = path.findIndex(({ id }, at) => at < compaction && id === firstKept);
  const kept =
    from < 0 ? [] : all.filter((at) => at >= from && at < compaction && path[at]?.role !== "system");
  return { indices: [compaction, ...kept, ...all.filter((at) => at > compaction)], compaction };
};
