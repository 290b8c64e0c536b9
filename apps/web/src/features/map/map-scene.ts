import type { Espalier } from "@espalier/core";
import type { Folded } from "../../view/tree/folded.ts";

/** Pixels of one unit of width at zoom 1. */
export const UNIT = 0.52;
/** Pixels between two lanes at zoom 1. */
export const LANE = 84;

/** Where branches leave a run, by the lane they reach: upright lines, left to right. */
interface Spines {
  readonly x: Float64Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** The run that is left, and 1 where the path goes that way. */
  readonly run: Int32Array;
}

/** A laid-out session with what drawing needs to find the little that is seen. */
export interface Scene {
  readonly folded: Folded;
  readonly laid: Espalier;
  /** Runs lane by lane from the top, each lane left to right; `laneAt` is where each lane begins. */
  readonly order: Int32Array;
  readonly laneAt: Int32Array;
  readonly spines: Spines;
  /** Where runs lay before, by run, while they slide to their lanes; null: nothing slides. */
  readonly slideFrom: Float32Array | null;
}

/** More runs than this are not slid. */
const SLIDES = 3_000;

const byLane = ({ lane, x, top, bottom }: Espalier): Pick<Scene, "order" | "laneAt"> => {
  const order = Int32Array.from(lane.keys()).sort(
    (a, b) => (lane[a] ?? 0) - (lane[b] ?? 0) || (x[a] ?? 0) - (x[b] ?? 0),
  );
  const laneAt = new Int32Array(bottom - top + 2);
  for (const each of lane) laneAt[each - top + 1] = (laneAt[each - top + 1] ?? 0) + 1;
  for (let at = 1; at < laneAt.length; at += 1) laneAt[at] = (laneAt[at] ?? 0) + (laneAt[at - 1] ?? 0);
  return { order, laneAt };
};

/** One upright line for each run and side that branches leave, as far as the farthest of them. */
const spinesOf = ({ fold, lane, head, x, w }: Espalier): Spines => {
  const up = new Map<number, number>();
  const down = new Map<number, number>();
  head.forEach((starts, run) => {
    const parent = fold.parent[run] ?? -1;
    if (starts === 0 || parent < 0) return;
    const [own, left] = [lane[run] ?? 0, lane[parent] ?? 0];
    if (own < left) up.set(parent, Math.min(up.get(parent) ?? own, own));
    else down.set(parent, Math.max(down.get(parent) ?? own, own));
  });
  const found = [...up, ...down].sort(([a], [b]) => endAt(x, w, a) - endAt(x, w, b));
  return {
    x: Float64Array.from(found, ([run]) => endAt(x, w, run)),
    from: Int32Array.from(found, ([run]) => lane[run] ?? 0),
    to: Int32Array.from(found, ([, to]) => to),
    run: Int32Array.from(found, ([run]) => run),
  };
};

const endAt = (x: Float64Array, w: Float64Array, run: number): number => (x[run] ?? 0) + (w[run] ?? 0);

/** Lanes of a shown layout, for the runs of the next; a new branch comes out of the lane it leaves. */
const slideFrom = (laid: Espalier, before: Espalier): Float32Array | null => {
  if (laid.lane.length > SLIDES) return null;
  const from = Float32Array.from(laid.lane);
  let moved = false;
  for (let run = 0; run < from.length; run += 1) {
    const old = before.fold.runOf[laid.fold.first[run] ?? -1] ?? -1;
    const parent = laid.fold.parent[run] ?? -1;
    if (old >= 0) from[run] = before.lane[old] ?? 0;
    else if (parent >= 0 && laid.head[laid.wireOf[run] ?? run] === 1) from[run] = from[parent] ?? 0;
    moved ||= from[run] !== laid.lane[run];
  }
  return moved ? from : null;
};

export const sceneOf = (folded: Folded, laid: Espalier, before: Espalier | null): Scene => ({
  folded,
  laid,
  ...byLane(laid),
  spines: spinesOf(laid),
  slideFrom: before === null ? null : slideFrom(laid, before),
});

/** First index in `[low, high)` for which `holds`; every later one holds too. */
export const firstWhere = (low: number, high: number, holds: (at: number) => boolean): number => {
  let from = low;
  let to = high;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** Runs of a lane that reach into a stretch, as indexes of `order`: `[first, end)`. Units of width. */
export const runsBetween = (scene: Scene, lane: number, left: number, right: number): [number, number] => {
  const { laid, order, laneAt } = scene;
  const at = lane - laid.top;
  const low = laneAt[at] ?? 0;
  const high = laneAt[at + 1] ?? low;
  const first = firstWhere(low, high, (index) => endAt(laid.x, laid.w, order[index] ?? 0) >= left);
  const end = firstWhere(first, high, (index) => (laid.x[order[index] ?? 0] ?? 0) > right);
  return [first, end];
};

/** The run of a lane that is nearest to a place. */
export const nearestOn = (scene: Scene, lane: number, x: number): number => {
  const { laid, order, laneAt } = scene;
  const low = laneAt[lane - laid.top] ?? 0;
  const high = laneAt[lane - laid.top + 1] ?? low;
  const next = firstWhere(low, high, (index) => (laid.x[order[index] ?? 0] ?? 0) >= x);
  const distance = (index: number): number => {
    if (index < low || index >= high) return Number.POSITIVE_INFINITY;
    const run = order[index] ?? 0;
    return Math.max((laid.x[run] ?? 0) - x, x - endAt(laid.x, laid.w, run), 0);
  };
  if (low === high) return -1;
  return order[distance(next) <= distance(next - 1) ? next : next - 1] ?? -1;
};
