/** A text with all its line ends as LF, and the way back. */
export interface LfText {
  readonly text: string;
  /** Index in the source of a place in `text` (0 .. text.length). */
  readonly toSource: (at: number) => number;
  /** The line end to use for lines put in at a place: the next one, or the last one before. */
  readonly lineEndAt: (at: number) => string;
}

/** CRLF and lone CR become LF; everything else keeps its place. */
export const lfText = (source: string): LfText => {
  if (!source.includes("\r")) return { text: source, toSource: (at) => at, lineEndAt: () => "\n" };
  const breaks: { readonly at: number; readonly end: string }[] = [];
  /** Places in `text` right after a CRLF: from there on the source is one unit further. */
  const shifts: number[] = [];
  let text = "";
  let from = 0;
  for (const found of source.matchAll(/\r\n|\r|\n/g)) {
    text += source.slice(from, found.index);
    breaks.push({ at: text.length, end: found[0] });
    text += "\n";
    from = found.index + found[0].length;
    if (found[0].length === 2) shifts.push(text.length);
  }
  text += source.slice(from);
  const countUpTo = (at: number): number => {
    let low = 0;
    let high = shifts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((shifts[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const lineEndAt = (at: number): string =>
    (breaks.find((candidate) => candidate.at >= at) ?? breaks.at(-1))?.end ?? "\n";
  return { text, toSource: (at) => at + countUpTo(at), lineEndAt };
};
