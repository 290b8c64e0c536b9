import type { Damage, EntryId, Row } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";

/** A row whose parent nobody has looked up yet; `parent` is what the line says. */
export interface LooseRow {
  readonly row: Row;
  readonly line: number;
  readonly parent: unknown;
}

const reattach = (row: Row, parentId: EntryId | null): Row => ({
  ...row,
  parentId,
  flags: [...(row.flags ?? []), "reattached"],
});

/**
 * Resolves parents. An entry whose parent is not in the file hangs, for viewing, at the line before it; a loop is cut at its
 * first line, which becomes a root. Both are flagged and reported. `known` holds ids that stand before these rows.
 */
export const hangRows = (
  loose: readonly LooseRow[],
  known: { has(id: EntryId): boolean },
): { rows: Row[]; damage: Damage[] } => {
  const damage: Damage[] = [];
  const index = new Map<EntryId, number>(loose.map(({ row }, at) => [row.id, at]));
  let before: EntryId | null = null;
  const rows = loose.map(({ row, line, parent }) => {
    const previous = before;
    if (!row.flags?.includes("aside")) before = row.id;
    if (parent === null || parent === undefined) return row;
    if (typeof parent === "string" && (index.has(entryId(parent)) || known.has(entryId(parent)))) return row;
    damage.push({
      line,
      kind: "unknown_parent",
      detail: `its parent ${JSON.stringify(parent)} is not in the file`,
    });
    return reattach(row, previous);
  });
  cutLoops(rows, index, (at) => {
    const { line, row } = loose[at] as LooseRow;
    damage.push({ line, kind: "cycle", detail: `entry ${row.id} is its own ancestor; shown as a root` });
  });
  return { rows, damage };
};

/** Walks each chain of parents once; O(n), no recursion. */
const cutLoops = (rows: Row[], index: ReadonlyMap<EntryId, number>, report: (at: number) => void): void => {
  const UNSEEN = 0;
  const DONE = -1;
  const mark = new Int32Array(rows.length);
  const parentOf = (at: number): number | undefined => {
    const parent = rows[at]?.parentId ?? null;
    return parent === null ? undefined : index.get(parent);
  };
  for (let start = 0; start < rows.length; start += 1) {
    const chain: number[] = [];
    let at: number | undefined = start;
    while (at !== undefined && mark[at] === UNSEEN) {
      mark[at] = start + 1;
      chain.push(at);
      at = parentOf(at);
    }
    if (at !== undefined && mark[at] === start + 1) {
      const loop = chain.slice(chain.indexOf(at));
      const first = loop.reduce((least, place) => Math.min(least, place));
      rows[first] = reattach(rows[first] as Row, null);
      report(first);
    }
    for (const place of chain) mark[place] = DONE;
  }
};
