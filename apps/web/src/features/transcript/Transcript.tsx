import { leafThrough, runAt } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { holdsEnd } from "../../store/path-view.ts";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { entriesOfRow } from "../../view/item/feed-rows.ts";
import { ItemMenu } from "../../view/item/ItemMenu.tsx";
import { Marks } from "../../view/item/Marks.tsx";
import { RowView } from "../../view/item/RowView.tsx";
import { gapBefore } from "../../view/item/row-gap.ts";
import { rowName } from "../../view/item/row-name.ts";
import { LiveContext, useView } from "../../view/view-context.tsx";
import { PartialItem } from "./PartialItem.tsx";
import { backToPlace, keepPlace, readingKey } from "./scroll-places.ts";
import styles from "./Transcript.module.css";
import { type TranscriptRow, transcriptRows } from "./transcript-rows.ts";
import { useItemPress } from "./use-item-press.ts";
import { useStick } from "./use-stick.ts";
import { useTranscriptKeys } from "./use-transcript-keys.ts";

/** Nearer than this to an edge of what is held, px, the next part is read. */
const EDGE = 900;
/** This near to the end of a path one is at it, px. */
const NEAR_END = 32;

/** The row that shows an entry, or what comes next where the entry itself has no row (a changed setting, a name). */
const rowOfEntry = (rows: readonly TranscriptRow[], items: readonly PathItem[], entry: EntryId): number => {
  const own = rows.findIndex((row) => row.kind !== "partial" && entriesOfRow(row).includes(entry));
  const item = own < 0 ? items.findIndex(({ id }) => id === entry) : -1;
  return item < 0 ? own : rows.findIndex((row) => row.item >= item);
};

const Article = ({ row, before, index, total, compaction }: ArticleProps) => {
  const { folders } = useView();
  if (row.kind === "partial")
    return (
      <article
        className={styles.row}
        aria-label="Assistant, being written"
        aria-posinset={index}
        aria-setsize={total}
      >
        <PartialItem blocks={row.blocks} />
      </article>
    );
  const gap = gapBefore(before?.kind === "partial" ? undefined : before, row);
  return (
    <article
      className={styles.row}
      style={{ paddingTop: gap }}
      aria-label={rowName(row, folders)}
      aria-posinset={index}
      aria-setsize={total}
      data-entry={entriesOfRow(row)[0]}
      data-row={row.key}
      tabIndex={-1}
    >
      <RowView row={row} compaction={compaction} />
      <Marks entries={entriesOfRow(row)} />
    </article>
  );
};

interface ArticleProps {
  row: TranscriptRow;
  before: TranscriptRow | undefined;
  index: number;
  /** -1: more of the path is on the server. */
  total: number;
  compaction: number;
}

/** How many compactions of the path lie above each row, itself included. */
const countCompactions = (rows: readonly TranscriptRow[], above: number): number[] => {
  let number = above;
  return rows.map((row) => {
    if (row.kind === "item" && row.of.kind === "compaction") number += 1;
    return number;
  });
};

const useCompactionsAbove = (): number => {
  const tree = useSession((open) => open.session?.tree);
  const view = useSession((open) => open.view);
  return useMemo(
    () => view.keys.slice(0, view.from).filter((key) => tree?.get(key)?.type === "compaction").length,
    [tree, view.keys, view.from],
  );
};

