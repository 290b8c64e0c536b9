import type { BranchReport, EntryId, FileChange, PathItem, ToolGroup } from "@espalier/protocol";
import { notAside } from "../session/leaf.ts";
import { commonAncestor, leafThrough, pathToLeaf } from "../session/path-to-leaf.ts";
import type { SessionTree } from "../session/session-tree.ts";

/** Two branches and where they part. */
export interface BranchPair {
  /** The last entry that both share, asides passed over; null: they have different roots. */
  readonly fork: EntryId | null;
  readonly a: EntryId;
  readonly b: EntryId;
  /** Everything that lies on the way to both ends. */
  readonly shared: ReadonlySet<EntryId>;
}

/**
 * The two ends that are compared when two entries are named: the leaf through each, `preferred` where it is one of them. Two
 * entries with one leaf are compared as they stand: what came between them is what differs.
 */
export const branchPair = (
  tree: SessionTree,
  a: EntryId,
  b: EntryId,
  preferred: EntryId | null,
): BranchPair => {
  const [through, other] = [leafThrough(tree, a, preferred), leafThrough(tree, b, preferred)];
  const ends = through === other ? { a, b } : { a: through, b: other };
  const onA = new Set(pathToLeaf(tree, ends.a));
  const shared = new Set(pathToLeaf(tree, ends.b).filter((id) => onA.has(id)));
  const ancestor = commonAncestor(tree, ends.a, ends.b);
  return { ...ends, fork: ancestor === null ? null : notAside(tree, ancestor), shared };
};

const resultId = (group: ToolGroup): EntryId | null =>
  group.kind === "complete" || group.kind === "orphaned_result" ? group.result.entryId : null;

/** Index of the first item of a path that is not wholly shared: a step is whole only with the results that came to it. */
export const firstApart = (items: readonly PathItem[], shared: ReadonlySet<EntryId>): number => {
  const at = items.findIndex(
    (item) =>
      !shared.has(item.id) ||
      (item.kind === "step" &&
        item.groups.some((group) => {
          const result = resultId(group);
          return result !== null && !shared.has(result);
        })),
  );
  return at < 0 ? items.length : at;
};

/** Part of a branch, as indices of its path's items. */
export interface ItemRange {
  readonly from: number;
  readonly to: number;
}

/** Items of both branches that stand beside each other; a range may be empty. `turn` counts from 1, 0 before the first turn. */
export interface AlignedPart {
  readonly turn: number;
  readonly a: ItemRange;
  readonly b: ItemRange;
}

type Side = Pick<BranchReport, "first" | "items" | "turnStarts">;

/** Where the turns of a branch begin and end, with what precedes the first one in front. */
const turnsOf = ({ first, items, turnStarts }: Side): ItemRange[] => {
  const starts = [0, ...turnStarts.filter((start) => start > 0), items];
  const leading = turnStarts[0] === 0 ? [{ from: first, to: first }] : [];
  const ranges = starts
    .slice(0, -1)
    .map((from, at) => ({ from: first + from, to: first + (starts[at + 1] ?? items) }));
  return [...leading, ...ranges];
};

/**
 * The items of two branches beside each other, turn by turn from the fork on; a turn of more than `most` items comes in several
 * parts. Every item of either branch is in exactly one part.
 */
export const alignTurns = (a: Side, b: Side, most: number): AlignedPart[] => {
  const [left, right] = [turnsOf(a), turnsOf(b)];
  const ends = { a: a.first + a.items, b: b.first + b.items };
  const parts: AlignedPart[] = [];
  for (let turn = 0; turn < Math.max(left.length, right.length); turn += 1) {
    const inA = left[turn] ?? { from: ends.a, to: ends.a };
    const inB = right[turn] ?? { from: ends.b, to: ends.b };
    const size = Math.max(inA.to - inA.from, inB.to - inB.from);
    for (let at = 0; at < size; at += most)
      parts.push({ turn, a: cut(inA, at, most), b: cut(inB, at, most) });
  }
  return parts;
};

const cut = ({ from, to }: ItemRange, at: number, most: number): ItemRange => ({
  from: Math.min(to, from + at),
  to: Math.min(to, from + at + most),
});

/** Characters of all texts of one branch's files that are told; of one file at most a quarter of them. */
const TOLD_CHARS = 2_000_000;

const charsOf = ({ text, hunks }: FileChange): number =>
  (text?.length ?? 0) + hunks.reduce((sum, { before, after }) => sum + before.length + after.length, 0);

/** Files as they can be sent: texts beyond the bound are left out, with their size in `omitted`. */
export const boundedFiles = (files: readonly FileChange[], most: number = TOLD_CHARS): FileChange[] => {
  let left = most;
  return files.map((file) => {
    const chars = charsOf(file);
    if (chars <= Math.min(left, most / 4)) {
      left -= chars;
      return file;
    }
    return { ...file, text: null, hunks: [], omitted: chars };
  });
};
