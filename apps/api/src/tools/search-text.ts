import { createContext, Script } from "node:vm";
import { headChars } from "./truncate-output.ts";

/** A line that matches. `column` counts UTF-16 units from 1. */
interface LineMatch {
  readonly line: number;
  readonly column: number;
}

/** Longest part of a line that is shown. */
const MAX_LINE_CHARS = 500;

/** One file may take this long: some patterns would else run for ever. */
const TIMEOUT_MS = 3000;

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

/** The pattern as a regular expression, or why it is none. */
export const toPattern = (pattern: string, literal: boolean, ignoreCase: boolean): RegExp | string => {
  const source = literal ? escaped(pattern) : pattern;
  const flags = ignoreCase ? "i" : "";
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      // Without "u" more escapes are allowed, as people write them for grep.
      return new RegExp(source, flags);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
};

const script = new Script(`
  found = [];
  for (let index = 0; index < lines.length && found.length < most; index++) {
    const match = test.exec(lines[index]);
    if (match !== null) found.push([index, match.index]);
  }
`);

/** The lines that match, at most `most`; null when the time was up. */
export type LineMatcher = (lines: readonly string[], most: number) => LineMatch[] | null;

const direct =
  (pattern: RegExp): LineMatcher =>
  (lines, most) => {
    const found: LineMatch[] = [];
    for (const [index, line] of lines.entries()) {
      if (found.length >= most) break;
      const at = line.search(pattern);
      if (at >= 0) found.push({ line: index + 1, column: at + 1 });
    }
    return found;
  };

/**
 * A matcher for many files. A pattern that repeats anything can take exponential time, so it runs where it can be stopped;
 * the time limit holds for each call.
 */
export const lineMatcher = (pattern: RegExp, timeoutMs: number = TIMEOUT_MS): LineMatcher => {
  if (!/[*+{]/.test(pattern.source)) return direct(pattern);
  const place: { test: RegExp; lines: readonly string[]; most: number; found: [number, number][] } = {
    test: pattern,
    lines: [],
    most: 0,
    found: [],
  };
  const context = createContext(place);
  return (lines, most) => {
    place.lines = lines;
    place.most = most;
    try {
      script.runInContext(context, { timeout: timeoutMs });
      return place.found.map(([index, at]) => ({ line: index + 1, column: at + 1 }));
    } catch {
      return null;
    }
  };
};

/** A line as it is shown: whole, or of a long one the part around the match, with its place. */
export const excerpt = (line: string, column: number): string => {
  const clean = line.replace(/\r$/, "");
  if (clean.length <= MAX_LINE_CHARS) return clean.toWellFormed();
  const start = Math.max(0, Math.min(column - 1 - 100, clean.length - MAX_LINE_CHARS));
  const part = headChars(clean.slice(start), MAX_LINE_CHARS).toWellFormed();
  const end = start + part.length;
  return `${start > 0 ? "..." : ""}${part}${end < clean.length ? "..." : ""} [column ${column} of ${clean.length} characters]`;
};
