import type { AgentMessage, EntryId, EntryOf } from "@espalier/protocol";

/** What was told of a branch that was left. `timestamp` in epoch ms, as of every message. */
interface BranchSummaryMessage {
  readonly role: "branchSummary";
  readonly summary: string;
  readonly fromId: string;
  readonly timestamp: number;
}

/** What stands for the part of a path that was summarised. */
interface CompactionSummaryMessage {
  readonly role: "compactionSummary";
  readonly summary: string;
  readonly tokensBefore: number;
  readonly timestamp: number;
}

/** A message of a context: what an entry contributes, edits applied. */
export type ContextMessage = AgentMessage | BranchSummaryMessage | CompactionSummaryMessage;

/** A message with the entry it comes from. A compaction with a system checkpoint gives two with the same id. */
export interface Projected {
  readonly entryId: EntryId;
  readonly message: ContextMessage;
}

type Edit = EntryOf<"context_edit">["replacement"];

/** The target's message with new content; a role whose content is always blocks gets a text as one block. */
const replaceContent = (message: AgentMessage, content: string | readonly unknown[]): AgentMessage => {
  switch (message.role) {
    case "user":
    case "custom":
      return { ...message, content: content as typeof message.content };
    case "assistant":
    case "toolResult": {
      const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return { ...message, content: blocks } as AgentMessage;
    }
    case "system":
    case "bashExecution":
      return message;
  }
};

/** Whether pi's format can edit a message of this role; edits of others are ignored. */
export const isEditable = ({ role }: ContextMessage): boolean =>
  ["user", "assistant", "toolResult", "custom"].includes(role);

export const applyEdit = (message: AgentMessage, edit: Edit | undefined): AgentMessage | null => {
  if (edit === undefined || !isEditable(message)) return message;
  return edit === null ? null : replaceContent(message, edit.content);
};
