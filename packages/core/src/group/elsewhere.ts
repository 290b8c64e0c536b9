import type { EntryId, PathItem, ToolGroup } from "@espalier/protocol";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { declaredGroups, isUsableId } from "./tool-group.ts";

/** Which entries of a session call or answer by which id, on all branches. Filled entry by entry, in any order. */
export class CallIndex {
  readonly #calls = new Map<string, EntryId[]>();
  readonly #results = new Map<string, EntryId[]>();

  add(entry: AnyEntry): void {
    const known = asKnown(entry);
    if (known?.type !== "message") return;
    const { message } = known;
    if (message.role === "toolResult" && isUsableId(message.toolCallId)) {
      note(this.#results, message.toolCallId, entry.id);
    }
    if (message.role !== "assistant") return;
    for (const group of declaredGroups(entry.id, message.content)) {
      if (group.kind === "missing_results") note(this.#calls, group.toolCallId, entry.id);
    }
  }

  calls(toolCallId: string): readonly EntryId[] {
    return this.#calls.get(toolCallId) ?? [];
  }

  results(toolCallId: string): readonly EntryId[] {
    return this.#results.get(toolCallId) ?? [];
  }
}

const note = (index: Map<string, EntryId[]>, id: string, entry: EntryId): void => {
  const known = index.get(id);
  if (known === undefined) index.set(id, [entry]);
  else if (known.at(-1) !== entry) known.push(entry);
};

const pointGroup = (group: ToolGroup, index: CallIndex, onPath: ReadonlySet<EntryId>): ToolGroup => {
  if (group.kind !== "missing_results" && group.kind !== "orphaned_result") return group;
  const other =
    group.kind === "missing_results" ? index.results(group.toolCallId) : index.calls(group.toolCallId);
  const elsewhere = other.findLast((id) => !onPath.has(id));
  return elsewhere === undefined || elsewhere === group.elsewhere ? group : { ...group, elsewhere };
};

/**
 * Gives broken groups a pointer to their other half on another branch of the session, newest first: for the eye, never for the
 * model. `path` holds the ids of the path's entries. Items without such a group stay the same objects.
 */
export const pointElsewhere = (
  items: readonly PathItem[],
  path: readonly EntryId[],
  index: CallIndex,
): readonly PathItem[] => {
  const onPath = new Set(path);
  return items.map((item) => {
    if (item.kind === "orphan") {
      const group = pointGroup(item.group, index, onPath);
      return group === item.group ? item : { ...item, group };
    }
    if (item.kind !== "step") return item;
    const groups = item.groups.map((group) => pointGroup(group, index, onPath));
    return groups.every((group, at) => group === item.groups[at]) ? item : { ...item, groups };
  });
};
