import { useSyncExternalStore } from "react";

/** Whether a media query matches now. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => matchMedia(query).matches,
    () => false,
  );

/** Under 820 px: one column, tabs at the lower edge. */
export const useNarrow = (): boolean => useMedia("(max-width: 819px)");
/** Under 1180 px: no room for the inspector beside the stage. */
export const useMiddling = (): boolean => useMedia("(max-width: 1179px)");
