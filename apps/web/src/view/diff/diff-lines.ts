import { diffWordsWithSpace, structuredPatch } from "diff";

export interface DiffPiece {
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
/** Longer lines are not compared word by word. */
const LONGEST = 2_000;

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

const pair = (removed: DiffLine, added: DiffLine): [DiffLine, DiffLine] => {
  const [before, after] = [textOf(removed), textOf(added)];
  if (before.length + after.length > LONGEST) return [removed, added];
  const words = diffWordsWithSpace(before, after);
  const kept = words.reduce(
    (sum, word) => sum + (word.added || word.removed ? 0 : word.value.trim().length),
    0,
  );
  // Lines that share little are two lines, not one line changed.
  if (kept * 3 < Math.max(before.trim().length, after.trim().length)) return [removed, added];
  const side = (drop: "added" | "removed"): DiffPiece[] =>
    words
      .filter((word) => !word[drop])
      .map((word) => ({ text: word.value, changed: word.added || word.removed }));
  return [
    { ...removed, pieces: side("added") },
    { ...added, pieces: side("removed") },
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
    for (let step = 0; step < Math.min(middle - start, at - middle); step += 1) {
      const [removed, added] = [marked[start + step], marked[middle + step]];
      if (removed && added) [marked[start + step], marked[middle + step]] = pair(removed, added);
    }
    if (at === start) at += 1;
  }
  return marked;
};

export const countChanges = (lines: readonly DiffLine[]): { added: number; removed: number } => ({
  added: lines.filter((line) => line.kind === "add").length,
  removed: lines.filter((line) => line.kind === "del").length,
});
