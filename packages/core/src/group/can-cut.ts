import type { EntryId, PathItem } from "@espalier/protocol";
import { resultEntries } from "./tool-group.ts";

declare const cut: unique symbol;

/**
 * A place between two items where a path may be cut, branched or interrupted. Only `cutPlaces` and `cutBefore` make one, so a
 * cut through a group cannot be expressed.
 */
export interface CutPlace {
  readonly [cut]: true;
  /** Index of the first item after the cut. */
  readonly index: number;
  /** Id of that item's first entry: what `firstKeptEntryId` names. */
  readonly entryId: EntryId;
}

/** A step's calls and results as a stretch of the path, in positions of its entries; first and last included. */
export interface BatchSpan {
  readonly item: number;
  readonly first: number;
  readonly last: number;
  /** Some call has no result on this path. */
  readonly open: boolean;
}

const positions = (path: readonly EntryId[]): Map<EntryId, number> => new Map(path.map((id, at) => [id, at]));

/** The batches of a path. `path` holds the ids of its entries, root first. */
export const batchSpans = (items: readonly PathItem[], path: readonly EntryId[]): BatchSpan[] => {
  const at = positions(path);
  return items.flatMap((item, index): BatchSpan[] => {
    if (item.kind !== "step" || item.groups.length === 0) return [];
    const first = at.get(item.id) ?? 0;
    const results = item.groups.flatMap(resultEntries).map((id) => at.get(id) ?? first);
    const open = item.groups.some(({ kind }) => kind === "missing_results");
    return [
      { item: index, first, last: results.reduce((last, place) => Math.max(last, place), first), open },
    ];
  });
};

/**
 * Every place where the path may be cut. Most lie simply between two items; where a file holds an entry between a call and its
 * result, there is no place on either side of that entry.
 */
export const cutPlaces = (items: readonly PathItem[], path: readonly EntryId[]): CutPlace[] => {
  const at = positions(path);
  const spans = batchSpans(items, path);
  const places: CutPlace[] = [];
  let next = 0;
  let reach = -1;
  for (const [index, item] of items.entries()) {
    const start = at.get(item.id) ?? 0;
    if (index > 0 && start > reach) places.push({ index, entryId: item.id } as CutPlace);
    const span = spans[next];
    if (span?.item === index) {
      reach = Math.max(reach, span.last);
      next += 1;
    }
  }
  return places;
};

/** The place before an item, or null where a cut would part a call from its result. */
export const cutBefore = (
  items: readonly PathItem[],
  path: readonly EntryId[],
  index: number,
): CutPlace | null => cutPlaces(items, path).find((place) => place.index === index) ?? null;

/** Where a new branch really starts. `moved` says that it is not the entry that was asked for. */
export interface Landing {
  /** The entry the next message hangs under; null makes a new root. */
  readonly target: EntryId | null;
  readonly moved: "after" | "before" | null;
}

/**
 * Where "branch from here" lands: on the entry itself, or, inside a batch, after its last result; before the step when one of
 * its calls has no result yet. `path` is the path that is being read.
 */
export const landingOf = (
  items: readonly PathItem[],
  path: readonly EntryId[],
  entryId: EntryId,
): Landing => {
  const asked = path.indexOf(entryId);
  if (asked < 0) return { target: entryId, moved: null };
  const spans = batchSpans(items, path);
  let place = asked;
  let moved: Landing["moved"] = null;
  // Batches can interleave in a damaged file: going on until no batch is split; each turn only goes further one way.
  for (let turn = 0; turn <= spans.length; turn += 1) {
    const open = spans.find((span) => span.open && span.first <= place && place <= span.last);
    if (open !== undefined) {
      place = open.first - 1;
      moved = "before";
      continue;
    }
    const whole = spans.find((span) => !span.open && span.first <= place && place < span.last);
    if (whole === undefined) break;
    place = moved === "before" ? whole.first - 1 : whole.last;
    moved ??= "after";
  }
  return { target: path[place] ?? null, moved };
};
