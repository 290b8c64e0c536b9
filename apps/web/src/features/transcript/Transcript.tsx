import { runAt } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { holdsEnd } from "../../store/path-view.ts";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { entriesOfRow, type FeedRow } from "../../view/item/feed-rows.ts";
import { ItemMenu } from "../../view/item/ItemMenu.tsx";
import { Marks } from "../../view/item/Marks.tsx";
import { RowView } from "../../view/item/RowView.tsx";
import { gapBefore } from "../../view/item/row-gap.ts";
import { rowName } from "../../view/item/row-name.ts";
import { LiveContext, useView } from "../../view/view-context.tsx";
import { PartialItem } from "./PartialItem.tsx";
import styles from "./Transcript.module.css";
import { type TranscriptRow, transcriptRows } from "./transcript-rows.ts";
import { useItemPress } from "./use-item-press.ts";
import { useReading } from "./use-reading.ts";
import { useStick } from "./use-stick.ts";
import { useTranscriptKeys } from "./use-transcript-keys.ts";

/** Nearer than this to an edge of what is held, px, the next part is read. */
const EDGE = 900;

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
      <Marks entries={newIn(row, before)} />
    </article>
  );
};

/** Entries of a row that the row above it does not show already: a step has several rows. */
const newIn = (row: FeedRow, before: TranscriptRow | undefined): readonly EntryId[] => {
  const known = before === undefined || before.kind === "partial" ? [] : entriesOfRow(before);
  return entriesOfRow(row).filter((entry) => !known.includes(entry));
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
  const run = session ? runAt(session, view.leafId) : null;
  const rows = useMemo(() => (session ? transcriptRows(view, session, run) : []), [view, session, run]);
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const stick = useStick(scroller, rows);
  const shift = useGrewAtStart(rows);
  const reading = useReading({ rows, list, stick });
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
    reading.onScroll(handle, offset, below);
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
