import type { EntryId } from "@espalier/protocol";
import { OUTCOME } from "./aside.ts";
import type { SessionTree } from "./session-tree.ts";

/** Ids of the label entries that hold: the last one in file order for each target that has a label now. */
export const holdingLabels = (tree: SessionTree): EntryId[] => {
  const last = new Map<string, EntryId>();
  for (const row of tree.rows) {
    if (row.type === "label" && row.target !== undefined) last.set(row.target, row.id);
  }
  return [...last.values()].filter((id) => tree.get(id)?.name !== undefined);
};

/** Ids of the outcome marks that hold: the last one in file order for each entry that is marked now. */
export const holdingOutcomes = (tree: SessionTree): EntryId[] => {
  const last = new Map<string, EntryId>();
  for (const row of tree.rows) {
    if (row.type === "custom" && row.name === OUTCOME && row.target !== undefined)
      last.set(row.target, row.id);
  }
  return [...last.values()].filter((id) => tree.get(id)?.outcome !== undefined);
};
