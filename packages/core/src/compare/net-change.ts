import type { FileChange, FileHunk, ToolCallContent } from "@espalier/protocol";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The replacements an edit call asks for: a list of them, or one beside the path. */
const editsOf = ({ arguments: args }: ToolCallContent): FileHunk[] => {
  const list = Array.isArray(args.edits) ? args.edits.filter(isRecord) : [];
  return [...list, args].flatMap(({ oldText, newText }) =>
    typeof oldText === "string" && typeof newText === "string" && oldText !== newText
      ? [{ before: oldText, after: newText }]
      : [],
  );
};

/** Replaces the first place of `before`; null where it does not stand. The texts are taken as they are, `$` too. */
const replaced = (text: string, before: string, after: string): string | null => {
  const at = before === "" ? -1 : text.indexOf(before);
  return at < 0 ? null : text.slice(0, at) + after + text.slice(at + before.length);
};

/**
 * Adds an edit to replacements in a text that is not known. One that falls into what an earlier one wrote changes that one; one
 * that goes around it takes it in; else it stands on its own. What came back to what it was is no change.
 */
const addHunk = (hunks: readonly FileHunk[], edit: FileHunk): FileHunk[] => {
  for (let at = hunks.length - 1; at >= 0; at -= 1) {
    const earlier = hunks[at];
    if (earlier === undefined) continue;
    const inside = replaced(earlier.after, edit.before, edit.after);
    const around = inside === null ? replaced(edit.before, earlier.after, earlier.before) : null;
    if (inside === null && around === null) continue;
    const merged =
      inside === null
        ? { before: around ?? "", after: edit.after }
        : { before: earlier.before, after: inside };
    const others = hunks.toSpliced(at, 1);
    // What goes around one may go around others too.
    if (inside === null) return addHunk(others, merged);
    return merged.before === merged.after ? others : hunks.toSpliced(at, 1, merged);
  }
  return edit.before === edit.after ? [...hunks] : [...hunks, edit];
};

const untouched = (path: string): FileChange => ({ path, text: null, hunks: [], writes: 0, edits: 0 });

/**
 * What write and edit calls that came back without an error made of files, call by call. A write gives the whole text; an edit of a
 * known text changes it; an edit of a text that is not known is kept as what it replaces by what. What the file held before is
 * never known: nothing of it is made up.
 */
export class NetChange {
  readonly #files = new Map<string, FileChange>();

  /** Takes the next call of the path; calls of other tools, or without a path, change nothing here. */
  add(call: ToolCallContent): void {
    const { path, content } = call.arguments;
    if (typeof path !== "string" || path === "") return;
    const file = this.#files.get(path) ?? untouched(path);
    if (call.name === "write" && typeof content === "string")
      this.#files.set(path, { ...file, text: content, hunks: [], writes: file.writes + 1 });
    if (call.name === "edit") {
      const edits = editsOf(call);
      if (edits.length > 0) this.#files.set(path, { ...edits.reduce(applied, file), edits: file.edits + 1 });
    }
  }

  /** Files that were changed, in the order in which they first were. One whose edits took each other back is among them. */
  get files(): readonly FileChange[] {
    return [...this.#files.values()];
  }
}

const applied = (file: FileChange, edit: FileHunk): FileChange => {
  const text = file.text === null ? null : replaced(file.text, edit.before, edit.after);
  return text === null ? { ...file, hunks: addHunk(file.hunks, edit) } : { ...file, text };
};

/** A file with what each branch made of it; null: that branch did not touch it. `same`: both made the same of it. */
export interface FilePair {
  readonly path: string;
  readonly a: FileChange | null;
  readonly b: FileChange | null;
  readonly same: boolean;
}

const hunksKey = (file: FileChange): string => JSON.stringify([file.text, file.hunks, file.omitted ?? 0]);

/** Files of either branch: those that both changed first, then those of A, then those of B. */
export const pairFiles = (a: readonly FileChange[], b: readonly FileChange[]): FilePair[] => {
  const inB = new Map(b.map((file) => [file.path, file]));
  const inA = new Set(a.map(({ path }) => path));
  const pairs = a.map((file): FilePair => {
    const other = inB.get(file.path) ?? null;
    return { path: file.path, a: file, b: other, same: other !== null && hunksKey(file) === hunksKey(other) };
  });
  return [
    ...pairs.filter((pair) => pair.b !== null),
    ...pairs.filter((pair) => pair.b === null),
    ...b.flatMap((file): FilePair[] =>
      inA.has(file.path) ? [] : [{ path: file.path, a: null, b: file, same: false }],
    ),
  ];
};
