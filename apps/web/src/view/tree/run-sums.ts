import type { Outcome } from "@espalier/protocol";
import type { Folded } from "./folded.ts";
import { lastRowOf, rowsOf } from "./run-words.ts";

/** Sums by run. */
export interface RunSums {
  readonly tokens: Float64Array;
  /** US dollars. */
  readonly cost: Float64Array;
  /** Entries that failed or were stopped. */
  readonly failed: Int32Array;
  /** How it ended, where somebody said so: of several the last. */
  readonly outcome: ReadonlyMap<number, Outcome>;
}

const kept = new WeakMap<Folded, RunSums>();

const sum = ({ tree, drawn, fold }: Folded): RunSums => {
  const size = fold.size.length;
  const tokens = new Float64Array(size);
  const cost = new Float64Array(size);
  const failed = new Int32Array(size);
  drawn.rows.forEach((row, node) => {
    const run = fold.runOf[node] ?? -1;
    tokens[run] = (tokens[run] ?? 0) + row.tokens;
    if (row.cost !== undefined) cost[run] = (cost[run] ?? 0) + row.cost;
    if (row.flags !== undefined && (row.flags.includes("error") || row.flags.includes("aborted")))
      failed[run] = (failed[run] ?? 0) + 1;
  });
  const outcome = new Map<number, Outcome>();
  for (const [id, mark] of tree.outcomes) {
    const node = drawn.nodeOf.get(id);
    if (node !== undefined) outcome.set(fold.runOf[node] ?? -1, mark.outcome);
  }
  return { tokens, cost, failed, outcome };
};

/** Tokens, cost and marks of every run: one pass over the rows, once for each fold. */
export const sumsOf = (folded: Folded): RunSums => {
  const known = kept.get(folded) ?? sum(folded);
  kept.set(folded, known);
  return known;
};

/** How a branch ended: as somebody marked it, else failed when its last entry is, else open. */
export type Ending = "ok" | "failed" | "abandoned" | "open";

const ENDINGS: Readonly<Record<Outcome, Ending>> = {
  worked: "ok",
  failed: "failed",
  abandoned: "abandoned",
};

/** The ending of a run that nothing follows. */
export const endingOf = (folded: Folded, run: number): Ending => {
  const marked = sumsOf(folded).outcome.get(run);
  if (marked !== undefined) return ENDINGS[marked];
  const flags = lastRowOf(folded, run)?.flags;
  return flags?.includes("error") || flags?.includes("aborted") ? "failed" : "open";
};

const endings = new WeakMap<Folded, Readonly<Record<Ending, number>>>();

const count = (folded: Folded): Readonly<Record<Ending, number>> => {
  const found = { ok: 0, failed: 0, abandoned: 0, open: 0 };
  folded.fold.children.forEach((children, run) => {
    if (children === 0) found[endingOf(folded, run)] += 1;
  });
  return found;
};

/** How many branches ended how. */
export const countEndings = (folded: Folded): Readonly<Record<Ending, number>> => {
  const known = endings.get(folded) ?? count(folded);
  endings.set(folded, known);
  return known;
};

/** What a card tells of one run. */
export interface RunFacts {
  readonly entries: number;
  readonly tokens: number;
  readonly cost: number;
  readonly failed: number;
  /** Epoch ms; 0: unknown. */
  readonly from: number;
  readonly until: number;
  readonly files: readonly string[];
}

export const factsOfRun = (folded: Folded, run: number): RunFacts => {
  const files = new Set<string>();
  let from = 0;
  let until = 0;
  for (const row of rowsOf(folded, run)) {
    for (const file of row.files ?? []) files.add(file);
    if (row.time > 0) {
      from = from === 0 ? row.time : from;
      until = row.time;
    }
  }
  const sums = sumsOf(folded);
  return {
    entries: folded.fold.size[run] ?? 0,
    tokens: sums.tokens[run] ?? 0,
    cost: sums.cost[run] ?? 0,
    failed: sums.failed[run] ?? 0,
    from,
    until,
    files: [...files],
  };
};
