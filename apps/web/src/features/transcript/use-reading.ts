import { leafThrough } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import type { ListHandle } from "../../ui/VirtualList.tsx";
import { entriesOfRow } from "../../view/item/feed-rows.ts";
import { backToPlace, keepPlace, readingKey } from "./scroll-places.ts";
import type { TranscriptRow } from "./transcript-rows.ts";
import type { useStick } from "./use-stick.ts";

/** This near to the end of a path one is at it, px. */
const NEAR_END = 32;
/** Scrolling for so long after an entry was scrolled to comes of that, ms. */
const ARRIVING_MS = 300;
/** Parts of a path that are fetched to find a place again. */
const MOST_FETCHED = 5;

/** The row that shows an entry, or what comes next where the entry itself has no row (a changed setting, a name). */
const rowOfEntry = (rows: readonly TranscriptRow[], items: readonly PathItem[], entry: EntryId): number => {
  const own = rows.findIndex((row) => row.kind !== "partial" && entriesOfRow(row).includes(entry));
  const item = own < 0 ? items.findIndex(({ id }) => id === entry) : -1;
  return item < 0 ? own : rows.findIndex((row) => row.item >= item);
};

/** Whether the path that is shown is the one that the address names: it may still be on its way. */
const useIsThere = (): boolean => {
  const at = useSession((open) => open.at);
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  const leafId = useSession((open) => open.session?.leafId ?? null);
  const shown = useSession((open) => open.view.leafId);
  return useMemo(
    () =>
      at === null || tree === undefined || version === undefined || !tree.has(at)
        ? shown === leafId
        : shown === leafThrough(tree, at, leafId),
    [at, tree, version, leafId, shown],
  );
};

interface ReadingParts {
  readonly rows: readonly TranscriptRow[];
  readonly list: RefObject<ListHandle | null>;
  readonly stick: ReturnType<typeof useStick>;
}

interface Reading {
  /** Call on every scroll: `offset` from the list's start, `below` what is left under the edge, px. */
  readonly onScroll: (list: ListHandle, offset: number, below: number) => void;
}

/**
 * Goes to the entry that the address names, once its row is there; without one, to where one was in that path, or its end. Remembers
 * where one reads.
 */
export const useReading = ({ rows, list, stick: { release, toEnd } }: ReadingParts): Reading => {
  const { client } = useShown();
  const session = useSession((open) => open.id);
  const named = useSession((open) => open.at);
  const { leafId, items } = useSession((open) => open.view);
  const there = useIsThere();
  // Undefined: its path is not there yet.
  const at = there ? named : undefined;
  const key = readingKey(session, leafId, named);
  const done = useRef<EntryId | null | undefined>(undefined);
  const fetched = useRef(0);
  const arrived = useRef(Number.NEGATIVE_INFINITY);
  useLayoutEffect(() => {
    if (at === undefined || done.current === at || rows.length === 0) return;
    // Until the part of the path around the entry is there, nothing else is asked for.
    const index = at === null ? -1 : rowOfEntry(rows, items, at);
    if (at !== null && index < 0) return;
    const back = done.current === undefined ? "none" : backToPlace(key, at, list.current, rows);
    // What was read lies below what is held: a few more windows are fetched, then the address alone counts.
    if (back === "away" && fetched.current < MOST_FETCHED) {
      fetched.current += 1;
      void client.extend("later");
      return;
    }
    fetched.current = 0;
    if (back === "done") release();
    else if (at === null && done.current !== undefined) toEnd();
    else if (at !== null) {
      release();
      list.current?.scrollToIndex(index, { align: "start" });
      arrived.current = performance.now();
      uiStore.setState({ reading: at });
    }
    done.current = at;
  }, [at, key, rows, items, list, release, toEnd, client]);
  useEffect(() => {
    if (at === null && rows.length > 0) {
      const last = rows.findLast((row) => row.kind !== "partial");
      if (last && uiStore.getState().reading === null)
        uiStore.setState({ reading: entriesOfRow(last)[0] ?? null });
    }
  }, [at, rows]);
  const onScroll = (handle: ListHandle, offset: number, below: number): void => {
    if (there) keepPlace(key, handle, rows, offset, below <= NEAR_END);
    // Who was brought to an entry reads that one, until they move on.
    if (performance.now() - arrived.current < ARRIVING_MS) return;
    const seen = rows[handle.findItemIndex(offset + handle.viewportSize / 3)];
    if (seen && seen.kind !== "partial") uiStore.setState({ reading: entriesOfRow(seen)[0] ?? null });
  };
  return { onScroll };
};
