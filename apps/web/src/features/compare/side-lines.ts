import type { FileChange } from "@espalier/protocol";
import { structuredPatch } from "diff";
import { compareTexts } from "../../view/diff/diff-lines.ts";

/** One line of one side. `number` is its line in the text, 0 = not known. */
interface SideLine {
  readonly text: string;
  readonly number: number;
  /** "only": in this side's text and not in the other's. "added" and "gone": what the branch put in and what it replaced. */
  readonly kind: "same" | "only" | "added" | "gone" | "gap";
}

/** Two lines beside each other; null: nothing stands there. */
export interface SideRow {
  readonly a: SideLine | null;
  readonly b: SideLine | null;
}

const GAP: SideLine = { text: "", number: 0, kind: "gap" };
/** A comparison that takes longer is given up, ms; then both texts are shown as they are. */
const PATIENCE = 800;

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** Lines of both texts where they differ, with three lines around; null when comparing takes too long. */
const compared = (a: string, b: string): SideRow[] | null => {
  const patch = structuredPatch("", "", a, b, undefined, undefined, { context: 3, timeout: PATIENCE });
  if (patch === undefined) return null;
  return patch.hunks.flatMap((hunk, index) => {
    const rows: SideRow[] = index > 0 ? [{ a: GAP, b: GAP }] : [];
    let [left, right] = [hunk.oldStart, hunk.newStart];
    let gone: SideLine[] = [];
    let come: SideLine[] = [];
    const flush = (): void => {
      for (let at = 0; at < Math.max(gone.length, come.length); at += 1)
        rows.push({ a: gone[at] ?? null, b: come[at] ?? null });
      [gone, come] = [[], []];
    };
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith("-")) gone.push({ text, number: left++, kind: "only" });
      else if (line.startsWith("+")) come.push({ text, number: right++, kind: "only" });
      else if (line.startsWith(" ")) {
        flush();
        rows.push({ a: { text, number: left++, kind: "same" }, b: { text, number: right++, kind: "same" } });
      }
    }
    flush();
    return rows;
  });
};

/** A part of a text as whole lines: where it ends says nothing of the line's end in the file. */
const ended = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** What one branch did to a file, by itself. */
const ownLines = (file: FileChange): SideLine[] => {
  const text: SideLine[] = linesOf(file.text ?? "").map((line, index) => ({
    text: line,
    number: index + 1,
    kind: "added",
  }));
  const hunks = file.hunks.flatMap(({ before, after }, index): SideLine[] => [
    ...(index > 0 || text.length > 0 ? [GAP] : []),
    ...compareTexts(ended(before), ended(after)).map(
      ({ kind, pieces }): SideLine => ({
        text: pieces.map((piece) => piece.text).join(""),
        number: 0,
        kind: kind === "add" ? "added" : kind === "del" ? "gone" : kind,
      }),
    ),
  ]);
  return [...text, ...hunks];
};

/**
 * What two branches made of a file, beside each other. Where both texts are known only what differs between them; else what each
 * branch changed, on its own side.
 */
export const sideRows = (a: FileChange | null, b: FileChange | null): SideRow[] => {
  const both = a?.text != null && b?.text != null && a.hunks.length + b.hunks.length === 0;
  const rows = both ? compared(a.text ?? "", b.text ?? "") : null;
  if (rows !== null) return rows;
  const [left, right] = [a ? ownLines(a) : [], b ? ownLines(b) : []];
  return Array.from({ length: Math.max(left.length, right.length) }, (_, at) => ({
    a: left[at] ?? null,
    b: right[at] ?? null,
  }));
};

export interface ChangeSize {
  readonly added: number;
  readonly removed: number;
}

const sizes = new WeakMap<FileChange, ChangeSize>();

/** Lines that a branch added to and took from a file, as far as they are known. */
export const sizeOf = (file: FileChange): ChangeSize => {
  const known = sizes.get(file);
  if (known) return known;
  const lines = ownLines(file);
  const size = {
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "gone").length,
  };
  sizes.set(file, size);
  return size;
};
