import type { SearchHit } from "@espalier/protocol";
import { wordsFor } from "./index-words.ts";

/** What somebody typed, read: all terms must occur. */
export interface SearchQuery {
  /** For the index: quoted throughout, so no word of a person is an operator. Empty when there is nothing to look for. */
  readonly match: string;
  /** Finds each term in a text that was folded; in the order typed. */
  readonly patterns: readonly RegExp[];
}

const LONGEST = 400;
const MOST_TERMS = 16;
const EXCERPT = 200;
const BEFORE = 60;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const INSIDE = /[\p{L}\p{N}]/u;
const BETWEEN = "[^\\p{L}\\p{N}]{0,8}";

/** Small letters without accents, of the same length, so that places in it are places in the text. */
const fold = (text: string): string => {
  const plain = text.replace(/[\u0080-\uffff]/g, (char) => char.normalize("NFD").charAt(0));
  const small = plain.toLowerCase();
  return small.length === text.length
    ? small
    : Array.from(plain, (char) =>
        char.toLowerCase().length === char.length ? char.toLowerCase() : char,
      ).join("");
};

/** Phrases in quotes, else words at white space. An open quote at the end is one that is being typed. */
const termsOf = (text: string): string[] => {
  const terms: string[] = [];
  for (const [, phrase, word] of text.slice(0, LONGEST).matchAll(/"([^"]*)(?:"|$)|([^\s"]+)/g)) {
    const term = (phrase ?? word ?? "").trim();
    if (WORD.test(term)) terms.push(term);
    WORD.lastIndex = 0;
  }
  return terms.slice(0, MOST_TERMS);
};

/** One term as a phrase of the index. Humps stay in one piece: the whole name is in the index too. */
const phraseOf = (term: string): string => {
  const spaced = wordsFor(term).split("\n")[0] ?? "";
  return `"${spaced.replaceAll('"', " ").trim()}"`;
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const patternOf = (term: string): RegExp => {
  const words = (wordsFor(term).split("\n")[0] ?? "").match(WORD) ?? [];
  return new RegExp(words.map((word) => escaped(fold(word))).join(BETWEEN), "gu");
};

/** Reads what a person typed. The last word may be unfinished: it matches every word that begins so. */
export const readQuery = (text: string): SearchQuery => {
  // A zero character would end the query where it stands.
  const terms = termsOf(text.toWellFormed().replace(/\p{Cc}/gu, " "));
  const closed = /"\s*$|\s$/.test(text);
  const match = terms.map((term, at) => `${phraseOf(term)}${at === terms.length - 1 && !closed ? "*" : ""}`);
  return { match: match.join(" AND "), patterns: terms.map(patternOf) };
};

/** Whether every term occurs in a text, as far as one can see without the index. */
export const occursIn = (text: string, { patterns }: SearchQuery): boolean => {
  const folded = fold(text);
  return patterns.length > 0 && patterns.every((pattern) => folded.search(pattern) >= 0);
};

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Places of all terms, in order, without overlap. */
const spansIn = (folded: string, patterns: readonly RegExp[]): Span[] => {
  const spans = patterns.flatMap((pattern) => {
    const found: Span[] = [];
    for (const { index, 0: hit } of folded.matchAll(pattern)) {
      found.push({ from: index, to: index + hit.length });
      if (found.length === 500) break;
    }
    // Where a word begins so, the same letters inside other words are not meant; else they are a part of a name.
    const starts = found.filter(({ from }) => from === 0 || !INSIDE.test(folded.charAt(from - 1)));
    return starts.length > 0 ? starts : found;
  });
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
    if (span.from >= (apart.at(-1)?.to ?? 0)) apart.push(span);
  }
  return apart;
};

const flat = (text: string): string => text.replace(/\s+/g, " ").toWellFormed();

/** About 200 characters around the first place where a term occurs, cut at words where that is possible. */
export const excerptOf = (text: string, { patterns }: SearchQuery): SearchHit["parts"] => {
  const spans = spansIn(fold(text), patterns);
  const first = spans[0]?.from ?? 0;
  const space = text.lastIndexOf(" ", Math.max(0, first - BEFORE));
  const start = first <= BEFORE ? 0 : Math.max(space + 1, first - 2 * BEFORE);
  const end = Math.min(text.length, Math.max(start + EXCERPT, spans[0]?.to ?? 0));
  const parts: { text: string; hit: boolean }[] = [];
  const add = (from: number, to: number, hit: boolean): void => {
    if (to > from) parts.push({ text: flat(text.slice(from, to)), hit });
  };
  let at = start;
  for (const { from, to } of spans) {
    if (to > end) break;
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, end, false);
  if (start > 0) parts.unshift({ text: "… ", hit: false });
  if (end < text.length) parts.push({ text: " …", hit: false });
  return parts;
};
