import { entryId } from "@espalier/protocol";
import { type AnyEntry, isFields } from "./known-entry.ts";

type Fields = Readonly<Record<string, unknown>>;

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** The bytes an entry was read from, where writing it anew would not give them again. */
const sourceLines = new WeakMap<AnyEntry, string>();

/** The line an entry came from, if it must be copied as it stands; undefined for an entry that can be written anew. */
export const sourceLine = (entry: AnyEntry): string | undefined => sourceLines.get(entry);

/** A block a reader can work with: an object with a type, whose own text is text. Others are shown as text. */
const readBlock = (block: unknown): unknown => {
  if (!isFields(block) || typeof block.type !== "string") {
    return { type: "text", text: typeof block === "string" ? block : JSON.stringify(block) };
  }
  if (block.type === "text" && typeof block.text !== "string") return { ...block, text: "" };
  if (block.type === "thinking" && typeof block.thinking !== "string") return { ...block, thinking: "" };
  return block;
};

const isSound = (block: unknown): boolean => readBlock(block) === block;

/** Content as blocks. pi reads a content that is null or missing as empty; text where blocks belong is one block of text. */
const readBlocks = (content: unknown): readonly unknown[] => {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content.every(isSound) ? content : content.map(readBlock);
};

const readContent = (content: unknown, empty: string | readonly unknown[]): unknown => {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? readBlocks(content) : empty;
};

/** Only the fields that have to change; empty for a message that is sound. */
const mendMessage = (message: Fields): Fields => {
  const changes: Record<string, unknown> = {};
  const set = (key: string, value: unknown): void => {
    if (message[key] !== value) changes[key] = value;
  };
  switch (message.role) {
    case "system":
      set("content", readContent(message.content, ""));
      break;
    case "user":
    case "custom":
      set("content", readContent(message.content, []));
      break;
    case "assistant":
      set("content", readBlocks(message.content));
      if (!isFields(message.usage)) changes.usage = NO_USAGE;
      else if (!isFields(message.usage.cost))
        changes.usage = { ...NO_USAGE, ...message.usage, cost: NO_USAGE.cost };
      if (typeof message.stopReason !== "string") changes.stopReason = "stop";
      for (const key of ["api", "provider", "model"]) if (typeof message[key] !== "string") changes[key] = "";
      for (const key of ["errorMessage", "rawStopReason", "responseModel"]) {
        const value = message[key];
        if (value !== undefined && typeof value !== "string") changes[key] = JSON.stringify(value);
      }
      break;
    case "toolResult":
      set("content", readBlocks(message.content));
      for (const key of ["toolCallId", "toolName"]) if (typeof message[key] !== "string") changes[key] = "";
      if (typeof message.isError !== "boolean") changes.isError = false;
      break;
    default:
      break;
  }
  if (typeof message.timestamp !== "number") changes.timestamp = 0;
  return changes;
};

/** A message entry with what a reader needs filled in; the same object when nothing was amiss. */
const mendEntry = (entry: Fields): Fields => {
  if (entry.type === "message" && isFields(entry.message)) {
    const changes = mendMessage(entry.message);
    return Object.keys(changes).length === 0
      ? entry
      : { ...entry, message: { ...entry.message, ...changes } };
  }
  if (entry.type === "custom_message" && Array.isArray(entry.content) && !entry.content.every(isSound)) {
    return { ...entry, content: readBlocks(entry.content) };
  }
  return entry;
};

/**
 * Makes an entry of a parsed line. `id` is the one the session knows it by, which differs from the line's own for a later
 * entry with an id that was taken. Unknown types, and what was mended, keep their line for copying.
 */
export const readEntry = (raw: Fields, id: string, text: string): AnyEntry => {
  const parentId = typeof raw.parentId === "string" ? entryId(raw.parentId) : null;
  const mended = mendEntry(raw);
  const same = raw.id === id && raw.parentId === parentId;
  const entry = (same ? mended : { ...mended, id: entryId(id), parentId }) as AnyEntry;
  if (raw.id === id && (mended !== raw || !isWritable(entry))) sourceLines.set(entry, text);
  return entry;
};

const writable: ReadonlySet<string> = new Set([
  "message",
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
  "usage",
  "context_edit",
]);

const isWritable = (entry: AnyEntry): boolean => writable.has(entry.type);
