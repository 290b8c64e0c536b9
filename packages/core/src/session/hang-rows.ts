import type { Damage, EntryId, Row } from "@espalier/protocol";

/** Rows in file order whose parents nobody has looked up yet. */
export interface LooseRows {
  readonly rows: Row[];
  /** By place: what a line names as its parent where that is neither an id nor nothing. */
  readonly oddParents: ReadonlyMap<number, unknown>;
  /** Place of a row by id, or -1. */
  readonly indexOf: (id: EntryId) => number;
  /** Line of the row at a place. */
  readonly lineAt: (at: number) => number;
}

const NONE = -1;

const reattach = (row: Row, parentId: EntryId | null): Row => ({
  ...row,
  parentId,
  flags: [...(row.flags ?? []), "reattached"],
});

/**
 * Resolves parents, in place. An entry whose parent is not in the file hangs, for viewing, at the line before it; a loop is cut at
 * its first line, which becomes a root. Both are flagged and reported. `known` holds ids that stand before these rows.
 */
export const hangRows = (loose: LooseRows, known: { has(id: EntryId): boolean }): Damage[] => {
  const { rows, oddParents, indexOf, lineAt } = loose;
  const damage: Damage[] = [];
  const parents = new Int32Array(rows.length).fill(NONE);
  let before: EntryId | null = null;
  let allBelow = true;
  for (const [at, row] of rows.entries()) {
    const previous = before;
    if (row.flags === undefined || !row.flags.includes("aside")) before = row.id;
    const parent = oddParents.get(at) ?? row.parentId;
    if (parent === null) continue;
    const above = at > 0 ? rows[at - 1] : undefined;
    // Most lines hang at the one before: no need to look for it, nor to hold its id twice.
    const isNext = above !== undefined && above.id === row.parentId;
    if (isNext) row.parentId = above.id;
    const place = isNext ? at - 1 : oddParents.has(at) ? NONE : indexOf(row.parentId as EntryId);
    parents[at] = place;
    if (place >= at) allBelow = false;
    if (place !== NONE || (!oddParents.has(at) && known.has(row.parentId as EntryId))) continue;
    const detail = `its parent ${JSON.stringify(parent)} is not in the file`;
    damage.push({ line: lineAt(at), kind: "unknown_parent", detail });
    rows[at] = reattach(row, previous);
    parents[at] = previous === null ? NONE : indexOf(previous);
  }
  // Where every parent stands above its child there is no loop.
  if (!allBelow) damage.push(...cutLoops(loose, parents));
  return damage;
};

/** Walks each chain of parents once; O(n), no recursion. */
const cutLoops = ({ rows, lineAt }: LooseRows, parents: Int32Array): Damage[] => {
  const UNSEEN = 0;
  const DONE = -1;
  const damage: Damage[] = [];
  const mark = new Int32Array(rows.length);
  for (let start = 0; start < rows.length; start += 1) {
    const chain: number[] = [];
    let at = start;
    while (at !== NONE && mark[at] === UNSEEN) {
      mark[at] = start + 1;
      chain.push(at);
      at = parents[at] ?? NONE;
    }
    if (at !== NONE && mark[at] === start + 1) {
      const loop = chain.slice(chain.indexOf(at));
      const first = loop.reduce((least, place) => Math.min(least, place));
      const row = rows[first] as Row;
      rows[first] = reattach(row, null);
      damage.push({
        line: lineAt(first),
        kind: "cycle",
        detail: `entry ${row.id} is its own ancestor; shown as a root`,
      });
    }
    for (const place of chain) mark[place] = DONE;
  }
  return damage;
};
