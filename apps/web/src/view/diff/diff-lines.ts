import { diffWordsWithSpace, structuredPatch } from "diff";

interface DiffPiece {
  readonly text: string;
  /** This piece differs from the other side of the pair. */
  readonly changed: boolean;
}

/** One line of a diff. `number` is the line in the old file for removed ones, else in the new file; 0 = not known. */
export interface DiffLine {
  readonly kind: "same" | "add" | "del" | "gap";
  readonly number: number;
  readonly pieces: readonly DiffPiece[];
}

const whole = (text: string): DiffPiece[] => (text === "" ? [] : [{ text, changed: false }]);
const gap: DiffLine = { kind: "gap", number: 0, pieces: [] };
/** Larger blocks are not compared word by word. */
const LONGEST = 6_000;

/** pi's display diff: a sign, a right-aligned line number, a space, the text; `...` for what is left out. */
export const readPiDiff = (diff: string): DiffLine[] | null => {
  const lines: DiffLine[] = [];
  for (const line of diff.split("\n")) {
    if (/^\s*\.\.\.\s*$/.test(line)) lines.push(gap);
    else {
      const found = /^([ +-])\s*(\d+) ?(.*)$/.exec(line);
      if (!found) return null;
      const kind = found[1] === "+" ? "add" : found[1] === "-" ? "del" : "same";
      lines.push({ kind, number: Number(found[2]), pieces: whole(found[3] ?? "") });
    }
  }
  return lines;
};

/** What an edit replaces, when no diff came with its result: line numbers are not known then. */
export const compareTexts = (before: string, after: string): DiffLine[] => {
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context: 3, timeout: 500 });
  const kinds = { "+": "add", "-": "del", " ": "same" } as const;
  return (patch?.hunks ?? []).flatMap((hunk, index) => [
    ...(index > 0 ? [gap] : []),
    ...hunk.lines.flatMap((line): DiffLine[] => {
      const kind = kinds[line.charAt(0) as keyof typeof kinds];
      return kind === undefined ? [] : [{ kind, number: 0, pieces: whole(line.slice(1)) }];
    }),
  ]);
};

const textOf = (line: DiffLine): string => line.pieces.map((piece) => piece.text).join("");

/** Cuts pieces of a block at its line ends; white space before a word is never marked. */
const intoLines = (words: readonly DiffPiece[]): DiffPiece[][] => {
  const lines: DiffPiece[][] = [[]];
  for (const word of words) {
    word.text.split("\n").forEach((text, index) => {
      if (index > 0) lines.push([]);
      const indent = word.changed ? text.length - text.trimStart().length : 0;
      if (indent > 0) lines.at(-1)?.push({ text: text.slice(0, indent), changed: false });
      if (text.length > indent) lines.at(-1)?.push({ text: text.slice(indent), changed: word.changed });
    });
  }
  return lines;
};

/** Compares removed lines with the added ones that follow them, as two blocks. */
const compareBlocks = (removed: readonly DiffLine[], added: readonly DiffLine[]): DiffLine[] | null => {
  const [before, after] = [removed.map(textOf).join("\n"), added.map(textOf).join("\n")];
  if (before.length + after.length > LONGEST) return null;
  const words = diffWordsWithSpace(before, after);
  const kept = words.reduce(
    (sum, word) => sum + (word.added || word.removed ? 0 : word.value.trim().length),
    0,
  );
  // Blocks that share little are two texts, not one text changed.
  if (kept * 2 < Math.min(before.trim().length, after.trim().length)) return null;
  const side = (drop: "added" | "removed"): DiffPiece[][] =>
    intoLines(
      words
        .filter((word) => !word[drop])
        .map((word) => ({ text: word.value, changed: word.added || word.removed })),
    );
  const [old, fresh] = [side("added"), side("removed")];
  return [
    ...removed.map((line, index) => ({ ...line, pieces: old[index] ?? line.pieces })),
    ...added.map((line, index) => ({ ...line, pieces: fresh[index] ?? line.pieces })),
  ];
};

/** Marks the words that differ between removed lines and the added lines that follow them. */
export const markWords = (lines: readonly DiffLine[]): DiffLine[] => {
  const marked = [...lines];
  let at = 0;
  while (at < marked.length) {
    const start = at;
    while (marked[at]?.kind === "del") at += 1;
    const middle = at;
    while (marked[at]?.kind === "add") at += 1;
    if (middle > start && at > middle) {
      const compared = compareBlocks(marked.slice(start, middle), marked.slice(middle, at));
      if (compared) marked.splice(start, compared.length, ...compared);
    }
    if (at === start) at += 1;
  }
  return marked;
};

export const countChanges = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter((line) => line.kind === "add").length,
  removed: lines.filter((line) => line.kind === "del").length,
});
