import type { EntryId } from "@espalier/protocol";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { toggleMark, uiStore } from "../../store/ui-store.ts";
import { useFolders } from "../../store/use-folders.ts";
import { useLongPress } from "../../ui/use-long-press.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { NodeMenu, type NodeMenuAt } from "../../view/tree/NodeMenu.tsx";
import { runName } from "../../view/tree/run-name.ts";
import { firstRowOf, tellingRow } from "../../view/tree/run-words.ts";
import { useNodeVerbs } from "../../view/tree/use-node-verbs.ts";
import { endOfRow, type Outline } from "./outline-model.ts";
import styles from "./Tree.module.css";
import { RowActs, TreeRow, treeRowId } from "./TreeRow.tsx";
import { type TreeMove, treeMove, typeAhead } from "./tree-keys.ts";
import type { TreeModel } from "./use-outline.ts";

interface TreeOutlineProps {
  model: TreeModel;
  /** Beside the map a click takes the node in hand there, and Enter reads it; without this a click reads. */
  onTake: ((entry: EntryId) => void) | undefined;
  onOpen: (entry: EntryId) => void;
}

/** Typed letters count as one word as long as they follow each other this fast, ms. */
const TYPING_MS = 700;

/** Keeps the band, and what the map has in hand, in sight, unless the tree itself is being used. */
const useFollow = ({ here, chosen }: TreeModel) => {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  useEffect(() => {
    if (here >= 0 && !scroller.current?.contains(document.activeElement))
      list.current?.scrollToIndex(here, { align: "nearest" });
  }, [here]);
  useEffect(() => {
    if (chosen >= 0 && !scroller.current?.contains(document.activeElement))
      list.current?.scrollToIndex(chosen, { align: "nearest" });
  }, [chosen]);
  return { scroller, list };
};

/** A row far away is there, and can take the focus, a few frames after the list was scrolled to it. */
const focusWhenThere = (id: string, tries = 20): void => {
  requestAnimationFrame(() => {
    const row = document.getElementById(id);
    row?.focus({ preventScroll: true });
    if ((row === null || document.activeElement !== row) && tries > 0) focusWhenThere(id, tries - 1);
  });
};

/** What can be done with the rows. */
const useRowActs = (
  { outline, toggle }: TreeModel,
  list: ReturnType<typeof useFollow>["list"],
  onOpen: TreeOutlineProps["onOpen"],
) => {
  const { rows } = outline;
  const choose = (index: number): void => {
    const row = rows[index];
    if (row) uiStore.setState({ chosen: firstRowOf(outline, row.run)?.id ?? null });
  };
  const focusRow = (index: number): void => {
    const row = rows[index];
    if (!row) return;
    choose(index);
    list.current?.scrollToIndex(index, { align: "nearest" });
    focusWhenThere(treeRowId(row.run));
  };
  const openRow = (index: number): void => {
    const row = rows[index];
    // The words of a row are those of one entry: that one is shown, wherever in the run it stands.
    const entry = row && (tellingRow(outline, row.run) ?? firstRowOf(outline, row.run));
    if (entry) onOpen(entry.id);
  };
  const headOf = (index: number): number => outline.fold.first[rows[index]?.run ?? -1] ?? -1;
  const act = (move: TreeMove): void => {
    const row = rows[move.index];
    switch (move.kind) {
      case "focus":
        return focusRow(move.index);
      case "open":
        return openRow(move.index);
      case "toggle":
        return toggle([headOf(move.index)], move.open);
      case "mark": {
        const entry = row && endOfRow(outline, row);
        if (entry) toggleMark(entry);
        return;
      }
      case "siblings": {
        const beside = rows.flatMap((each, index) =>
          each.level === row?.level && each.fold === "closed" ? [headOf(index)] : [],
        );
        toggle(beside, true);
      }
    }
  };
  return { choose, focusRow, openRow, act };
};

/** The outline as a tree: virtual rows, one of them in the tab order, the keys of WAI-ARIA's tree pattern. */
export const TreeOutline = ({ model, onTake, onOpen }: TreeOutlineProps) => {
  const { outline, here, tip, running, chosen, marked } = model;
  const { rows } = outline;
  // As --row in tokens.css.
  const height = useNarrow() ? 44 : 26;
  const { scroller, list } = useFollow(model);
  const verbs = useNodeVerbs();
  const [menu, setMenu] = useState<(NodeMenuAt & { readonly index: number }) | null>(null);
  const focused = chosen >= 0 ? chosen : Math.max(0, here >= 0 ? here : tip);
  const { choose, focusRow, openRow, act } = useRowActs(model, list, onOpen);
  const onTyped = useTypeAhead(outline, focused, focusRow);
  const openMenu = (index: number, x: number, y: number): void => {
    const row = rows[index];
    const entry = row && endOfRow(outline, row);
    if (entry) setMenu({ entry, x, y, index });
  };
  const takeRow = (index: number): void => {
    const entry = firstRowOf(outline, rows[index]?.run ?? -1)?.id;
    if (entry !== undefined) onTake?.(entry);
  };
  const [acts] = useState(() => new RowActs());
  useEffect(() =>
    acts.set({
      open: onTake === undefined ? openRow : takeRow,
      toggle: (index) => act({ kind: "toggle", index, open: rows[index]?.fold === "closed" }),
      focus: choose,
      menu: openMenu,
    }),
  );
  const press = useLongPress((target, x, y) => {
    const id = target.closest('[role="treeitem"]')?.id;
    openMenu(
      rows.findIndex(({ run }) => treeRowId(run) === id),
      x,
      y,
    );
  });
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = treeMove(rows, focused, event.key);
    if (move) act(move);
    else if (event.key === "c" && marked.length === 2) verbs.compareMarked();
    else if (!onTyped(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the focus is on its rows or in the field it belongs to */}
      <div
        ref={scroller}
        className={styles.scroller}
        role="tree"
        aria-label="Session tree"
        onKeyDown={onKeyDown}
        {...press}
      >
        <VirtualList items={rows} scroller={scroller} handle={list} itemSize={height} keep={[focused]}>
          {(row, index) => (
            <TreeRow
              key={row.run}
              outline={outline}
              row={row}
              here={index === here}
              focused={index === focused}
              chosen={index === chosen}
              tip={index === tip}
              running={index === running}
              mark={"AB"[marked.indexOf(index)] ?? ""}
              height={height}
              index={index}
              acts={acts}
            />
          )}
        </VirtualList>
      </div>
      <NodeMenu
        at={menu}
        onClose={() => {
          if (menu) focusRow(menu.index);
          setMenu(null);
        }}
      />
    </>
  );
};

/** Letters go to the next row that begins with them; says whether there is one. */
const useTypeAhead = (
  outline: Outline,
  focused: number,
  focusRow: (index: number) => void,
): ((event: KeyboardEvent) => boolean) => {
  const typed = useRef({ text: "", at: 0 });
  const folders = useFolders();
  return (event) => {
    const follows = event.timeStamp - typed.current.at < TYPING_MS;
    // Digits and the letters f and g are keys of the whole page, unless they go on in a word.
    if (event.key.length !== 1 || !/\p{L}/u.test(event.key)) return false;
    if (!follows && (event.key === "f" || event.key === "g")) return false;
    const text = follows ? typed.current.text + event.key : event.key;
    typed.current = { text, at: event.timeStamp };
    const titleAt = (index: number): string => {
      const row = outline.rows[index];
      return row ? runName(outline, row.run, row.branch, folders) : "";
    };
    const index = typeAhead(titleAt, outline.rows.length, focused, text);
    if (index >= 0) focusRow(index);
    return index >= 0;
  };
};
