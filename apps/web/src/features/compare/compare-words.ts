import { pathToLeaf, type SessionTree } from "@espalier/core";
import type { BranchReport, Comparison, EntryId } from "@espalier/protocol";
import { clock, count, type Folders, withoutFolder } from "../../view/format.ts";
import { branchName } from "../../view/item/branch-name.ts";

/** Which of the two branches. */
export type Side = "a" | "b";
export const SIDES = ["a", "b"] as const;
export const LETTERS: Readonly<Record<Side, string>> = { a: "A", b: "B" };

const short = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 60).trimEnd().toWellFormed()}\u2026` : text;

/** What the place is called at which the branches part: "compaction 3", a label, the words that were said there. */
export const forkName = (tree: SessionTree, fork: EntryId | null, folders: Folders): string => {
  const row = fork === null ? undefined : tree.get(fork);
  if (row === undefined) return "the start";
  const label = tree.labels.get(row.id);
  if (label !== undefined) return label;
  if (row.type === "compaction") {
    const above = pathToLeaf(tree, row.id).filter((id) => tree.get(id)?.type === "compaction");
    return `compaction ${above.length}`;
  }
  if (row.type === "branch_summary") return "a branch summary";
  if (row.role === "toolResult") return `a result of ${row.name ?? "a tool"}`;
  // Marks of Markdown say nothing in a title.
  const words = withoutFolder((row.line ?? "").replace(/[`*]|^#+ /g, ""), folders);
  return words === "" ? "one place" : `\u201c${short(words)}\u201d`;
};

/** Number of an entry among those that are drawn, from 1; 0 when it is none. */
export const entryNumber = (tree: SessionTree, entry: EntryId | null): number => {
  if (entry === null) return 0;
  let number = 0;
  for (const { id } of tree.rows) {
    if (!tree.isAside(id)) number += 1;
    if (id === entry) return number;
  }
  return 0;
};

/** What a branch is called: by its first own entry below the fork. */
export const sideName = (
  tree: SessionTree,
  fork: EntryId | null,
  { end }: Pick<BranchReport, "end">,
  folders: Folders,
): string => {
  if (end === fork) return "the fork itself";
  const path = pathToLeaf(tree, end);
  const below = path.slice(fork === null ? 0 : path.indexOf(fork) + 1);
  const first = below.find((id) => !tree.isAside(id)) ?? end;
  return withoutFolder(branchName(tree, first), folders);
};

/** Why the last answer of a branch ended, in words. */
export const endingOf = ({ stop, open }: BranchReport): string => {
  if (stop === "aborted") return "stopped by you";
  if (stop === "error") return "ended by an error";
  if (stop === "length") return "cut off at its longest";
  if (open > 0) return "left with an open call";
  return stop === "toolUse" ? "went no further" : stop === null ? "" : "finished";
};

/** One measure by which branches are compared. */
export interface Fact {
  readonly name: string;
  /** What exactly is counted. */
  readonly title: string;
  readonly value: (report: BranchReport) => number;
  readonly show: (value: number) => string;
  /** Less of it is better. */
  readonly less: boolean;
}

const whole = count;

export const FACTS: readonly Fact[] = [
  { name: "entries", title: "Entries since the fork", value: (r) => r.entries, show: whole, less: false },
  { name: "turns", title: "Messages of yours", value: (r) => r.turns, show: whole, less: true },
  { name: "tool calls", title: "Calls of tools", value: (r) => r.calls, show: whole, less: false },
  { name: "failed", title: "Calls that failed", value: (r) => r.failed, show: whole, less: true },
  {
    name: "tokens",
    title: "What the branch takes up in a window, by estimate",
    value: (r) => r.tokens,
    show: whole,
    less: true,
  },
  {
    name: "cost",
    title: "US dollars, where they are known",
    value: (r) => r.cost,
    show: (value) => (value === 0 ? "\u2013" : `$${value.toFixed(2)}`),
    less: true,
  },
  {
    name: "time",
    title: "Time at work; pauses of more than ten minutes are left out",
    value: (r) => r.ms,
    show: clock,
    less: true,
  },
  {
    name: "files",
    title: "Files that edit and write calls changed",
    value: (r) => r.files.length,
    show: whole,
    less: false,
  },
];

/** How a value stands beside the other branch's: better, worse, or neither. */
export const standing = (
  fact: Fact,
  mine: BranchReport,
  other: BranchReport,
): "better" | "worse" | "even" => {
  const [own, theirs] = [fact.value(mine), fact.value(other)];
  // A branch without entries has nothing to be judged by; so has one whose price is not known.
  if (!fact.less || own === theirs || mine.entries === 0 || other.entries === 0) return "even";
  if (fact.name === "cost" && (own === 0 || theirs === 0)) return "even";
  return own < theirs ? "better" : "worse";
};

/** How many files either branch changed. */
export const fileCount = ({ a, b }: Comparison): number =>
  new Set([...a.files, ...b.files].map(({ path }) => path)).size;

/** How many branch summaries concern either branch. */
export const summaryCount = ({ a, b }: Comparison): number =>
  new Set([...a.summaries, ...b.summaries].map(({ entryId }) => entryId)).size;
