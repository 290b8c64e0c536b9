import { useEffect, useRef } from "react";
import { tinykeys } from "tinykeys";
import { useLocation } from "wouter";
import { keepUi, uiStore } from "../store/ui-store.ts";

/** What the keys of a page do; absent: the key does nothing there. */
export interface PageKeys {
  readonly focusComposer?: () => void;
  readonly stop?: () => void;
  /** Stops the run if one works; says whether it did. */
  readonly stopIfRunning?: () => boolean;
  readonly toTree?: () => void;
  readonly toTranscript?: () => void;
  readonly toMap?: () => void;
  readonly toggleRail?: () => void;
  readonly toggleInspector?: () => void;
  readonly findInTree?: () => void;
}

/** Whether a key was typed into a text field or a menu, where letters mean themselves. */
const isTyping = (event: KeyboardEvent): boolean => {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName) ||
    target.closest('[role="menu"],[role="dialog"],[role="listbox"]') !== null
  );
};

/** Two presses of Esc within this count as one wish, ms. */
const TWICE_MS = 1_000;

const GRAINS = ["runs", "turns", "groups", "entries"] as const;

/** The keys that work on the whole page. None that the browser keeps for itself. */
export const useGlobalKeys = (keys: PageKeys): void => {
  const [, go] = useLocation();
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    let escapedAt = 0;
    const letter = (act: () => void) => (event: KeyboardEvent) => {
      if (isTyping(event) || !uiStore.getState().letterKeys) return;
      event.preventDefault();
      act();
    };
    const always = (act: () => void) => (event: KeyboardEvent) => {
      event.preventDefault();
      act();
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('[role="dialog"],[role="menu"]')) return;
      const twice = event.timeStamp - escapedAt < TWICE_MS;
      escapedAt = twice ? 0 : event.timeStamp;
      if (twice && !current.current.stopIfRunning?.()) current.current.toTree?.();
    };
    return tinykeys(window, {
      "$mod+k": always(() => uiStore.setState((state) => ({ palette: !state.palette }))),
      "$mod+Period": always(() => current.current.stop?.()),
      "$mod+Backslash": always(() => current.current.toggleRail?.()),
      "$mod+Alt+Backslash": always(() => current.current.toggleInspector?.()),
      "Shift+?": letter(() => uiStore.setState({ help: true })),
      "?": letter(() => uiStore.setState({ help: true })),
      "/": letter(() => current.current.focusComposer?.()),
      f: letter(() => current.current.findInTree?.()),
      ...Object.fromEntries(
        GRAINS.map((grain, index) => [String(index + 1), letter(() => keepUi({ grain }))]),
      ),
      "g t": letter(() => current.current.toTranscript?.()),
      "g m": letter(() => current.current.toMap?.()),
      "g s": letter(() => go("/")),
      Escape: escape,
    });
  }, [go]);
};
