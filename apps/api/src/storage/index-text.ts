import { type AnyEntry, asKnown } from "@espalier/core";
import type { AgentMessage, Content } from "@espalier/protocol";

/** What can be searched of an entry: what people and models said, and what tools were given and gave. */
export interface EntryText {
  readonly said: string;
  readonly tool: string;
}

/** Characters kept of a long text: its beginning and its end. What a tool prints in between is found by reading the session. */
const HEAD = 48 * 1024;
const TAIL = 16 * 1024;

/** A text cut to its first 48 and last 16 thousand characters. */
const capText = (text: string): string =>
  text.length <= HEAD + TAIL
    ? text
    : `${text.slice(0, HEAD).toWellFormed()}\n…\n${text.slice(-TAIL).toWellFormed()}`;

type Part = Pick<EntryText, "said"> | Pick<EntryText, "tool">;

/** The texts inside arguments, without their names. Read by a loop: arguments may nest deep. */
const textsIn = (value: unknown): string => {
  const texts: string[] = [];
  const stack: unknown[] = [value];
  while (stack.length > 0 && texts.length < 1000) {
    const next = stack.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "object" && next !== null)
      stack.push(...Object.values(next).slice(0, 1000).reverse());
  }
  return texts.join("\n");
};

const partOf = (block: Content, own: "said" | "tool"): Part | null => {
  switch (block.type) {
    case "text":
      return own === "said" ? { said: block.text } : { tool: block.text };
    case "toolCall":
      return { tool: `${block.name}\n${textsIn(block.arguments)}` };
    case "thinking":
    case "image":
      return null;
    default:
      return null;
  }
};

const partsOf = (content: string | readonly Content[], own: "said" | "tool" = "said"): Part[] =>
  typeof content === "string" ? [{ said: content }] : content.flatMap((block) => partOf(block, own) ?? []);

const partsOfMessage = (message: AgentMessage): Part[] => {
  switch (message.role) {
    case "user":
    case "custom":
      return partsOf(message.content);
    case "assistant":
      return [...partsOf(message.content), ...(message.errorMessage ? [{ said: message.errorMessage }] : [])];
    case "toolResult":
      return partsOf(message.content, "tool");
    case "bashExecution":
      return [{ tool: `${message.command}\n${message.output}` }];
    case "system":
      // The same in every session: it would be found everywhere.
      return [];
  }
};

const partsOfEntry = (entry: AnyEntry): Part[] => {
  const known = asKnown(entry);
  switch (known?.type) {
    case "message":
      return partsOfMessage(known.message);
    case "compaction":
    case "branch_summary":
      return [{ said: known.summary }];
    case "custom_message":
      return partsOf(known.content);
    case "label":
      return [{ said: known.label ?? "" }];
    case "session_info":
      return [{ said: known.name ?? "" }];
    case undefined:
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "usage":
    case "context_edit":
      return [];
  }
};

/** What can be searched of an entry, capped. Both empty where there is nothing. */
export const textOfEntry = (entry: AnyEntry): EntryText => {
  const parts = partsOfEntry(entry);
  const join = (texts: string[]): string => capText(texts.filter((text) => text !== "").join("\n"));
  return {
    said: join(parts.flatMap((part) => ("said" in part ? [part.said] : []))),
    tool: join(parts.flatMap((part) => ("tool" in part ? [part.tool] : []))),
  };
};
