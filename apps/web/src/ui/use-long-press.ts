import { type MouseEvent, type PointerEvent, useEffect, useRef } from "react";

const LONG_MS = 500;
/** Px that a finger may tremble. */
const STILL = 8;

/**
 * A finger that rests on something. Handlers for the element; `onPress` is told what was touched and where. Mice have their other
 * button for this.
 */
export const useLongPress = (onPress: (target: Element, x: number, y: number) => void) => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const start = useRef({ x: 0, y: 0 });
  const pressed = useRef(false);
  useEffect(() => () => clearTimeout(timer.current), []);
  const stop = (): void => clearTimeout(timer.current);
  return {
    onPointerDown: (event: PointerEvent): void => {
      stop();
      pressed.current = false;
      const { target, clientX, clientY } = event;
      if (event.pointerType !== "touch" || !(target instanceof Element)) return;
      start.current = { x: clientX, y: clientY };
      timer.current = setTimeout(() => {
        pressed.current = true;
        onPress(target, clientX, clientY);
      }, LONG_MS);
    },
    onPointerMove: (event: PointerEvent): void => {
      const { x, y } = start.current;
      if (Math.hypot(event.clientX - x, event.clientY - y) > STILL) stop();
    },
    onPointerUp: stop,
    onPointerCancel: stop,
    // Lifting the finger is no click.
    onClickCapture: (event: MouseEvent): void => {
      if (!pressed.current) return;
      pressed.current = false;
      event.stopPropagation();
      event.preventDefault();
    },
  };
};
