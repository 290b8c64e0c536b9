import type { Entry, EntryOf, PathItem } from "@espalier/protocol";
import type { AnyEntry } from "../session/known-entry.ts";
import { asKnown } from "../session/known-entry.ts";
import { declaredGroups, loneResult, type ResultEntry } from "./tool-group.ts";

/** Whether an entry is a tool result. Only the joiner needs to know; everybody else has groups. */
export const isResult = (entry: Entry): entry is ResultEntry =>
  entry.type === "message" && entry.message.role === "toolResult";

const itemOfMessage = (entry: EntryOf<"message">): PathItem => {
  const { id } = entry;
  switch (entry.message.role) {
    case "user":
      return { kind: "user", id, entry };
    case "assistant":
      return { kind: "step", id, entry, groups: declaredGroups(id, entry.message.content) };
    case "toolResult":
      return { kind: "orphan", id, entry, group: loneResult(entry as ResultEntry) };
    case "bashExecution":
      return { kind: "bash", id, entry };
    case "system":
      return { kind: "system", id, entry };
    case "custom":
      return { kind: "note", id, entry };
  }
};

/** The item an entry begins, before any result or edit is joined to it. */
export const itemOfEntry = (entry: AnyEntry): PathItem => {
  const known = asKnown(entry);
  const { id } = entry;
  if (known === null) return { kind: "unknown", id, entry };
  switch (known.type) {
    case "message":
      return itemOfMessage(known);
    case "custom_message":
      return { kind: "note", id, entry: known };
    case "compaction":
      return { kind: "compaction", id, entry: known };
    case "branch_summary":
      return { kind: "branch_summary", id, entry: known };
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "label":
    case "session_info":
    case "usage":
    case "context_edit":
      return { kind: "mark", id, entry: known };
  }
};
