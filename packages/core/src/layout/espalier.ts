import { Frontier } from "./first-free.ts";
import type { Fold } from "./fold.ts";
import { bendsOf, keepLanes } from "./kept-lanes.ts";
import { type LaidOut, type Wires, wiresOf } from "./wires.ts";

/**
 * The tree trained along wires. Time runs to the right, each branch is a lane, the path that is read lies straight on lane 0;
 * lanes above it are negative. Arrays are by run of the fold; lengths are in units of width. A run lies from `x` to `x + w`; a run
 * that starts a wire (`head`) leaves its parent's end by one elbow, every other goes straight on from it.
 */
export interface Espalier extends LaidOut {
  readonly w: Float64Array;
  readonly onPath: Uint8Array;
  /** The head of the wire each run is part of. */
  readonly wireOf: Int32Array;
  /** The first and the last lane that is taken. */
  readonly top: number;
  readonly bottom: number;
  /** Where the last run ends. */
  readonly right: number;
}

/**
 * Lays out a fold. Without `before` lanes are packed: newer branches nearer to what they leave, older ones outside of them, so that
 * no elbow crosses a run; a lane is taken again where it is free. With `before`, a layout of the same tree with fewer entries or
 * labels (nodes must have the same numbers), everything keeps its lane that can: a run that grew moves no other (where it meets
 * one on its lane it bends outwards), and a run that was cut moves only what lies to its right. When the path does not go on from the one before, all is packed anew.
 * O(n + b log b) for b branches, no recursion.
 */
export const espalier = (fold: Fold, pathEnd: number, before: LaidOut | null = null): Espalier => {
  const known = before !== null && goesOn(fold, pathEnd, before) ? before : null;
  const grown = wiresOf(fold, pathEnd, known);
  const bends = known === null ? NONE : bendsOf(fold, grown, known);
  const wires = bends.size === 0 ? grown : wiresOf(fold, pathEnd, known, bends);
  const lane = new Int32Array(fold.size.length);
  if (wires.trunk >= 0) {
    if (known === null) packLanes(wires, lane);
    else fillLanes(fold, wires, known, lane);
  }
  return { fold, pathEnd, lane, ...spread(wires, lane) };
};

const NONE: ReadonlySet<number> = new Set();

/** Whether the path that lay straight is still a part of the path that is read. */
const goesOn = (fold: Fold, pathEnd: number, before: LaidOut): boolean => {
  const node = before.fold.last[before.pathEnd] ?? -1;
  const end = fold.runOf[node] ?? -1;
  for (let run = pathEnd; run >= 0; run = fold.parent[run] ?? -1) if (run === end) return true;
  return false;
};

/** Wires that leave a wire, from the leftmost on. */
const leaving = (wires: Wires, wire: number): number[] => {
  const found: number[] = [];
  for (let next = wires.firstWire[wire] ?? -1; next >= 0; next = wires.nextWire[next] ?? -1) found.push(next);
  return found;
};

interface Visit {
  readonly wire: number;
  /** The lane that it leaves, and to which side it goes. */
  readonly from: number;
  readonly side: number;
}

/** What leaves the trunk goes up and down in turn; what leaves a branch goes on outwards. */
const visitsFrom = (wires: Wires, wire: number, lane: number): Visit[] =>
  leaving(wires, wire).map((next, index) => ({
    wire: next,
    from: lane,
    side: lane === 0 ? (index % 2 === 0 ? -1 : 1) : Math.sign(lane),
  }));

/** The nearest lane for every wire, the rightmost first: those on the left pass them on the outside. */
const packLanes = (wires: Wires, lane: Int32Array): void => {
  const heads = wires.head.reduce((sum, head) => sum + head, 0);
  const sides = { up: new Frontier(heads), down: new Frontier(heads) };
  const stack = visitsFrom(wires, wires.trunk, 0);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { wire, from, side } = visit;
    const frontier = side < 0 ? sides.up : sides.down;
    const away = frontier.firstFree(Math.abs(from) + 1, wires.until[wire] ?? 0);
    frontier.take(away, wires.from[wire] ?? 0);
    lane[wire] = side * away;
    for (const next of visitsFrom(wires, wire, side * away)) stack.push(next);
  }
};

/** Lanes as they were; what is new or had to give way takes the nearest free one. */
const fillLanes = (fold: Fold, wires: Wires, before: LaidOut, lane: Int32Array): void => {
  const taken = keepLanes(fold, wires, before, lane);
  const stack = visitsFrom(wires, wires.trunk, 0);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { wire, from } = visit;
    if (lane[wire] === 0) {
      const [start, until] = [wires.from[wire] ?? 0, wires.until[wire] ?? 0];
      const side = from === 0 ? nearerSide(taken, visit, start, until) : visit.side;
      const placed = from + side * taken.distance(from, side, start, until);
      lane[wire] = placed;
      taken.take(placed, start, until);
    }
    for (const next of visitsFrom(wires, wire, lane[wire] ?? 0)) stack.push(next);
  }
};

const nearerSide = (
  taken: ReturnType<typeof keepLanes>,
  { from, side }: Visit,
  start: number,
  until: number,
): number =>
  taken.distance(from, -side, start, until) < taken.distance(from, side, start, until) ? -side : side;

/** Every run on the lane of its wire, and how far all of it reaches. */
const spread = (wires: Wires, lane: Int32Array): Omit<Espalier, "fold" | "pathEnd" | "lane"> => {
  let [top, bottom, right] = [0, 0, 0];
  for (let run = 0; run < lane.length; run += 1) {
    const own = lane[wires.wireOf[run] ?? run] ?? 0;
    lane[run] = own;
    top = Math.min(top, own);
    bottom = Math.max(bottom, own);
    right = Math.max(right, (wires.x[run] ?? 0) + (wires.w[run] ?? 0));
  }
  const { x, w, onPath, head, wireOf, until } = wires;
  return { x, w, onPath, head, wireOf, until, top, bottom, right };
};
