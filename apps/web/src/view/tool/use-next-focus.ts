import { type RefObject, useLayoutEffect } from "react";

/** The default answer of the next open question, else the message field. */
const nextPlace = (): HTMLElement | null =>
  document.querySelector<HTMLElement>("[data-question] button:last-of-type") ??
  document.querySelector<HTMLElement>('textarea[aria-label="Message"]');

/** When an element that holds the focus goes away, the next question gets it, or the message field: never nothing. */
export const useNextFocus = (element: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const held = element.current;
    return () => {
      if (!held?.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        if (document.activeElement === document.body || document.activeElement === null) nextPlace()?.focus();
      });
    };
  }, [element]);
};
