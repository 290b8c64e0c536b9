import { LANE, nearestOn, type Scene, UNIT } from "./map-scene.ts";

/** Lanes looked at when nothing hangs together with the run in hand in that direction. */
const LOOK = 40;

const childrenOf = function* (scene: Scene, run: number): Generator<number> {
  const { fold } = scene.laid;
  for (let child = fold.firstChild[run] ?? -1; child >= 0; child = fold.nextSibling[child] ?? -1) yield child;
};

const nearestLane = (scene: Scene, runs: Iterable<number>, lane: number, side: number): number => {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const run of runs) {
    const away = ((scene.laid.lane[run] ?? 0) - lane) * side;
    if (away > 0 && away < least) {
      best = run;
      least = away;
    }
  }
  return best;
};

const spatial = (scene: Scene, run: number, side: number): number => {
  const { laid } = scene;
  const lane = laid.lane[run] ?? 0;
  const x = laid.x[run] ?? 0;
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let away = 1; away <= LOOK; away += 1) {
    const other = lane + side * away;
    if (other < laid.top || other > laid.bottom || away * LANE >= least) break;
    const near = nearestOn(scene, other, x);
    if (near < 0) continue;
    const cost = away * LANE + Math.abs((laid.x[near] ?? 0) - x) * UNIT;
    if (cost < least) {
      best = near;
      least = cost;
    }
  }
  return best;
};

/** Up or down: to a branch that leaves here, else to the next one that leaves at the same fork, else back to it, else to what is near. */
const across = (scene: Scene, run: number, side: number): number => {
  const { laid } = scene;
  const lane = laid.lane[run] ?? 0;
  const branch = nearestLane(scene, childrenOf(scene, run), lane, side);
  if (branch >= 0) return branch;
  const parent = laid.fold.parent[run] ?? -1;
  if (laid.head[run] === 1 && parent >= 0) {
    const sibling = nearestLane(scene, childrenOf(scene, parent), lane, side);
    const back = nearestLane(scene, [parent], lane, side);
    if (sibling >= 0 && back >= 0) return nearestLane(scene, [sibling, back], lane, side);
    if (sibling >= 0 || back >= 0) return Math.max(sibling, back);
  }
  return spatial(scene, run, side);
};

const straightChild = (scene: Scene, run: number): number => {
  let first = -1;
  for (const child of childrenOf(scene, run)) {
    if (scene.laid.head[child] === 0) return child;
    if (first < 0) first = child;
  }
  return first;
};

const rootOf = (scene: Scene, run: number): number => {
  let root = run;
  for (let above = run; above >= 0; above = scene.laid.fold.parent[above] ?? -1) root = above;
  return root;
};

/** Another beginning: a session can hold several trees. */
const otherRoot = (scene: Scene, run: number, step: number): number => {
  const { roots } = scene.laid.fold;
  return roots[roots.indexOf(rootOf(scene, run)) + step] ?? -1;
};

/** The run that a key leads to from another; -1 when the key leads nowhere. */
export const walk = (scene: Scene, run: number, key: string): number => {
  const { laid } = scene;
  if (laid.x.length === 0) return -1;
  if (run < 0) return Math.max(0, laid.pathEnd);
  switch (key) {
    case "ArrowRight":
      return straightChild(scene, run);
    case "ArrowLeft":
      return laid.fold.parent[run] ?? -1;
    case "ArrowUp":
      return across(scene, run, -1);
    case "ArrowDown":
      return across(scene, run, 1);
    case "PageUp":
      return otherRoot(scene, run, -1);
    case "PageDown":
      return otherRoot(scene, run, 1);
    case "Home":
      return scene.order[scene.laneAt[-laid.top] ?? 0] ?? -1;
    case "End":
      return Math.max(0, laid.pathEnd);
    default:
      return -1;
  }
};
