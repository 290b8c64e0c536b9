import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** This near to the end counts as being there, px. */
const NEAR = 32;

const gapBelow = (element: HTMLElement): number =>
  element.scrollHeight - element.scrollTop - element.clientHeight;

interface Stick {
  /** The view is at the end and follows what is added. */
  readonly atEnd: boolean;
  readonly toEnd: () => void;
  /** Call on every scroll and change of size. */
  readonly onScroll: () => void;
  readonly onResize: () => void;
  /** The view must not follow until the person is at the end again. */
  readonly release: () => void;
}

/**
 * Keeps a list at its end while it grows, and nowhere else: who scrolls up is left alone. `grown` changes when something was
 * added.
 */
export const useStick = (scroller: RefObject<HTMLElement | null>, grown: unknown): Stick => {
  const following = useRef(true);
  const lastTop = useRef(0);
  const [atEnd, setAtEnd] = useState(true);

  const settle = useCallback((): void => {
    const element = scroller.current;
    if (!element || !following.current) return;
    element.scrollTo({ top: element.scrollHeight });
    lastTop.current = element.scrollTop;
  }, [scroller]);

  const onScroll = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    const near = gapBelow(element) <= NEAR;
    // Only moving up leaves the end: growing content alone never does.
    if (element.scrollTop < lastTop.current - 1 && !near) following.current = false;
    if (near) following.current = true;
    lastTop.current = element.scrollTop;
    setAtEnd(near || following.current);
  }, [scroller]);

  const onResize = useCallback((): void => {
    settle();
    const element = scroller.current;
    if (element) setAtEnd(gapBelow(element) <= NEAR || following.current);
  }, [scroller, settle]);

  useLayoutEffect(settle, [settle, grown]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => settle());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, settle]);

  const toEnd = useCallback((): void => {
    following.current = true;
    setAtEnd(true);
    settle();
    // The last items are measured only now that they are drawn.
    requestAnimationFrame(settle);
  }, [settle]);

  const release = useCallback((): void => {
    following.current = false;
    setAtEnd(false);
  }, []);

  return { atEnd, toEnd, onScroll, onResize, release };
};
