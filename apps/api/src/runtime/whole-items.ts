import { type AnyEntry, joinPath } from "@espalier/core";
import type { EntryId, PathItem, ToolGroup } from "@espalier/protocol";

const editsOf = (group: ToolGroup): EntryId[] =>
  (group.kind === "complete" || group.kind === "orphaned_result") && group.result.edit
    ? [group.result.edit.id]
    : [];

const groupsOf = (item: PathItem): readonly ToolGroup[] => (item.kind === "step" ? item.groups : []);

const resultsOf = (item: PathItem): EntryId[] =>
  groupsOf(item).flatMap((group) => (group.kind === "complete" ? [group.result.entryId] : []));

/**
 * The entries that items are made of, in an order in which joining them gives these items again: each with its results in the
 * order of its calls, and at the end the edits, which mark what stands before them.
 */
export const entriesOfItems = (items: readonly PathItem[]): EntryId[] => {
  const parts = items.flatMap((item) => [item.id, ...resultsOf(item)]);
  const edits = items.flatMap((item) => [
    ...("edit" in item && item.edit ? [item.edit.id] : []),
    ...groupsOf(item).flatMap(editsOf),
    ...(item.kind === "orphan" ? editsOf(item.group) : []),
  ]);
  const known = new Set(parts);
  return [...parts, ...new Set(edits.filter((id) => !known.has(id)))];
};

/**
 * Bare items (see `bareEntry`) with all their words. `entries` are those of `entriesOfItems`. An edit that is an item of its own
 * stands among the others and marks what it edits as it did on the path.
 */
export const wholeItems = (bare: readonly PathItem[], entries: readonly AnyEntry[]): PathItem[] => {
  const whole = new Map(joinPath(entries).map((item) => [item.id, item]));
  return bare.map((item) => whole.get(item.id) ?? item);
};
