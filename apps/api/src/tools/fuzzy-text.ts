/**
 * A text as it is compared when the exact text is not found: composed letters and forms (NFKC), no white space at line ends,
 * plain quotes, dashes and spaces. `starts[i]` and `ends[i]` say which part of the source the i-th unit comes from.
 */
export interface FuzzyText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const QUOTES = /[\u2018\u2019\u201a\u201b]/g;
const DOUBLE_QUOTES = /[\u201c\u201d\u201e\u201f]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .replaceAll(QUOTES, "'")
    .replaceAll(DOUBLE_QUOTES, '"')
    .replaceAll(DASHES, "-")
    .replaceAll(SPACES, " ");

/** A letter with what combines with it; jamo that join to one syllable stay together. */
const CLUSTER = /(?:\P{M}[\p{M}\u1160-\u11ff\u200d]*|\p{M}+)/gsu;

/** Makes the comparable form of a text whose lines end in LF. */
export const fuzzyText = (source: string): FuzzyText => {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (units: string, start: number, end: number): void => {
    text += units;
    for (let unit = 0; unit < units.length; unit++) {
      starts.push(start);
      ends.push(end);
    }
  };
  let lineStart = 0;
  for (const line of source.split("\n")) {
    const body = line.trimEnd();
    for (const found of body.matchAll(CLUSTER)) {
      add(plain(found[0]), lineStart + found.index, lineStart + found.index + found[0].length);
    }
    const lineEnd = lineStart + line.length;
    if (lineEnd < source.length) add("\n", lineEnd, lineEnd + 1);
    lineStart = lineEnd + 1;
  }
  return { text, starts, ends };
};

/** The part of the source that `length` units from `at` on come from, or null when that would cut a character. */
export const sourceSpan = (
  fuzzy: FuzzyText,
  at: number,
  length: number,
): { start: number; end: number } | null => {
  const last = at + length - 1;
  const start = fuzzy.starts[at];
  const end = fuzzy.ends[last];
  if (start === undefined || end === undefined) return null;
  const cutsHead = at > 0 && fuzzy.starts[at - 1] === start;
  const cutsTail = fuzzy.ends[last + 1] === end;
  return cutsHead || cutsTail ? null : { start, end };
};

/** Where `wanted` stands in `text`, up to `most` places; places may overlap. */
export const placesOf = (text: string, wanted: string, most: number): number[] => {
  const places: number[] = [];
  if (wanted === "") return places;
  for (let at = text.indexOf(wanted); at >= 0 && places.length < most; at = text.indexOf(wanted, at + 1)) {
    places.push(at);
  }
  return places;
};
