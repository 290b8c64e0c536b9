import type { EntryId } from "@espalier/protocol";
import { type RefObject, useEffect, useRef } from "react";
import { toggleFolds, uiStore } from "../../store/ui-store.ts";
import type { ListHandle } from "../../ui/VirtualList.tsx";
import { copyText } from "../../view/copy-text.ts";
import { siblingsOf } from "../../view/item/branch-name.ts";
import { wordsOf } from "../../view/item/content-text.ts";
import { entriesOfRow } from "../../view/item/feed-rows.ts";
import { useView, type ViewFacts } from "../../view/view-context.tsx";
import type { TranscriptRow } from "./transcript-rows.ts";

const isElsewhere = (event: KeyboardEvent): boolean => {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
    target.closest(
      '[role="tree"],[role="menu"],[role="dialog"],[role="listbox"],[role="tablist"],[role="separator"]',
    ) !== null
  );
};

const entryOf = (row: TranscriptRow | undefined): EntryId | null =>
  row && row.kind !== "partial" ? (entriesOfRow(row)[0] ?? null) : null;

const isYours = (row: TranscriptRow | undefined): boolean => row?.kind === "item" && row.of.kind === "user";

const textOf = (row: TranscriptRow | undefined): string => {
  if (row?.kind === "item" && row.of.kind === "user" && row.of.entry.message.role === "user")
    return wordsOf(row.of.entry.message.content);
  if (row?.kind === "answer" && row.of.entry.message.role === "assistant")
    return row.of.entry.message.content
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n\n");
  return "";
};

/** The next branch point on the way up or down: a row whose entry has siblings. */
const isFork = (row: TranscriptRow | undefined, view: ViewFacts): boolean => {
  const entry = entryOf(row);
  return entry !== null && view.tree !== null && siblingsOf(view.tree, entry) !== null;
};

/** How long the first key of two is remembered, ms. */
const SEQUENCE_MS = 1_000;

interface TranscriptKeys {
  readonly rows: readonly TranscriptRow[];
  readonly list: RefObject<ListHandle | null>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly toEnd: () => void;
  readonly release: () => void;
}

/** Keys of one letter on the transcript: they act on the row that has the focus, else on the one that is read. */
export const useTranscriptKeys = (keys: TranscriptKeys): void => {
  const view = useView();
  const current = useRef<Place | null>(null);
  useEffect(() => {
    current.current = { ...keys, view };
  });
  useEffect(() => {
    let wentAt = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent): void => {
      // The letter after a "g" belongs to it: "g t" and "g s" go to places.
      const follows = event.timeStamp - wentAt < SEQUENCE_MS;
      wentAt = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (follows) return;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event))
        return;
      if (!uiStore.getState().letterKeys || !current.current) return;
      if (act(event.key, event.shiftKey, current.current)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
};

type Place = TranscriptKeys & { readonly view: ViewFacts };

const placeOf = ({ rows, scroller }: Place): number => {
  const article = document.activeElement?.closest("article");
  const own = article && scroller.current?.contains(article) ? article.getAttribute("data-row") : null;
  if (own !== null) return rows.findIndex((row) => row.key === own);
  const { reading } = uiStore.getState();
  return rows.findIndex(
    (row) => row.kind !== "partial" && reading !== null && entriesOfRow(row).includes(reading),
  );
};

const focusRow = (place: Place, index: number): void => {
  const row = place.rows[index];
  if (!row) return;
  place.release();
  place.list.current?.scrollToIndex(index, { align: "nearest" });
  requestAnimationFrame(() => {
    const articles = place.scroller.current?.querySelectorAll<HTMLElement>("article") ?? [];
    for (const article of articles) if (article.dataset.row === row.key) article.focus();
  });
};

const seek = (
  place: Place,
  from: number,
  step: 1 | -1,
  fits: (row: TranscriptRow | undefined) => boolean,
): boolean => {
  for (let at = from + step; at >= 0 && at < place.rows.length; at += step) {
    if (!fits(place.rows[at])) continue;
    focusRow(place, at);
    return true;
  }
  return false;
};

const act = (key: string, shift: boolean, place: Place): boolean => {
  const { rows, view } = place;
  const at = placeOf(place);
  const entry = entryOf(rows[at]);
  switch (key) {
    case "j":
      return seek(place, at, 1, () => true);
    case "k":
      return seek(place, at, -1, () => true);
    case "[":
      return seek(place, at, -1, isYours);
    case "]":
      return seek(place, at, 1, isYours);
    case "{":
      return seek(place, at, -1, (row) => isFork(row, view));
    case "}":
      return seek(place, at, 1, (row) => isFork(row, view));
    case "End":
      place.toEnd();
      return true;
    case "ArrowLeft":
    case "ArrowRight":
      return shift && toSibling(place, entry, key === "ArrowLeft" ? -1 : 1);
    case "b":
      if (entry !== null) view.branchFrom?.(entry);
      return entry !== null;
    case "e":
      if (!isYours(rows[at]) || entry === null) return false;
      view.setEditing(entry);
      return true;
    case "o":
      toggleFolds("tools");
      return true;
    case "t":
      toggleFolds("thinking");
      return true;
    case "l":
      uiStore.setState({ labelling: entry });
      return entry !== null;
    case "m":
      if (entry !== null) view.bookmark?.(entry);
      return entry !== null;
    case "r":
      uiStore.setState({ judging: entry });
      return entry !== null;
    case "y":
      if (textOf(rows[at]) === "") return false;
      void copyText(textOf(rows[at]));
      return true;
    default:
      return false;
  }
};

const toSibling = ({ view }: Place, entry: EntryId | null, step: 1 | -1): boolean => {
  const siblings = entry !== null && view.tree ? siblingsOf(view.tree, entry) : null;
  const next = siblings?.ids[siblings.index + step];
  if (next === undefined) return false;
  view.read?.(next);
  return true;
};
