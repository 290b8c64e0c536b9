import type { EntryId, SessionId } from "@espalier/protocol";
import type { ListHandle } from "../../ui/VirtualList.tsx";
import type { TranscriptRow } from "./transcript-rows.ts";

/** The row at the upper edge, and how far it is scrolled out, px. */
interface ScrollPlace {
  readonly row: string;
  readonly out: number;
}

/** How long after the browser went back or forward a change of what is read comes of that, ms. */
const HISTORY_MS = 2_000;
/** Places that are kept, over all sessions of this page. */
const MOST = 200;

const places = new Map<string, ScrollPlace>();
let wentAt = Number.NEGATIVE_INFINITY;
if (typeof addEventListener === "function")
  addEventListener("popstate", () => {
    wentAt = performance.now();
  });

/** Names what is read: a path's end, and the entry its address names. */
export const readingKey = (session: SessionId, leaf: EntryId | null, at: EntryId | null): string =>
  `${session}\n${leaf ?? ""}\n${at ?? ""}`;

/** Remembers where in a path one reads; at its end there is nothing to remember. */
export const keepPlace = (
  key: string,
  list: ListHandle,
  rows: readonly TranscriptRow[],
  offset: number,
  atEnd: boolean,
): void => {
  places.delete(key);
  const index = list.findItemIndex(offset);
  const row = rows[index];
  if (atEnd || row === undefined) return;
  places.set(key, { row: row.key, out: offset - list.getItemOffset(index) });
  const [oldest] = places.keys();
  if (places.size > MOST && oldest !== undefined) places.delete(oldest);
};

/**
 * Goes to where one was in a path. "none": nothing is remembered, or the address names an entry and was not come back to: then that entry
 * is meant. "away": its row is not held.
 */
export const backToPlace = (
  key: string,
  at: EntryId | null,
  list: ListHandle | null,
  rows: readonly TranscriptRow[],
): "done" | "none" | "away" => {
  if (at !== null && performance.now() - wentAt > HISTORY_MS) return "none";
  const place = places.get(key);
  if (place === undefined || list === null) return "none";
  const index = rows.findIndex((row) => row.key === place.row);
  if (index < 0) return "away";
  list.scrollToIndex(index, { align: "start", offset: place.out });
  return "done";
};
