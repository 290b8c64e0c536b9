import type { AgentMessage, Entry, SystemMessage } from "@espalier/protocol";
import { type AnyEntry, asKnown, isFields } from "./known-entry.ts";

/** What pi 1.6.0 counts an image as, whatever its size, in characters. */
const IMAGE_CHARS = 4800;

/** Characters to tokens by pi 1.6.0's rule: a quarter, rounded up. */
export const tokensOfChars = (chars: number): number => Math.ceil(chars / 4);

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
}

const length = (text: unknown): number => (typeof text === "string" ? text.length : 0);

const charsOfBlock = (block: Block): number => {
  switch (block.type) {
    case "text":
      return length(block.text);
    case "thinking":
      return length(block.thinking);
    case "image":
      return IMAGE_CHARS;
    case "toolCall":
      return length(block.name) + JSON.stringify(block.arguments ?? {}).length;
    default:
      return 0;
  }
};

/** Characters of a content, as text or as blocks. */
export const charsOfContent = (content: string | readonly unknown[]): number =>
  typeof content === "string"
    ? content.length
    : content.reduce<number>((sum, block) => sum + (isFields(block) ? charsOfBlock(block) : 0), 0);

/** Characters of a system patch: its text, its sections and the schemas of the tools it adds. */
const charsOfSystem = (message: SystemMessage): number => {
  const sections = Object.values(message.sections ?? {}).reduce((sum, text) => sum + length(text), 0);
  const tools = message.toolsAdded === undefined ? 0 : JSON.stringify(message.toolsAdded).length;
  return charsOfContent(message.content) + sections + tools;
};

/** Characters of a message as pi 1.6.0 counts them. */
export const charsOfMessage = (message: AgentMessage): number => {
  switch (message.role) {
    case "system":
      return charsOfSystem(message);
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return charsOfContent(message.content);
    case "bashExecution":
      return message.command.length + message.output.length;
  }
};

const charsOfKnown = (entry: Entry): number => {
  switch (entry.type) {
    case "message":
      return charsOfMessage(entry.message);
    case "custom_message":
      return charsOfContent(entry.content);
    case "compaction":
    case "branch_summary":
      return entry.summary.length;
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "label":
    case "session_info":
    case "usage":
    case "context_edit":
      return 0;
  }
};

/** Tokens an entry would take in a request, by pi's estimate; 0 for entries that say nothing to the model. */
export const tokensOfEntry = (entry: AnyEntry): number => {
  const known = asKnown(entry);
  return known === null ? 0 : tokensOfChars(charsOfKnown(known));
};
