import type { PathItem } from "@espalier/protocol";
import { joinPath } from "../group/join-groups.ts";
import { type GroupCounts, noGroups } from "../group/tool-group.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import type { Projected } from "./context-message.ts";

/** Groups by kind, and batches: assistant steps with calls, `complete` when every call has its result. */
export interface ContextGroups {
  readonly groups: GroupCounts;
  readonly batches: { readonly total: number; readonly complete: number; readonly missing: number };
}

const asEntry = ({ entryId, message }: Projected): AnyEntry[] => {
  if (message.role === "branchSummary" || message.role === "compactionSummary") return [];
  return [{ type: "message", id: entryId, parentId: null, timestamp: "", message }];
};

/** Items of what a model sees: edits applied, what was summarised left out. A cut or an edit can part a call from its result here. */
export const contextItems = (messages: readonly Projected[]): readonly PathItem[] =>
  joinPath(messages.flatMap(asEntry));

/** Counts the groups of a context, as opposed to those of the path it was made of. */
export const countGroups = (messages: readonly Projected[]): ContextGroups => {
  const groups = noGroups();
  const batches = { total: 0, complete: 0, missing: 0 };
  for (const item of contextItems(messages)) {
    const found = item.kind === "step" ? item.groups : item.kind === "orphan" ? [item.group] : [];
    for (const group of found) groups[group.kind] += 1;
    if (item.kind !== "step" || item.groups.length === 0) continue;
    batches.total += 1;
    batches[item.groups.some(({ kind }) => kind === "missing_results") ? "missing" : "complete"] += 1;
  }
  return { groups, batches };
};
