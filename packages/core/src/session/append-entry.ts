import type { Entry, EntryDraft, EntryId } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";

const ATTEMPTS = 100;

/** A fresh entry id as pi makes them: 8 hex digits, and a whole UUID when 100 of those were taken. */
export const newEntryId = (isTaken: (id: EntryId) => boolean): EntryId => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const id = entryId(crypto.randomUUID().slice(0, 8));
    if (!isTaken(id)) return id;
  }
  return entryId(crypto.randomUUID());
};

const MESSAGE_KEYS = [
  "role",
  "command",
  "output",
  "exitCode",
  "cancelled",
  "truncated",
  "fullOutputPath",
  "toolCallId",
  "toolName",
  "customType",
  "content",
  "sections",
  "display",
  "details",
  "isError",
  "api",
  "provider",
  "model",
  "usage",
  "stopReason",
] as const;
const MESSAGE_TAIL = [
  "timestamp",
  "toolsAdded",
  "toolsRemoved",
  "excludeFromContext",
  "responseId",
  "responseModel",
  "rawStopReason",
  "errorMessage",
] as const;
const DURATION = ["durationMs", "thinkingLevel"] as const;

type Fields = Readonly<Record<string, unknown>>;

/** The same fields, the named ones first in their order, others after them as they stood; undefined ones are left out. */
const ordered = (fields: Fields, keys: readonly string[]): Record<string, unknown> => {
  const result: Record<string, unknown> = {};
  for (const key of keys) if (fields[key] !== undefined) result[key] = fields[key];
  for (const key of Object.keys(fields)) if (fields[key] !== undefined) result[key] = fields[key];
  return result;
};

const RESULT_ORDER = [...MESSAGE_KEYS, ...DURATION, ...MESSAGE_TAIL];
const MESSAGE_ORDER = [...MESSAGE_KEYS, ...MESSAGE_TAIL, ...DURATION];

/** A tool result has its duration before its time, every other message after it. */
const orderedMessage = (message: Fields): Record<string, unknown> =>
  ordered(message, message.role === "toolResult" ? RESULT_ORDER : MESSAGE_ORDER);

const FIELD_KEYS: Readonly<Record<EntryDraft["type"], readonly string[]>> = {
  message: ["message"],
  model_change: ["provider", "modelId"],
  thinking_level_change: ["thinkingLevel"],
  compaction: [
    "summary",
    "firstKeptEntryId",
    "tokensBefore",
    "details",
    "usage",
    "fromHook",
    "systemMessage",
  ],
  branch_summary: ["fromId", "summary", "details", "usage", "fromHook"],
  custom: ["customType", "data"],
  custom_message: ["customType", "content", "display", "details"],
  label: ["targetId", "label"],
  session_info: ["name"],
  usage: ["kind", "provider", "model", "usage", "note"],
  context_edit: ["targetId", "replacement"],
};

/** Where and when a draft becomes an entry. `time` in epoch ms. */
export interface EntryStamp {
  readonly id: EntryId;
  readonly parentId: EntryId | null;
  readonly time: number;
}

/** Makes an entry of a draft, its keys in the order in which pi 1.6.0 writes this type. */
export const makeEntry = (draft: EntryDraft, stamp: EntryStamp): Entry => {
  const { type, ...fields } = draft;
  const place = { id: stamp.id, parentId: stamp.parentId, timestamp: new Date(stamp.time).toISOString() };
  const own = ordered(
    "message" in fields ? { ...fields, message: orderedMessage(fields.message) } : fields,
    FIELD_KEYS[type],
  );
  const keepsPlaceLast = type === "custom" || type === "custom_message";
  return (keepsPlaceLast ? { type, ...own, ...place } : { type, ...place, ...own }) as Entry;
};
