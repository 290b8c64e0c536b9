import type { Fold } from "./fold.ts";

/** A layout that is shown already: the next one leaves in place what it can. */
export interface LaidOut {
  readonly fold: Fold;
  /** Last run of the path that lay straight; -1: none. */
  readonly pathEnd: number;
  /** Lane of each run. */
  readonly lane: Int32Array;
  /** 1 where a run starts a wire. */
  readonly head: Uint8Array;
  readonly x: Float64Array;
  /** Of a run that starts a wire: up to where the wire takes its lane. */
  readonly until: Float64Array;
}

/**
 * The runs as wires: stretches that go straight on one lane. A wire starts at a run that leaves another wire by an elbow, or at a
 * root. All arrays are by run; only heads have an entry in those of wires.
 */
export interface Wires {
  readonly onPath: Uint8Array;
  readonly head: Uint8Array;
  /** The head of the wire a run is part of. */
  readonly wireOf: Int32Array;
  readonly x: Float64Array;
  readonly w: Float64Array;
  /** Where a wire begins to take its lane, and up to where. */
  readonly from: Float64Array;
  readonly until: Float64Array;
  /** The wire that lies on lane 0; -1 without runs. */
  readonly trunk: number;
  /** Wires that leave a wire, left to right: the first, and the next beside it. */
  readonly firstWire: Int32Array;
  readonly nextWire: Int32Array;
}

/** Between a run and the next, in units of width: room for an elbow. */
const RUN_GAP = 44;
/** A wire keeps this much of its lane free behind its last run, for the mark at its end. */
export const TAIL = 56;
/** A wire takes at least this much of its lane: room for its name. */
const SHORTEST = 220;

/** Width of a run of so many entries. */
const runWidth = (entries: number): number => 24 + 18 * Math.log2(1 + entries);

/** Entries on the longest way down, the run's own included. Runs come after their parents, so backwards children are done first. */
const depthsOf = (fold: Fold): Float64Array => {
  const depth = Float64Array.from(fold.size);
  const below = new Float64Array(fold.size.length);
  for (let run = depth.length - 1; run >= 0; run -= 1) {
    depth[run] = (fold.size[run] ?? 0) + (below[run] ?? 0);
    const parent = fold.parent[run] ?? -1;
    if (parent >= 0) below[parent] = Math.max(below[parent] ?? 0, depth[run] ?? 0);
  }
  return depth;
};

const pathOf = (fold: Fold, pathEnd: number): Uint8Array => {
  const onPath = new Uint8Array(fold.size.length);
  for (let run = pathEnd; run >= 0; run = fold.parent[run] ?? -1) onPath[run] = 1;
  return onPath;
};

/** What a run was in the layout before: the start of a wire, or a part of one. */
type Was = "head" | "straight" | "new";

const wasOf = (fold: Fold, run: number, before: LaidOut | null): Was => {
  const node = fold.first[run] ?? -1;
  const old = before?.fold.runOf[node] ?? -1;
  if (before === null || old < 0) return "new";
  return before.head[old] === 1 && before.fold.first[old] === node ? "head" : "straight";
};

/** What wires are made from. */
interface Trained {
  readonly fold: Fold;
  readonly onPath: Uint8Array;
  readonly depth: Float64Array;
  readonly before: LaidOut | null;
  /** Runs that leave by an elbow although nothing else goes on: something else lies on the lane there. */
  readonly bent: ReadonlySet<number>;
}

/**
 * Which of several runs goes straight on: the one on the path, else the one that did before, else the longest, else the newest;
 * -1 when all of them left by elbows before.
 */
const straightest = ({ fold, onPath, depth, before, bent }: Trained, runs: Iterable<number>): number => {
  let best = -1;
  let kept = false;
  for (const run of runs) {
    if (onPath[run] === 1) return run;
    const was = bent.has(run) ? "head" : wasOf(fold, run, before);
    if (was === "head") continue;
    const straight = was === "straight";
    if (best < 0 || (straight && !kept) || (straight === kept && (depth[run] ?? 0) >= (depth[best] ?? 0))) {
      best = run;
      kept = straight;
    }
  }
  return best;
};

const childrenOf = function* (fold: Fold, run: number): Generator<number> {
  for (let child = fold.firstChild[run] ?? -1; child >= 0; child = fold.nextSibling[child] ?? -1) yield child;
};

/** The root whose wire lies on lane 0. */
const trunkOf = (trained: Trained): number => {
  const { fold, before } = trained;
  const fresh = { ...trained, before: null };
  if (before === null) return straightest(fresh, fold.roots);
  const onLane = fold.roots.filter((root) => {
    const old = before.fold.runOf[fold.first[root] ?? -1] ?? -1;
    return old >= 0 && before.lane[old] === 0;
  });
  return straightest(fresh, onLane.length > 0 ? onLane : fold.roots);
};

/** Cuts the runs into wires and gives every run its place along its wire. O(n), no recursion. */
export const wiresOf = (
  fold: Fold,
  pathEnd: number,
  before: LaidOut | null,
  bent: ReadonlySet<number> = new Set(),
): Wires => {
  const size = fold.size.length;
  const trained: Trained = { fold, onPath: pathOf(fold, pathEnd), depth: depthsOf(fold), before, bent };
  const head = new Uint8Array(size);
  const wireOf = new Int32Array(size).fill(-1);
  const x = new Float64Array(size);
  const w = new Float64Array(size);
  const from = new Float64Array(size);
  const until = new Float64Array(size);
  const straight = new Int32Array(size).fill(-1);
  for (let run = 0; run < size; run += 1) {
    const parent = fold.parent[run] ?? -1;
    const width = runWidth(fold.size[run] ?? 0);
    const end = parent < 0 ? -RUN_GAP : (x[parent] ?? 0) + (w[parent] ?? 0);
    x[run] = end + RUN_GAP;
    w[run] = width;
    const starts = parent < 0 || straight[parent] !== run;
    const wire = starts ? run : (wireOf[parent] ?? run);
    wireOf[run] = wire;
    if (starts) {
      head[run] = 1;
      from[run] = end;
      until[run] = end + SHORTEST;
    }
    until[wire] = Math.max(until[wire] ?? 0, end + RUN_GAP + width + TAIL);
    straight[run] =
      before === null && fold.children[run] === 1
        ? (fold.firstChild[run] ?? -1)
        : straightest(trained, childrenOf(fold, run));
  }
  const trunk = trunkOf(trained);
  const branches = branchesOf(fold, head, wireOf, trunk);
  return { onPath: trained.onPath, head, wireOf, x, w, from, until, trunk, ...branches };
};

/** Which wires leave which, left to right. Other roots than the trunk's count as leaving it at its very start. */
const branchesOf = (
  fold: Fold,
  head: Uint8Array,
  wireOf: Int32Array,
  trunk: number,
): Pick<Wires, "firstWire" | "nextWire"> => {
  const firstWire = new Int32Array(head.length).fill(-1);
  const nextWire = new Int32Array(head.length).fill(-1);
  const lastWire = new Int32Array(head.length).fill(-1);
  for (let run = 0; run < head.length; run += 1) {
    if (head[run] === 0 || run === trunk) continue;
    const parent = fold.parent[run] ?? -1;
    const owner = parent < 0 ? trunk : (wireOf[parent] ?? trunk);
    const last = lastWire[owner] ?? -1;
    if (last < 0) firstWire[owner] = run;
    else nextWire[last] = run;
    lastWire[owner] = run;
  }
  return { firstWire, nextWire };
};
