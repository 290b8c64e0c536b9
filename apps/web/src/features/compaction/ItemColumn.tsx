import type { Survival } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";
import { type ReactNode, useMemo, useRef } from "react";
import { classNames } from "../../ui/class-names.ts";
import { VirtualList } from "../../ui/VirtualList.tsx";
import { feedRows } from "../../view/item/feed-rows.ts";
import { RowView } from "../../view/item/RowView.tsx";
import { FoldsContext } from "../../view/use-folded.ts";
import { useView, ViewContext, type ViewFacts } from "../../view/view-context.tsx";
import styles from "./Compaction.module.css";

const WORDS: Readonly<Record<Survival, string>> = {
  found: "the summary names all of it",
  partly: "the summary names a part of it",
  missing: "the summary names nothing of it",
};

const Mark = ({ survival }: { survival: Survival | null }) =>
  survival === null ? (
    <span className={styles.mark} aria-hidden="true" />
  ) : (
    <span className={classNames(styles.mark, styles[survival])} title={`By text match, ${WORDS[survival]}`}>
      <span className="visually-hidden">{WORDS[survival]}</span>
    </span>
  );

/** Calls are folded: what is compared is what was said and done, not every line of it. */
const FOLDED = { tools: { open: false, turn: 1 }, thinking: null } as const;

/** Items as they are looked at here: nothing is written from them. */
const lookingOnly = (facts: ViewFacts): ViewFacts => {
  const { resend: _, runAgain: __, inspect: ___, ...looks } = facts;
  return looks;
};

interface ItemColumnProps {
  name: string;
  /** What stands beside the name. */
  facts: ReactNode;
  items: readonly PathItem[];
  /** A mark for every item; absent where none are made. */
  marks?: readonly (Survival | null)[];
  /** Index of the item where a turn begins that was cut; -1 for none. */
  turnStart?: number;
  /** What stands above the items. */
  above?: ReactNode;
  /** An item was chosen: null takes the choice back. */
  onChoose?: (item: EntryId | null) => void;
  chosen?: EntryId | null;
}

/** One side of a cut: its items as the transcript shows them, each with what became of it. */
export const ItemColumn = (props: ItemColumnProps) => {
  const { name, facts, items, marks, turnStart = -1, above, onChoose, chosen } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => feedRows(items), [items]);
  const known = useView();
  const view = useMemo(() => lookingOnly(known), [known]);
  return (
    <section className={styles.column} aria-label={name}>
      <header className={styles.columnHead}>
        <h2>{name}</h2>
        <span className={styles.columnFacts}>{facts}</span>
      </header>
      <div ref={scroller} className={styles.scroll} tabIndex={0} role="group" aria-label={`${name}, entries`}>
        {above}
        <FoldsContext value={FOLDED}>
          <ViewContext value={view}>
            <VirtualList items={rows} scroller={scroller} handle={null}>
              {(row) => (
                <div
                  key={row.key}
                  className={classNames(
                    styles.row,
                    turnStart >= 0 && row.item >= turnStart && styles.band,
                    chosen === row.of.id && styles.chosen,
                  )}
                  onClick={() => onChoose?.(chosen === row.of.id ? null : row.of.id)}
                >
                  {row.item === turnStart && (
                    <p className={styles.bandName}>First part of this turn, cut through</p>
                  )}
                  <div className={styles.rowBody}>
                    <RowView row={row} compaction={0} />
                  </div>
                  {marks && <Mark survival={marks[row.item] ?? null} />}
                </div>
              )}
            </VirtualList>
          </ViewContext>
        </FoldsContext>
        {items.length === 0 && <p className={styles.nothing}>Nothing.</p>}
      </div>
    </section>
  );
};
