import { pathToLeaf, type SessionTree } from "@espalier/core";
import type { EntryId, Row } from "@espalier/protocol";
import { type ContextPart, shareOf } from "./session-facts.ts";

/** Size of the window at a place of the path, in tokens by pi's estimate. */
interface WindowPoint {
  readonly index: number;
  readonly tokens: number;
  /** The window was cut here. */
  readonly cut: boolean;
}

export interface PathFacts {
  readonly points: readonly WindowPoint[];
  readonly highest: number;
  readonly turns: number;
  readonly calls: number;
  readonly failed: number;
  readonly compactions: number;
  /** Summaries of branches that the window holds now. */
  readonly branches: number;
  /** What the window holds now, by kind: tokens by pi's estimate. */
  readonly parts: Readonly<Record<ContextPart, number>>;
  /** Rows the window holds now, heaviest first. */
  readonly heaviest: readonly Row[];
}

const isSent = (row: Row): boolean =>
  row.type === "message" || row.type === "custom_message" || row.type === "branch_summary";

/** Tokens that stay after a compaction: its summary and what it keeps, up to itself. */
const keptBy = (compaction: Row, before: readonly Row[]): { rows: Row[]; tokens: number } => {
  const start = before.findIndex((row) => row.id === compaction.target);
  const kept = start < 0 ? [] : before.slice(start).filter((row) => isSent(row) && row.role !== "system");
  return { rows: kept, tokens: kept.reduce((sum, row) => sum + row.tokens, compaction.tokens) };
};

/** The last system prompt holds whatever was cut before it. */
const partsOf = (held: readonly Row[], path: readonly Row[]): Record<ContextPart, number> => {
  const parts = { system: 0, summary: 0, user: 0, assistant: 0, toolResults: 0 };
  for (const row of held) {
    const part = shareOf(row);
    if (part !== null && part !== "system") parts[part] += row.tokens;
  }
  parts.system = path.findLast((row) => row.role === "system")?.tokens ?? 0;
  return parts;
};

/** What a path's rows tell about its window: how it grew and was cut, and what is heavy in it now. */
export const pathFacts = (tree: SessionTree, leaf: EntryId | null, shown: number): PathFacts => {
  const rows = pathToLeaf(tree, leaf).flatMap((id) => (tree.isAside(id) ? [] : (tree.get(id) ?? [])));
  const points: WindowPoint[] = [];
  let held: Row[] = [];
  let tokens = 0;
  const seen = { turns: 0, calls: 0, failed: 0, compactions: 0 };
  rows.forEach((row, index) => {
    if (row.role === "user") seen.turns += 1;
    if (row.role === "toolResult") seen.calls += 1;
    if (row.role === "toolResult" && row.flags?.includes("error")) seen.failed += 1;
    if (row.type === "compaction") {
      seen.compactions += 1;
      points.push({ index, tokens: row.before ?? tokens, cut: false });
      const kept = keptBy(row, rows.slice(0, index));
      held = [row, ...kept.rows];
      tokens = kept.tokens;
      points.push({ index, tokens, cut: true });
    } else if (isSent(row)) {
      held.push(row);
      tokens += row.tokens;
      points.push({ index, tokens, cut: false });
    }
  });
  const branches = held.filter((row) => row.type === "branch_summary").length;
  const heaviest = held.toSorted((a, b) => b.tokens - a.tokens).slice(0, shown);
  const highest = points.reduce((most, point) => Math.max(most, point.tokens), 1);
  return { points, highest, heaviest, branches, parts: partsOf(held, rows), ...seen };
};
