import { type Folders, withoutFolder } from "../format.ts";
import { branchName } from "../item/branch-name.ts";
import type { Folded } from "./folded.ts";
import { compactionNumber, firstRowOf, titleOf } from "./run-words.ts";

const kept = new WeakMap<Folded, Map<string, string>>();

const find = (folded: Folded, run: number, branch: boolean, folders: Folders): string => {
  if (folded.fold.kind[run] === "compaction") return `compaction ${compactionNumber(folded, run)}`;
  const first = firstRowOf(folded, run);
  return withoutFolder(
    branch && first !== undefined ? branchName(folded.tree, first.id) : titleOf(folded, run),
    folders,
  );
};

/** What a run is called on the screen, its folders left out; `branch`: as the start of a branch. */
export const runName = (folded: Folded, run: number, branch: boolean, folders: Folders): string => {
  const names = kept.get(folded) ?? new Map<string, string>();
  kept.set(folded, names);
  const key = `${branch ? "b" : ""}${run}`;
  const known = names.get(key) ?? find(folded, run, branch, folders);
  names.set(key, known);
  return known;
};
