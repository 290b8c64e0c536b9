import { useEffect, useMemo, useState } from "react";
import type { CodeToken } from "./code-token.ts";

type Colour = (code: string, language: string) => CodeToken[];

/** Longer code stays plain: colouring it would be felt. */
const LONGEST = 60_000;

let loaded: Colour | null = null;
let loading: Promise<void> | null = null;

const load = (): Promise<void> => {
  loading ??= import("./highlighter.ts").then((module) => {
    loaded = module.colourCode;
  });
  return loading;
};

/**
 * The coloured pieces of a code, or null as long as it is plain: no language, too long, or the colours (a chunk of their own)
 * are still on their way.
 */
export const useColours = (code: string, language: string | null): CodeToken[] | null => {
  const wanted = language !== null && code.length <= LONGEST;
  const [ready, setReady] = useState(loaded !== null);
  useEffect(() => {
    if (!wanted || ready) return;
    let alive = true;
    load().then(
      () => alive && setReady(true),
      () => undefined,
    );
    return () => {
      alive = false;
    };
  }, [wanted, ready]);
  return useMemo(
    () => (wanted && ready && loaded && language !== null ? loaded(code, language) : null),
    [code, language, wanted, ready],
  );
};
