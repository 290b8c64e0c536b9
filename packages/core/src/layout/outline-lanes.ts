import type { Fold } from "./fold.ts";

/** One row of the outline: a run, its lane, and the lines its gutter draws. */
export interface OutlineRow {
  readonly run: number;
  /** 0 = the path that is read, straight from top to bottom; a branch lies one further out than what it leaves. */
  readonly lane: number;
  /** Depth for assistive technology, from 1; `position` (from 1) and `siblings` among the rows of one parent. */
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** On the path that is read. */
  readonly onPath: boolean;
  /** The first run of a branch: it leaves its parent's lane by an elbow. */
  readonly branch: boolean;
  /** Nothing of this lane lies above, or below. */
  readonly first: boolean;
  readonly last: boolean;
  /** The lanes below this row's own belong to the path that is read (lane 0 is drawn as active). */
  readonly underPath: boolean;
  /** Whether rows below it can be hidden, and are. */
  readonly fold: "none" | "open" | "closed";
  /** Entries shown by this row: of a closed branch, all of them. */
  readonly entries: number;
  /** Ends of branches inside this row: 1 for a leaf, more for a closed branch with forks. */
  readonly ends: number;
}

/** Facts of each run's subtree, bottom up. */
interface Below {
  readonly entries: Int32Array;
  readonly ends: Int32Array;
  /** Entries on the longest way down. */
  readonly depth: Int32Array;
}

const measured = new WeakMap<Fold, Below>();

/** Measures a fold once: opening and closing rows does not change it. */
const measure = (fold: Fold): Below => {
  const known = measured.get(fold) ?? measureAll(fold);
  measured.set(fold, known);
  return known;
};

const measureAll = (fold: Fold): Below => {
  const size = fold.first.length;
  const entries = Int32Array.from(fold.size);
  const ends = new Int32Array(size);
  const depth = Int32Array.from(fold.size);
  const below = new Int32Array(size);
  // Runs come after their parents, so backwards every child is done before its parent.
  for (let run = size - 1; run >= 0; run -= 1) {
    if (fold.children[run] === 0) ends[run] = 1;
    depth[run] = (fold.size[run] ?? 0) + (below[run] ?? 0);
    const parent = fold.parent[run] ?? -1;
    if (parent < 0) continue;
    entries[parent] = (entries[parent] ?? 0) + (entries[run] ?? 0);
    ends[parent] = (ends[parent] ?? 0) + (ends[run] ?? 0);
    below[parent] = Math.max(below[parent] ?? 0, depth[run] ?? 0);
  }
  return { entries, ends, depth };
};

/** Which child goes straight on: the one on the path, else the longest, else the newest. */
const mainChild = (fold: Fold, below: Below, run: number, onPath: Uint8Array): number => {
  let best = -1;
  for (let child = fold.firstChild[run] ?? -1; child >= 0; child = fold.nextSibling[child] ?? -1) {
    if (onPath[child] === 1) return child;
    if (best < 0 || (below.depth[child] ?? 0) >= (below.depth[best] ?? 0)) best = child;
  }
  return best;
};

export interface OutlineState {
  /** Runs on the path that is read, by the run of its last entry: all its ancestors are on it. -1: none. */
  readonly pathEnd: number;
  /** Branches that a person opened or closed, by the first node of their first run; others are open iff they fork. */
  readonly toggled: ReadonlyMap<number, boolean>;
}

type Unnumbered = { -readonly [Key in keyof OutlineRow]: OutlineRow[Key] };

interface Visit {
  readonly run: number;
  readonly lane: number;
  readonly level: number;
  readonly branch: boolean;
  readonly start: boolean;
  readonly underPath: boolean;
}

/** Whether a branch hides its rows: only heads of branches off the path can. */
const isClosed = (
  fold: Fold,
  below: Below,
  visit: Visit,
  onPath: Uint8Array,
  state: OutlineState,
): boolean => {
  if (!visit.start || onPath[visit.run] === 1) return false;
  const own = state.toggled.get(fold.first[visit.run] ?? -1);
  return own === undefined ? below.ends[visit.run] === 1 : !own;
};

/**
 * The rows of the outline, top to bottom: along each lane its runs, and right after the run they leave the branches, each whole.
 * The path that is read is always one straight lane. O(n), no recursion.
 */
export const outlineRows = (fold: Fold, state: OutlineState): OutlineRow[] => {
  const below = measure(fold);
  const onPath = new Uint8Array(fold.first.length);
  for (let run = state.pathEnd; run >= 0; run = fold.parent[run] ?? -1) onPath[run] = 1;
  const rows: Unnumbered[] = [];
  const stack: Visit[] = fold.roots
    .map((run) => ({ run, lane: 0, level: 1, branch: false, start: true, underPath: onPath[run] === 1 }))
    .reverse();
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const closed = isClosed(fold, below, visit, onPath, state);
    const main = mainChild(fold, below, visit.run, onPath);
    rows.push(rowOf(fold, below, visit, closed, main, onPath));
    if (!closed) pushChildren(fold, visit, main, stack);
  }
  return numberRows(rows);
};

/** Gives each row its place among the rows that have the same parent row. */
const numberRows = (rows: Unnumbered[]): OutlineRow[] => {
  const sizes: number[] = [];
  const families: number[] = [];
  const positions: number[] = [];
  /** Per level, the family that is open; a row of a lesser level closes the deeper ones. */
  const open: number[] = [];
  for (const { level } of rows) {
    open.length = Math.min(open.length, level + 1);
    const family = open[level] ?? sizes.push(0) - 1;
    open[level] = family;
    sizes[family] = (sizes[family] ?? 0) + 1;
    families.push(family);
    positions.push(sizes[family] ?? 1);
  }
  rows.forEach((row, index) => {
    row.position = positions[index] ?? 1;
    row.siblings = sizes[families[index] ?? 0] ?? 1;
  });
  return rows;
};

const rowOf = (
  fold: Fold,
  below: Below,
  visit: Visit,
  closed: boolean,
  main: number,
  onPath: Uint8Array,
): Unnumbered => {
  const { run, lane, level, branch, start, underPath } = visit;
  const canFold = start && onPath[run] === 0 && (fold.children[run] ?? 0) > 0;
  return {
    run,
    lane,
    level,
    position: 1,
    siblings: 1,
    onPath: onPath[run] === 1,
    branch,
    first: start && !branch,
    last: closed || main < 0,
    underPath,
    fold: canFold ? (closed ? "closed" : "open") : "none",
    entries: (closed ? below.entries[run] : fold.size[run]) ?? 0,
    ends: (closed ? below.ends[run] : fold.children[run] === 0 ? 1 : 0) ?? 0,
  };
};

/** The stack gives the last first: the lane's own next run, then its branches from the newest to the oldest. */
const pushChildren = (fold: Fold, visit: Visit, main: number, stack: Visit[]): void => {
  const branches: number[] = [];
  for (let child = fold.firstChild[visit.run] ?? -1; child >= 0; child = fold.nextSibling[child] ?? -1)
    if (child !== main) branches.push(child);
  const { lane, underPath } = visit;
  // What follows the head of a branch is its content: one level further in.
  const level = visit.branch ? visit.level + 1 : visit.level;
  if (main >= 0) stack.push({ run: main, lane, level, branch: false, start: false, underPath });
  for (let at = branches.length - 1; at >= 0; at -= 1) {
    const run = branches[at];
    if (run === undefined) continue;
    stack.push({ run, lane: lane + 1, level: level + 1, branch: true, start: true, underPath });
  }
};