/** The path that is read, as a feed. Follows its end while it grows, unless the person reads above. */
export const Transcript = () => {
  const { client } = useShown();
  const view = useSession((open) => open.view);
  const session = useSession((open) => open.session);
  const at = useSession((open) => open.at);
  const run = session ? runAt(session, view.leafId) : null;
  const rows = useMemo(() => (session ? transcriptRows(view, session, run) : []), [view, session, run]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const stick = useStick(scroller, rows);
  const shift = useGrewAtStart(rows);
  const there = useIsThere();
  const key = readingKey(client.store.getState().id, view.leafId, at);
  useScrollTo({ at: there ? at : undefined, key, rows, items: view.items, list, stick });
  const above = useCompactionsAbove();
  const compactions = useMemo(() => countCompactions(rows, above), [rows, above]);
  const press = useItemPress();
  const total = view.from === 0 && holdsEnd(view) ? rows.length : -1;

  const onScroll = (offset: number): void => {
    stick.onScroll();
    const handle = list.current;
    if (!handle) return;
    const below = handle.scrollSize - offset - handle.viewportSize;
    if (offset < EDGE && view.from > 0) void client.extend("earlier");
    else if (below < EDGE && !holdsEnd(view)) void client.extend("later");
    if (there) keepPlace(key, handle, rows, offset, below <= NEAR_END);
    const seen = rows[handle.findItemIndex(offset + handle.viewportSize / 3)];
    if (seen && seen.kind !== "partial") uiStore.setState({ reading: entriesOfRow(seen)[0] ?? null });
  };

  const toEnd = (): void => {
    if (holdsEnd(view)) stick.toEnd();
    else void client.read(null).then(stick.toEnd);
  };

  const openStep = run ? (view.items.findLast((item) => item.kind === "step")?.id ?? null) : null;
  useLatest(toEnd);
  useTranscriptKeys({ rows, list, scroller, toEnd, release: stick.release });
  const live = useMemo(
    () => ({ tools: session?.tools ?? new Map(), approvals: session?.approvals ?? [], openStep }),
    [session?.tools, session?.approvals, openStep],
  );

  return (
    <LiveContext value={live}>
      <div className={styles.frame}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
        <div
          ref={scroller}
          className={styles.feed}
          role="feed"
          aria-label="Transcript"
          aria-busy={run !== null}
          tabIndex={0}
          {...press}
        >
          <div className={styles.spacer} />
          <VirtualList
            items={rows}
            scroller={scroller}
            handle={list}
            shift={shift}
            onScroll={onScroll}
            onResize={stick.onResize}
          >
            {(row, index) => (
              <Article
                key={row.key}
                row={row}
                before={rows[index - 1]}
                index={view.from + index + 1}
                total={total}
                compaction={compactions[index] ?? 0}
              />
            )}
          </VirtualList>
          <div className={styles.end} />
        </div>
        <ItemMenu />
        {(!stick.atEnd || !holdsEnd(view)) && rows.length > 0 && (
          <button type="button" className={styles.pill} onClick={toEnd}>
            <Icon of={ArrowDown} size={14} />
            Jump to latest
          </button>
        )}
      </div>
    </LiveContext>
  );
};

/** Goes to the end each time somebody asks for it, wherever on the page. */
const useLatest = (toEnd: () => void): void => {
  const current = useRef(toEnd);
  useEffect(() => {
    current.current = toEnd;
  });
  useEffect(
    () => uiStore.subscribe((state, before) => state.latest !== before.latest && current.current()),
    [],
  );
};

/** Whether rows came in above the first one that was there before, in this very render. */
const useGrewAtStart = (rows: readonly TranscriptRow[]): boolean => {
  const [before, setBefore] = useState<{ rows: readonly TranscriptRow[]; grew: boolean }>({
    rows: [],
    grew: false,
  });
  if (before.rows === rows) return before.grew;
  const first = before.rows[0]?.key;
  const place = first === undefined ? -1 : rows.findIndex((row) => row.key === first);
  const grew = place > 0;
  setBefore({ rows, grew });
  return grew;
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

interface ScrollTo {
  /** Undefined: its path is not there yet. */
  readonly at: EntryId | null | undefined;
  /** See `readingKey`. */
  readonly key: string;
  readonly rows: readonly TranscriptRow[];
  readonly items: readonly PathItem[];
  readonly list: RefObject<ListHandle | null>;
  readonly stick: ReturnType<typeof useStick>;
}

/** Scrolls to the entry that the address names, once its row is there; without one, to where one was in that path, or its end. */
const useScrollTo = ({ at, key, rows, items, list, stick: { release, toEnd } }: ScrollTo): void => {
  const done = useRef<EntryId | null | undefined>(undefined);
  useLayoutEffect(() => {
    if (at === undefined || done.current === at || rows.length === 0) return;
    const isBack = done.current !== undefined && backToPlace(key, at, list.current, rows);
    if (isBack) release();
    if (isBack || at === null) {
      if (!isBack && done.current !== undefined) toEnd();
      done.current = at;
      return;
    }
    const index = rowOfEntry(rows, items, at);
    if (index < 0) return;
    done.current = at;
    release();
    list.current?.scrollToIndex(index, { align: "start" });
    uiStore.setState({ reading: at });
  }, [at, key, rows, items, list, release, toEnd]);
  useEffect(() => {
    if (at === null && rows.length > 0) {
      const last = rows.findLast((row) => row.kind !== "partial");
      if (last && uiStore.getState().reading === null)
        uiStore.setState({ reading: entriesOfRow(last)[0] ?? null });
    }
  }, [at, rows]);
};
