import {
  type AnyEntry,
  asKnown,
  buildContext,
  contextPath,
  contextTokens,
  countGroups,
  type GroupCounts,
  isPosition,
  type SessionTree,
  type StoredSession,
} from "@espalier/core";
import type { Damage, EntryId, ModelRef, Row } from "@espalier/protocol";

/** What `inspect` prints. Tool calls are counted over the whole file, groups and batches over each leaf's context. */
export interface InspectReport {
  readonly file: string;
  readonly version: number;
  readonly bytes: number;
  readonly entries: number;
  readonly entriesByType: Readonly<Record<string, number>>;
  readonly messagesByRole: Readonly<Record<string, number>>;
  readonly tree: TreeFigures;
  readonly toolCalls: CallFigures;
  readonly leaves: readonly LeafReport[];
  readonly compactions: readonly { id: string; firstKeptEntryId: string; tokensBefore: number }[];
  /** By target; null where the last label cleared it. */
  readonly labels: Readonly<Record<string, string | null>>;
  readonly name: string | null;
  readonly damage: readonly Damage[];
}

interface TreeFigures {
  readonly roots: number;
  readonly branchPoints: number;
  readonly leaves: number;
  /** Entries on the longest path. */
  readonly depth: number;
}

interface CallFigures {
  readonly calls: number;
  readonly withResult: number;
  readonly withoutResult: number;
  readonly orphanedResults: number;
}

interface LeafReport {
  readonly leafId: EntryId;
  readonly contextEntryIds: readonly EntryId[];
  readonly model: ModelRef | null;
  readonly thinkingLevel: string;
  readonly groups: GroupCounts;
  readonly batches: { readonly total: number; readonly complete: number; readonly missing: number };
  /** Tokens by pi's estimate. */
  readonly contextTokens: number;
}

/** Entries read at one time, so that a large file never stands in memory whole. */
const BATCH = 500;

interface Totals {
  readonly entriesByType: Map<string, number>;
  readonly messagesByRole: Map<string, number>;
  /** Ids of all calls, repeated ones as often as they occur. */
  readonly calls: string[];
  readonly results: string[];
  readonly positions: Set<EntryId>;
  readonly compactions: { id: string; firstKeptEntryId: string; tokensBefore: number }[];
  readonly labels: Map<string, string | null>;
}

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const addMessage = (totals: Totals, entry: AnyEntry): void => {
  const known = asKnown(entry);
  const message = "message" in entry ? (entry.message as { role?: unknown } | null) : null;
  count(totals.messagesByRole, typeof message?.role === "string" ? message.role : "unknown");
  if (known?.type !== "message") return;
  if (known.message.role === "toolResult") totals.results.push(known.message.toolCallId);
  if (known.message.role !== "assistant") return;
  for (const block of known.message.content) if (block.type === "toolCall") totals.calls.push(block.id);
};

const addEntry = (totals: Totals, entry: AnyEntry): void => {
  if (isPosition(entry)) {
    totals.positions.add(entry.id);
    return;
  }
  count(totals.entriesByType, entry.type);
  if (entry.type === "message") addMessage(totals, entry);
  const known = asKnown(entry);
  if (known?.type === "label") totals.labels.set(known.targetId, known.label ? known.label : null);
  if (known?.type === "compaction") {
    const { id, firstKeptEntryId, tokensBefore } = known;
    totals.compactions.push({ id, firstKeptEntryId, tokensBefore });
  }
};

const readTotals = async (session: StoredSession): Promise<Totals> => {
  const totals: Totals = {
    entriesByType: new Map(),
    messagesByRole: new Map(),
    calls: [],
    results: [],
    positions: new Set(),
    compactions: [],
    labels: new Map(),
  };
  const ids = session.tree.rows.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const entry of await session.read(ids.slice(at, at + BATCH))) addEntry(totals, entry);
  }
  return totals;
};

const byName = (counts: Map<string, number>): [string, number][] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** Entries on the longest path, each entry looked at once. */
const depthOf = (rows: readonly Row[], parentOf: (row: Row) => Row | undefined): number => {
  const depths = new Map<Row, number>();
  let deepest = 0;
  for (const row of rows) {
    const above: Row[] = [];
    let at: Row | undefined = row;
    while (at !== undefined && !depths.has(at)) {
      above.push(at);
      at = parentOf(at);
    }
    let depth = at === undefined ? 0 : (depths.get(at) ?? 0);
    for (const each of above.reverse()) {
      depth += 1;
      depths.set(each, depth);
    }
    deepest = Math.max(deepest, depth);
  }
  return deepest;
};

/** The tree as the file has it, remembered positions left out: what hangs below one counts as its parent's. */
const treeFigures = (
  tree: SessionTree,
  positions: ReadonlySet<EntryId>,
): TreeFigures & { leafIds: EntryId[] } => {
  const rows = tree.rows.filter(({ id }) => !positions.has(id));
  const parentOf = (row: Row): EntryId | null => {
    let parent = row.parentId;
    while (parent !== null && positions.has(parent)) parent = tree.get(parent)?.parentId ?? null;
    return parent;
  };
  const children = new Map<EntryId | null, number>();
  for (const row of rows) children.set(parentOf(row), (children.get(parentOf(row)) ?? 0) + 1);
  const leafIds = rows.flatMap(({ id }) => (children.has(id) ? [] : [id]));
  return {
    roots: children.get(null) ?? 0,
    branchPoints: rows.filter(({ id }) => (children.get(id) ?? 0) > 1).length,
    leaves: leafIds.length,
    depth: depthOf(rows, (row) => {
      const parent = parentOf(row);
      return parent === null ? undefined : tree.get(parent);
    }),
    leafIds,
  };
};

const callFigures = ({ calls, results }: Totals): CallFigures => {
  const answered = new Set(results);
  const called = new Set(calls);
  const withResult = calls.filter((id) => answered.has(id)).length;
  const orphanedResults = results.filter((id) => !called.has(id)).length;
  return { calls: calls.length, withResult, withoutResult: calls.length - withResult, orphanedResults };
};

const leafReport = async (session: StoredSession, leafId: EntryId): Promise<LeafReport> => {
  const context = buildContext(await session.read(contextPath(session.tree, leafId)));
  return {
    leafId,
    contextEntryIds: context.entryIds,
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    ...countGroups(context.messages),
    contextTokens: contextTokens(context),
  };
};

/** Reads a session from end to end and counts it. `file` is what the caller named it, `bytes` its size. */
export const inspectSession = async (
  session: StoredSession,
  file: string,
  bytes: number,
): Promise<InspectReport> => {
  const totals = await readTotals(session);
  const { leafIds, ...tree } = treeFigures(session.tree, totals.positions);
  const leaves: LeafReport[] = [];
  for (const leaf of leafIds) leaves.push(await leafReport(session, leaf));
  return {
    file,
    version: session.version,
    bytes,
    entries: session.tree.rows.length - totals.positions.size,
    entriesByType: Object.fromEntries(byName(totals.entriesByType)),
    messagesByRole: Object.fromEntries(byName(totals.messagesByRole)),
    tree,
    toolCalls: callFigures(totals),
    leaves,
    compactions: totals.compactions,
    labels: Object.fromEntries(totals.labels),
    name: session.tree.name ?? null,
    damage: session.damage,
  };
};
