import type { EntryId } from "@espalier/protocol";
import { type MouseEvent, type PointerEvent, type TouchEvent, useEffect, useMemo, useRef } from "react";
import { openItemMenu } from "../../view/item/ItemMenu.tsx";

/** A finger that rests so long means the item under it, ms; moved farther than this it scrolls, px. */
const LONG_MS = 500;
const FAR = 10;

const articleAt = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("article[data-entry]") : null;

const open = (article: HTMLElement | null, at?: { x: number; y: number }): boolean => {
  const entry = article?.dataset.entry;
  if (!article || entry === undefined) return false;
  openItemMenu(entry as EntryId, article, at);
  return true;
};

interface ItemPress {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: () => void;
  readonly onPointerCancel: () => void;
  readonly onTouchEnd: (event: TouchEvent) => void;
  readonly onContextMenu: (event: MouseEvent) => void;
}

/** A long press, or the menu key, opens the menu of the item it is at. A right click stays the browser's: it copies text. */
export const useItemPress = (): ItemPress => {
  const opened = useRef(false);
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null);
  const cancel = (): void => {
    clearTimeout(press.current?.timer);
    press.current = null;
  };
  useEffect(() => cancel, []);
  return useMemo(
    () => ({
      onPointerDown: (event) => {
        cancel();
        opened.current = false;
        if (event.pointerType !== "touch") return;
        const { clientX: x, clientY: y, target } = event;
        const timer = setTimeout(() => {
          press.current = null;
          opened.current = open(articleAt(target), { x, y });
        }, LONG_MS);
        press.current = { timer, x, y };
      },
      onPointerMove: (event) => {
        const { current } = press;
        if (current && Math.hypot(event.clientX - current.x, event.clientY - current.y) > FAR) cancel();
      },
      onPointerUp: cancel,
      onPointerCancel: cancel,
      onTouchEnd: (event) => {
        // The click that would follow would take the focus from the menu, and close it.
        if (opened.current) event.preventDefault();
        opened.current = false;
      },
      onContextMenu: (event) => {
        const { pointerType } = event.nativeEvent as globalThis.PointerEvent;
        const byKey = event.button !== 2 || (event.clientX === 0 && event.clientY === 0);
        if (pointerType === "touch") event.preventDefault();
        else if (byKey && open(articleAt(event.target))) event.preventDefault();
      },
    }),
    [],
  );
};
