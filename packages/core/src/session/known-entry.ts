import type { AgentMessage, Entry, EntryType, UnknownEntry } from "@espalier/protocol";

/** An entry of a known type, or a line kept as it is. */
export type AnyEntry = Entry | UnknownEntry;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is an object with named fields (no array, not null). */
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string";
/** Fields that may be left out; pi also reads null as absent. */
const isTextOrAbsent = (value: unknown): boolean => value === undefined || value === null || isText(value);
const isContent = (value: unknown): boolean => isText(value) || Array.isArray(value);

const messageChecks: Readonly<Record<AgentMessage["role"], (message: Fields) => boolean>> = {
  system: (message) => isContent(message.content),
  user: (message) => isContent(message.content),
  assistant: (message) => Array.isArray(message.content) && isFields(message.usage),
  toolResult: (message) => Array.isArray(message.content) && isText(message.toolCallId),
  bashExecution: (message) => isText(message.command) && isText(message.output),
  custom: (message) => isText(message.customType) && isContent(message.content),
};

const isMessage = (message: unknown): boolean =>
  isFields(message) &&
  isText(message.role) &&
  Object.hasOwn(messageChecks, message.role) &&
  messageChecks[message.role as AgentMessage["role"]](message);

const entryChecks: Readonly<Record<EntryType, (entry: Fields) => boolean>> = {
  message: (entry) => isMessage(entry.message),
  model_change: (entry) => isText(entry.provider) && isText(entry.modelId),
  thinking_level_change: (entry) => isText(entry.thinkingLevel),
  compaction: (entry) =>
    isText(entry.summary) &&
    isText(entry.firstKeptEntryId) &&
    (entry.tokensBefore === undefined || typeof entry.tokensBefore === "number"),
  branch_summary: (entry) => isText(entry.summary) && isText(entry.fromId),
  custom: (entry) => isText(entry.customType),
  custom_message: (entry) => isText(entry.customType) && isContent(entry.content),
  label: (entry) => isText(entry.targetId) && isTextOrAbsent(entry.label),
  session_info: (entry) => isTextOrAbsent(entry.name),
  usage: (entry) => isFields(entry.usage) && isTextOrAbsent(entry.kind),
  context_edit: (entry) =>
    isText(entry.targetId) &&
    (entry.replacement === null || (isFields(entry.replacement) && isContent(entry.replacement.content))),
};

/**
 * The entry if its type is known and its shape can be worked with, else null. Checks only what would break a reader: fields
 * that are there too many, or missing ones with an obvious meaning, are no reason to refuse.
 */
export const asKnown = (entry: AnyEntry): Entry | null =>
  Object.hasOwn(entryChecks, entry.type) && entryChecks[entry.type as EntryType](entry)
    ? (entry as Entry)
    : null;
