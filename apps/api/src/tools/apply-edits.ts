import { fuzzyText, placesOf, sourceSpan } from "./fuzzy-text.ts";
import { type LfText, lfText } from "./line-ends.ts";

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
}

export type EditResult =
  | { readonly ok: true; readonly text: string; readonly loose: number }
  /** One sentence for the model. */
  | { readonly ok: false; readonly error: string };

/** A place in the LF text and what to put there. */
interface Patch {
  readonly index: number;
  /** The whole match: two edits may not share any of it. */
  readonly start: number;
  readonly end: number;
  /** The part of the match that really changes. */
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly loose: boolean;
}

const toLf = (text: string): string => text.replaceAll(/\r\n|\r/g, "\n");

const commonHead = (a: string, b: string): number => {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
};

const commonTail = (a: string, b: string, most: number): number => {
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length))
    length += 1;
  return length;
};

/** Leaves alone what old and new text share at both ends, so that those bytes stay as they are. */
const exactPatch = (index: number, at: number, oldText: string, newText: string): Patch => {
  const head = commonHead(oldText, newText);
  const tail = commonTail(oldText, newText, Math.min(oldText.length, newText.length) - head);
  return {
    index,
    start: at,
    end: at + oldText.length,
    from: at + head,
    to: at + oldText.length - tail,
    insert: newText.slice(head, newText.length - tail),
    loose: false,
  };
};

/** Like `exactPatch` by whole lines: what matched loosely is kept as the file has it wherever the line does not change. */
const loosePatch = (
  index: number,
  source: string,
  span: { start: number; end: number },
  oldText: string,
  newText: string,
): Patch => {
  const have = source.slice(span.start, span.end).split("\n");
  const old = oldText.split("\n");
  const next = newText.split("\n");
  const most = Math.min(have.length, old.length, next.length) - 1;
  let head = 0;
  while (head < most && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  const lengthOf = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + line.length + 1, 0);
  return {
    index,
    ...span,
    from: span.start + lengthOf(have.slice(0, head)),
    to: span.end - lengthOf(tail === 0 ? [] : have.slice(-tail)),
    insert: next.slice(head, next.length - tail).join("\n"),
    loose: true,
  };
};

const nameOf = (index: number, count: number): string =>
  count === 1 ? "oldText" : `edits[${index}].oldText`;

/** Larger texts are only searched exactly. */
const MAX_LOOSE_CHARS = 4 * 1024 * 1024;

const looseSpans = (source: string, oldText: string): { start: number; end: number }[] => {
  const have = fuzzyText(source);
  const wanted = fuzzyText(oldText).text;
  // White space quoted at the very end can only have meant the end of a line.
  const toLineEnd = !oldText.endsWith("\n") && oldText.trimEnd() !== oldText;
  return placesOf(have.text, wanted, 100).flatMap((at) => {
    const after = have.text.charAt(at + wanted.length);
    const span = toLineEnd && after !== "" && after !== "\n" ? null : sourceSpan(have, at, wanted.length);
    return span === null ? [] : [span];
  });
};

const findPatch = (source: LfText, edit: Edit, index: number, count: number): Patch | string => {
  const oldText = toLf(edit.oldText);
  const newText = toLf(edit.newText);
  const name = nameOf(index, count);
  if (oldText === "") return `${name} is empty: quote the text to replace, or use write for a new file.`;
  if (oldText === newText) return `${name} and its newText are the same: nothing would change.`;
  const several = (many: number): string =>
    `${name} stands at ${many === 100 ? "100 or more" : many} places in the file. Quote more of the lines around it so that it is unique.`;
  const exact = placesOf(source.text, oldText, 100);
  if (exact.length > 1) return several(exact.length);
  if (exact[0] !== undefined) return exactPatch(index, exact[0], oldText, newText);
  const spans = source.text.length > MAX_LOOSE_CHARS ? [] : looseSpans(source.text, oldText);
  if (spans.length > 1) return several(spans.length);
  const span = spans[0] ?? null;
  if (span === null) {
    return `${name} was not found in the file. It must be quoted exactly, with all spaces and line ends; read the file again and copy it from there.`;
  }
  return loosePatch(index, source.text, span, oldText, newText);
};

const overlapIn = (patches: readonly Patch[]): string | null => {
  for (const [at, patch] of patches.entries()) {
    const before = patches[at - 1];
    if (before && patch.start < before.end) {
      const pair = [before.index, patch.index].sort((a, b) => a - b);
      return `edits[${pair[0]}] and edits[${pair[1]}] overlap. Join them into one edit, or quote less.`;
    }
  }
  return null;
};

/**
 * Applies edits to a text, all matched against the original. Text that is found nowhere exactly is looked for in a form
 * that ignores kinds of quotes, dashes, spaces and white space at line ends. Each must fit exactly one place. Only what
 * changes is touched; lines put in take the line ends around them. Nothing is applied unless all can be.
 */
export const applyEdits = (original: string, edits: readonly Edit[]): EditResult => {
  const bom = original.startsWith("\ufeff") ? "\ufeff" : "";
  const body = original.slice(bom.length);
  const source = lfText(body);
  const patches: Patch[] = [];
  for (const [index, edit] of edits.entries()) {
    const patch = findPatch(source, edit, index, edits.length);
    if (typeof patch === "string") return { ok: false, error: patch };
    patches.push(patch);
  }
  patches.sort((a, b) => a.start - b.start);
  const overlap = overlapIn(patches);
  if (overlap !== null) return { ok: false, error: overlap };
  let text = bom;
  let from = 0;
  for (const patch of patches) {
    text += body.slice(from, source.toSource(patch.from));
    const lineEnd = source.lineEndAt(patch.from);
    text += lineEnd === "\n" ? patch.insert : patch.insert.replaceAll("\n", lineEnd);
    from = source.toSource(patch.to);
  }
  text += body.slice(from);
  if (text === original)
    return { ok: false, error: "Nothing would change: the file has the new text already." };
  return { ok: true, text, loose: patches.filter((patch) => patch.loose).length };
};
