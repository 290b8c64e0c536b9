import type { Fold } from "./fold.ts";
import { type LaidOut, TAIL, type Wires } from "./wires.ts";

/** Stretches that are taken on one lane: starts and ends in turn, ascending. */
type Taken = number[];

/** Index of the first start that is not left of `at`. */
const placeOf = (taken: Taken, at: number): number => {
  let low = 0;
  let high = taken.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((taken[2 * middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
};

const isFree = (taken: Taken, from: number, until: number): boolean => {
  const next = placeOf(taken, from);
  return (taken[2 * next] ?? Number.POSITIVE_INFINITY) >= until && (taken[2 * next - 1] ?? from) <= from;
};

/** What is taken, lane by lane. */
export class TakenLanes {
  readonly #lanes = new Map<number, Taken>();
  #top = 0;
  #bottom = 0;

  take(lane: number, from: number, until: number): void {
    const taken = this.#lanes.get(lane);
    if (taken === undefined) this.#lanes.set(lane, [from, until]);
    else taken.splice(2 * placeOf(taken, from), 0, from, until);
    this.#top = Math.min(this.#top, lane);
    this.#bottom = Math.max(this.#bottom, lane);
  }

  /** Distance from `lane` to the first free lane on a side (1 or -1). */
  distance(lane: number, side: number, from: number, until: number): number {
    for (let away = 1; away <= FAR; away += 1) {
      const taken = this.#lanes.get(lane + side * away);
      if (taken === undefined || isFree(taken, from, until)) return away;
    }
    return Math.max(1, (side > 0 ? this.#bottom - lane : lane - this.#top) + 1);
  }
}

/** So many lanes are looked at before a wire goes to the outside: what is added stays cheap however many lanes there are. */
const FAR = 256;

/** The run of the layout before that started with the same node and started a wire there; -1: none. */
const oldHead = (fold: Fold, run: number, before: LaidOut): number => {
  const node = fold.first[run] ?? -1;
  const old = before.fold.runOf[node] ?? -1;
  return old >= 0 && before.head[old] === 1 && before.fold.first[old] === node ? old : -1;
};

interface Claim {
  readonly run: number;
  readonly lane: number;
  /** Lies where it lay, as long as it was. */
  readonly same: boolean;
}

const claimsOf = (fold: Fold, wires: Wires, before: LaidOut): Claim[] => {
  const claims: Claim[] = [];
  for (let run = 0; run < wires.head.length; run += 1) {
    if (wires.head[run] === 0 || run === wires.trunk) continue;
    const old = oldHead(fold, run, before);
    const lane = old < 0 ? 0 : (before.lane[old] ?? 0);
    // Lane 0 is the trunk's alone.
    if (lane === 0) continue;
    claims.push({
      run,
      lane,
      same: before.x[old] === wires.x[run] && before.until[old] === wires.until[run],
    });
  }
  return claims.sort((a, b) => a.lane - b.lane || (wires.from[a.run] ?? 0) - (wires.from[b.run] ?? 0));
};

interface Settled {
  readonly kept: readonly Claim[];
  /** Runs of wires that grew up to something else on their lane: a wire can bend there. */
  readonly blocked: ReadonlySet<number>;
}

/** Which wires can have their lane. Where two would lie over each other, the one that grew or moved gives way. */
const settle = (fold: Fold, wires: Wires, claims: readonly Claim[], endOf: Int32Array): Settled => {
  const kept: Claim[] = [];
  const blocked = new Set<number>();
  for (const claim of claims) {
    const last = kept.at(-1);
    const from = wires.from[claim.run] ?? 0;
    if (last === undefined || last.lane !== claim.lane || (wires.until[last.run] ?? 0) <= from)
      kept.push(claim);
    else if (!last.same) {
      blocked.add(crossing(fold, wires, last.run, endOf[last.run] ?? -1, from));
      kept.pop();
      kept.push(claim);
    }
  }
  return { kept, blocked };
};

/** The first run of a wire that does not end before `limit`. */
const crossing = (fold: Fold, wires: Wires, wire: number, end: number, limit: number): number => {
  let found = end;
  for (let run = end; run >= 0; run = run === wire ? -1 : (fold.parent[run] ?? -1))
    if ((wires.x[run] ?? 0) + (wires.w[run] ?? 0) + TAIL > limit) found = run;
  return found;
};

/** The last run of each wire, by its head. Runs along a wire are numbered upwards. */
const endsOf = (wires: Wires): Int32Array => {
  const ends = new Int32Array(wires.head.length).fill(-1);
  wires.wireOf.forEach((wire, run) => {
    ends[wire] = run;
  });
  return ends;
};

/** Runs at which wires must bend because they grew up to something else on their lane. */
export const bendsOf = (fold: Fold, wires: Wires, before: LaidOut): ReadonlySet<number> =>
  settle(fold, wires, claimsOf(fold, wires, before), endsOf(wires)).blocked;

/** Gives wires the lanes they had; one that has to give way is left without a lane (0), like a new one. */
export const keepLanes = (fold: Fold, wires: Wires, before: LaidOut, lane: Int32Array): TakenLanes => {
  const taken = new TakenLanes();
  for (const claim of settle(fold, wires, claimsOf(fold, wires, before), endsOf(wires)).kept) {
    lane[claim.run] = claim.lane;
    taken.take(claim.lane, wires.from[claim.run] ?? 0, wires.until[claim.run] ?? 0);
  }
  return taken;
};
