import { type SessionTree, siblings } from "@espalier/core";
import type { EntryId, Row } from "@espalier/protocol";
import { BOOKMARK } from "../../store/bookmark.ts";

/** How far below a branch's start its name is looked for. */
const FAR = 40;

const nothing: Pick<Row, "line"> = {};
const words = (row: Pick<Row, "line">): string => row.line ?? "";

/**
 * What to call the branch that starts at an entry: its label, else its first message of a person, else its first words.
 */
export const branchName = (tree: SessionTree, start: EntryId): string => {
  let at: EntryId | undefined = start;
  let first = "";
  for (let steps = 0; at !== undefined && steps < FAR; steps += 1) {
    const label = tree.labels.get(at);
    if (label !== undefined && label !== BOOKMARK) return label;
    const row = tree.get(at);
    if (row && row.role === "user" && words(row) !== "") return words(row);
    const says = row?.type === "message" && row.role !== "toolResult" && row.role !== "system";
    if (row && first === "" && says) first = words(row);
    const below: readonly EntryId[] = tree.branches(at);
    // Beyond the next fork, names belong to the branches there.
    at = below.length === 1 ? below[0] : undefined;
  }
  return first || words(tree.get(start) ?? nothing) || "branch";
};

export interface Siblings {
  readonly ids: readonly EntryId[];
  /** Place of the entry among them. */
  readonly index: number;
}

/** The branches that start where this entry does; null when it is the only one. */
export const siblingsOf = (tree: SessionTree, entry: EntryId): Siblings | null => {
  const ids = siblings(tree, entry);
  const index = ids.indexOf(entry);
  return ids.length > 1 && index >= 0 ? { ids, index } : null;
};
