import type {
  AssistantContent,
  EntryId,
  EntryOf,
  ToolCallContent,
  ToolGroup,
  ToolGroupKind,
  ToolResultMessage,
} from "@espalier/protocol";
import { toolCallId } from "@espalier/protocol";

/** Whether a call or result can be told by its id at all. */
export const isUsableId = (id: unknown): boolean => typeof id === "string" && id !== "";

/** Whether a call has an id, a name and an object of arguments. */
export const isSoundCall = (block: ToolCallContent): boolean =>
  isUsableId(block.id) &&
  typeof block.name === "string" &&
  typeof block.arguments === "object" &&
  block.arguments !== null &&
  !Array.isArray(block.arguments);

/** The groups an assistant message declares, in source order, all still without results. */
export const declaredGroups = (entryId: EntryId, content: readonly AssistantContent[]): ToolGroup[] =>
  content.flatMap((block, index): ToolGroup[] => {
    if (block.type !== "toolCall") return [];
    if (!isSoundCall(block)) return [{ kind: "unknown", entries: [{ entryId, index, block }] }];
    return [{ kind: "missing_results", toolCallId: block.id, use: { entryId, index, call: block } }];
  });

/** An entry that holds a tool result. */
export type ResultEntry = EntryOf<"message"> & { readonly message: ToolResultMessage };

/** A result whose call is not on the path, or one without a usable id. */
export const loneResult = (entry: ResultEntry): ToolGroup => {
  const { message, id } = entry;
  return isUsableId(message.toolCallId)
    ? {
        kind: "orphaned_result",
        toolCallId: toolCallId(message.toolCallId),
        result: { entryId: id, message },
      }
    : { kind: "unknown", entries: [{ entryId: id, block: message }] };
};

/** Ids of the entries that hold a group's results. */
export const resultEntries = (group: ToolGroup): EntryId[] => {
  switch (group.kind) {
    case "complete":
    case "orphaned_result":
      return [group.result.entryId];
    case "missing_results":
      return [];
    case "unknown":
      return group.entries.flatMap(({ entryId, index }) => (index === undefined ? [entryId] : []));
  }
};

export type GroupCounts = Record<ToolGroupKind, number>;

export const noGroups = (): GroupCounts => ({
  complete: 0,
  missing_results: 0,
  orphaned_result: 0,
  unknown: 0,
});
