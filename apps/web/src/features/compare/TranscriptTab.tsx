import { type AlignedPart, alignTurns, pathToLeaf, type SessionTree } from "@espalier/core";
import type { Comparison, EntryId, PathItem } from "@espalier/protocol";
import { useEffect, useMemo, useRef } from "react";
import { useSession } from "../../store/session-context.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { plural } from "../../view/format.ts";
import { feedRows } from "../../view/item/feed-rows.ts";
import { RowView } from "../../view/item/RowView.tsx";
import { gapBefore } from "../../view/item/row-gap.ts";
import { rowName } from "../../view/item/row-name.ts";
import { useView } from "../../view/view-context.tsx";
import styles from "./Compare.module.css";
import type { Side } from "./compare-words.ts";
import { Tag } from "./Tag.tsx";
import { type BranchItems, useBranchItems } from "./use-branch-items.ts";

/** Items of one turn that stand in one part: enough for a screen, few enough to be drawn at once. */
const PART = 8;

/** Which compaction of its path each compaction is, from 1. */
const numbersOn = (tree: SessionTree | undefined, end: EntryId): ReadonlyMap<EntryId, number> =>
  new Map(
    tree
      ? pathToLeaf(tree, end)
          .filter((id) => tree.get(id)?.type === "compaction")
          .map((id, index) => [id, index + 1])
      : [],
  );

const Cell = ({
  items,
  numbers,
}: {
  items: readonly PathItem[] | null;
  numbers: ReadonlyMap<EntryId, number>;
}) => {
  const { folders } = useView();
  const rows = useMemo(() => (items === null ? [] : feedRows(items)), [items]);
  if (items === null) return <p className={styles.quiet}>{"\u2026"}</p>;
  return rows.map((row, index) => (
    <article
      key={row.key}
      aria-label={rowName(row, folders)}
      style={{ paddingTop: gapBefore(rows[index - 1], row) }}
    >
      <RowView row={row} compaction={numbers.get(row.of.id) ?? 0} />
    </article>
  ));
};

interface PartProps {
  part: AlignedPart;
  /** It is the first of its turn. */
  opens: boolean;
  sides: readonly Side[];
  items: Readonly<Record<Side, BranchItems>>;
  numbers: Readonly<Record<Side, ReadonlyMap<EntryId, number>>>;
}

const Part = ({ part, opens, sides, items, numbers }: PartProps) => {
  useEffect(() => {
    for (const side of sides) items[side].need(part[side]);
  }, [part, sides, items]);
  return (
    <div
      className={styles.part}
      data-columns={sides.length}
      data-opens={opens && part.turn > 0 ? "" : undefined}
    >
      {sides.map((side) => (
        <div key={side}>
          {opens && part.turn > 0 && (
            <h3 className={styles.turn}>
              <Tag side={side} />
              turn {part.turn}
              {part[side].from === part[side].to && <span>, not on this branch</span>}
            </h3>
          )}
          <Cell items={items[side].of(part[side])} numbers={numbers[side]} />
        </div>
      ))}
    </div>
  );
};

interface TranscriptTabProps {
  comparison: Comparison;
  sides: readonly Side[];
  /** Shows the last entry both share in the transcript. */
  onFork: (() => void) | null;
}

/** Both branches from the fork on, turn beside turn. Must be keyed by both ends. */
export const TranscriptTab = ({ comparison, sides, onFork }: TranscriptTabProps) => {
  const { a, b } = comparison;
  const tree = useSession((open) => open.session?.tree);
  const inA = useBranchItems(a.end);
  const inB = useBranchItems(b.end);
  const items = useMemo(() => ({ a: inA, b: inB }), [inA, inB]);
  const numbers = useMemo(
    () => ({ a: numbersOn(tree, a.end), b: numbersOn(tree, b.end) }),
    [tree, a.end, b.end],
  );
  const parts = useMemo(() => alignTurns(a, b, PART), [a, b]);
  const list = useRef<ListHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const shared = Math.min(a.first, b.first);
  return (
    <div className={styles.transcripts}>
      <p className={styles.prefix}>
        {plural(shared, "item")} before the fork {shared === 1 ? "is" : "are"} the same on both
        {onFork && (
          <>
            {" \u00b7 "}
            <LinkButton onClick={onFork}>Show in the transcript</LinkButton>
          </>
        )}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <div ref={scroller} className={styles.scroller} role="group" aria-label="Both transcripts" tabIndex={0}>
        <VirtualList items={parts} scroller={scroller} handle={list}>
          {(part, index) => (
            <Part
              key={`${part.a.from}:${part.b.from}`}
              part={part}
              opens={parts[index - 1]?.turn !== part.turn}
              sides={sides}
              items={items}
              numbers={numbers}
            />
          )}
        </VirtualList>
      </div>
      {parts.length === 0 && <p className={styles.note}>Neither goes on after the fork.</p>}
    </div>
  );
};
