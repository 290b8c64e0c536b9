import type { EntryId, Row } from "@espalier/protocol";
import type { Folded } from "./folded.ts";

/** So far into a run its telling words are looked for. */
const FAR = 400;

export const firstRowOf = ({ drawn, fold }: Folded, run: number): Row | undefined =>
  drawn.rows[fold.first[run] ?? -1];

export const lastRowOf = ({ drawn, fold }: Folded, run: number): Row | undefined =>
  drawn.rows[fold.last[run] ?? -1];

/** Rows of a run, first to last. */
export const rowsOf = function* ({ drawn, fold }: Folded, run: number): Generator<Row> {
  const last = fold.last[run] ?? -1;
  // Inside of a run every node has one child.
  for (let node = fold.first[run] ?? -1; node >= 0; node = drawn.firstChild[node] ?? -1) {
    const row = drawn.rows[node];
    if (row) yield row;
    if (node === last) return;
  }
};

const RANKS: Readonly<Record<string, number>> = { user: 0, assistant: 1, custom: 2 };

const rankOf = (row: Row): number =>
  row.line === undefined || row.line === ""
    ? 9
    : row.role === "system"
      ? 8
      : (RANKS[row.role ?? ""] ?? (row.role === undefined ? 4 : 3));

const findTelling = (folded: Folded, run: number): Row | undefined => {
  if (folded.fold.kind[run] !== "run") return firstRowOf(folded, run);
  let best: Row | undefined;
  let looked = 0;
  for (const row of rowsOf(folded, run)) {
    if (best === undefined || rankOf(row) < rankOf(best)) best = row;
    if (rankOf(best) === 0 || looked++ > FAR) break;
  }
  return best !== undefined && rankOf(best) < 8 ? best : undefined;
};

const telling = new WeakMap<Folded, Map<number, Row | undefined>>();

/** The entry of a run that says what it is about: a person's first words in it, else the model's. */
export const tellingRow = (folded: Folded, run: number): Row | undefined => {
  const known = telling.get(folded) ?? new Map<number, Row | undefined>();
  telling.set(folded, known);
  if (!known.has(run)) known.set(run, findTelling(folded, run));
  return known.get(run);
};

/** What a run is called. */
export const titleOf = (folded: Folded, run: number): string => {
  const kind = folded.fold.kind[run];
  if (kind === "compaction") return "compaction";
  if (kind === "summary") return "summary of a branch";
  const line = tellingRow(folded, run)?.line ?? "";
  if (line !== "") return line;
  return kind === "user" ? "message without words" : "set-up";
};

const labels = new WeakMap<Folded, ReadonlyMap<number, string>>();

const findLabels = ({ tree, drawn, fold }: Folded): ReadonlyMap<number, string> => {
  const found = new Map<number, string>();
  for (const [id, label] of tree.labels) {
    const node = drawn.nodeOf.get(id);
    if (node !== undefined) found.set(fold.runOf[node] ?? -1, label);
  }
  return found;
};

/** Labels by run; of several the last given. */
export const labelsOf = (folded: Folded): ReadonlyMap<number, string> => {
  const known = labels.get(folded) ?? findLabels(folded);
  labels.set(folded, known);
  return known;
};

/** Which compaction of its path a run is, from 1. */
export const compactionNumber = ({ fold }: Folded, start: number): number => {
  let number = 0;
  for (let run = start; run >= 0; run = fold.parent[run] ?? -1)
    if (fold.kind[run] === "compaction") number += 1;
  return number;
};

/** The entry that a run stands for when one goes there: its end. */
export const endOf = (folded: Folded, run: number): EntryId | null => lastRowOf(folded, run)?.id ?? null;
