import type { SessionTree } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useNarrow } from "../../ui/use-media.ts";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { firstRow, type Outline, tellingRow, titleOf } from "./outline-model.ts";
import styles from "./Tree.module.css";
import { TreeRow, treeRowId } from "./TreeRow.tsx";
import { type TreeMove, treeMove, typeAhead } from "./tree-keys.ts";
import type { TreeModel } from "./use-outline.ts";

interface TreeOutlineProps {
  model: TreeModel;
  tree: SessionTree;
  onOpen: (entry: EntryId) => void;
}

/** Typed letters count as one word as long as they follow each other this fast, ms. */
const TYPING_MS = 700;

/** The outline as a tree: virtual rows, one of them in the tab order, the keys of WAI-ARIA's tree pattern. */
export const TreeOutline = ({ model, tree, onOpen }: TreeOutlineProps) => {
  const { outline, here, tip, running, toggle } = model;
  const { rows } = outline;
  // As --row in tokens.css.
  const height = useNarrow() ? 44 : 26;
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const [focusedRun, setFocusedRun] = useState<number | null>(null);
  const focused = useMemo(() => {
    const own = focusedRun === null ? -1 : rows.findIndex((row) => row.run === focusedRun);
    return own >= 0 ? own : Math.max(0, here >= 0 ? here : tip);
  }, [rows, focusedRun, here, tip]);

  useEffect(() => {
    // The band stays in sight while one reads on, unless the tree itself is being used.
    if (here >= 0 && !scroller.current?.contains(document.activeElement))
      list.current?.scrollToIndex(here, { align: "nearest" });
  }, [here]);

  const focusRow = (index: number): void => {
    const row = rows[index];
    if (!row) return;
    setFocusedRun(row.run);
    list.current?.scrollToIndex(index, { align: "nearest" });
    requestAnimationFrame(() => document.getElementById(treeRowId(row.run))?.focus());
  };
  const openRow = (index: number): void => {
    const row = rows[index];
    // The words of a row are those of one entry: that one is shown, wherever in the run it stands.
    const entry = row && (tellingRow(outline, row) ?? firstRow(outline, row));
    if (entry) onOpen(entry.id);
  };
  const toggleRow = (index: number, open: boolean): void => {
    const row = rows[index];
    if (row) toggle(outline.fold.first[row.run] ?? -1, open);
  };
  const act = (move: TreeMove): void => {
    switch (move.kind) {
      case "focus":
        focusRow(move.index);
        return;
      case "open":
        openRow(move.index);
        return;
      case "toggle":
        toggleRow(move.index, move.open);
        return;
      case "siblings": {
        const level = rows[move.index]?.level;
        rows.forEach((row, index) => row.level === level && row.fold === "closed" && toggleRow(index, true));
      }
    }
  };
  const onTyped = useTypeAhead(outline, focused, focusRow);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(rows, focused, event.key);
    if (move) act(move);
    else if (!onTyped(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the focus is on its rows or in the field it belongs to
    <div
      ref={scroller}
      className={styles.scroller}
      role="tree"
      aria-label="Session tree"
      onKeyDown={onKeyDown}
    >
      <VirtualList items={rows} scroller={scroller} handle={list} itemSize={height} keep={[focused]}>
        {(row, index) => (
          <TreeRow
            key={row.run}
            outline={outline}
            row={row}
            tree={tree}
            here={index === here}
            focused={index === focused}
            tip={index === tip}
            running={index === running}
            height={height}
            onOpen={() => openRow(index)}
            onToggle={() => toggleRow(index, row.fold === "closed")}
            onFocus={() => setFocusedRun(row.run)}
          />
        )}
      </VirtualList>
    </div>
  );
};

/** Letters go to the next row that begins with them; says whether there is one. */
const useTypeAhead = (
  outline: Outline,
  focused: number,
  focusRow: (index: number) => void,
): ((event: KeyboardEvent) => boolean) => {
  const typed = useRef({ text: "", at: 0 });
  return (event) => {
    // Digits and the letter f are keys of the whole page.
    if (event.key.length !== 1 || !/\p{L}/u.test(event.key) || event.key === "f") return false;
    const follows = event.timeStamp - typed.current.at < TYPING_MS;
    const text = follows ? typed.current.text + event.key : event.key;
    typed.current = { text, at: event.timeStamp };
    const titles = outline.rows.map((row) => titleOf(outline, row));
    const index = typeAhead(titles, focused, text);
    if (index >= 0) focusRow(index);
    return index >= 0;
  };
};
