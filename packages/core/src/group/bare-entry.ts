import type { AgentMessage, AssistantContent, EntryOf, UserContent } from "@espalier/protocol";
import { charsOfContent, tokensOfChars, tokensOfEntry } from "../session/entry-tokens.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { isSoundCall } from "./tool-group.ts";

type Block = AssistantContent | UserContent;

/** A block without its words. A call that is not sound, and a block of a type nobody knows, stay as they are. */
const bareBlock = <Held extends Block>(block: Held): Held => {
  switch (block.type) {
    case "text":
      return { type: "text", text: "" } as Held;
    case "thinking":
      return { type: "thinking", thinking: "" } as Held;
    case "image":
      return { type: "image", data: "", mimeType: block.mimeType } as Held;
    case "toolCall":
      return isSoundCall(block) ? { ...block, arguments: {} } : block;
    default:
      return block;
  }
};

const bareContent = (content: string | readonly UserContent[]): string | UserContent[] =>
  typeof content === "string" ? "" : content.map(bareBlock);

const bareMessage = (message: AgentMessage): AgentMessage => {
  switch (message.role) {
    case "system":
      return message;
    case "user":
      return { ...message, content: bareContent(message.content) };
    case "custom": {
      const { details: _, ...rest } = message;
      return { ...rest, content: bareContent(message.content) };
    }
    case "assistant":
      return { ...message, content: message.content.map(bareBlock) };
    case "toolResult": {
      const { details: _, ...rest } = message;
      return { ...rest, content: [] };
    }
    case "bashExecution":
      return { ...message, command: "", output: "" };
  }
};

const bareEdit = (entry: EntryOf<"context_edit">): EntryOf<"context_edit"> =>
  entry.replacement === null
    ? entry
    : { ...entry, replacement: { content: typeof entry.replacement.content === "string" ? "" : [] } };

/**
 * An entry without its long words: as much as joining calls and results, choosing a context and counting it need. So the whole of
 * a long path can be held where its texts could not. Summaries and system messages stay whole.
 */
export const bareEntry = (entry: AnyEntry): AnyEntry => {
  const known = asKnown(entry);
  switch (known?.type) {
    case "message":
      return { ...known, message: bareMessage(known.message) };
    case "custom_message": {
      const { details: _, ...rest } = known;
      return { ...rest, content: bareContent(known.content) };
    }
    case "custom": {
      const { data: _, ...rest } = known;
      return rest;
    }
    case "context_edit":
      return bareEdit(known);
    case "compaction":
    case "branch_summary":
    case "model_change":
    case "thinking_level_change":
    case "label":
    case "session_info":
    case "usage":
      return known;
    case undefined:
      return { type: entry.type, id: entry.id, parentId: entry.parentId };
  }
};

/** Tokens that a bare entry's words would take in a request: its own, or of an edit those it puts in another's place. */
export const tokensOfWords = (entry: AnyEntry): number => {
  const known = asKnown(entry);
  if (known?.type !== "context_edit") return tokensOfEntry(entry);
  return known.replacement === null ? 0 : tokensOfChars(charsOfContent(known.replacement.content));
};
