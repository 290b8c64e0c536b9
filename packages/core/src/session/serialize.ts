import type { SessionHeader } from "@espalier/protocol";
import type { AnyEntry } from "./known-entry.ts";
import { sourceLine } from "./read-entry.ts";

/** A lone surrogate as JSON.stringify writes it; a backslash of the text itself is written twice. */
const LONE_SURROGATE = /(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/u;

const wellFormed = (_key: string, value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  return keys.every((key) => key.isWellFormed())
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, held]) => [key.toWellFormed(), held]));
};

/** JSON without lone surrogates: half a character becomes U+FFFD, since no provider takes it back. */
export const wellFormedJson = (value: unknown): string => {
  const text = JSON.stringify(value);
  return LONE_SURROGATE.test(text) ? JSON.stringify(value, wellFormed) : text;
};

/**
 * An entry as one line of the file, with its line end. Keys keep the order the entry has (`makeEntry` gives pi's own); a line
 * of an unknown type is the very text it was read from.
 */
export const serializeEntry = (entry: AnyEntry): string => `${sourceLine(entry) ?? wellFormedJson(entry)}\n`;

/** The first line of a file, with pi's key order. */
export const serializeHeader = (header: SessionHeader): string => {
  const { type, version, id, timestamp, cwd, parentSession, ...more } = header;
  return `${wellFormedJson({ type, version, id, timestamp, cwd, parentSession, ...more })}\n`;
};
