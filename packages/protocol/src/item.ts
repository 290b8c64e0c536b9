import { type Static, Type } from "@sinclair/typebox";
import { ToolCallContent } from "./content.ts";
import {
  BranchSummaryEntry,
  CompactionEntry,
  ContextEditEntry,
  CustomEntry,
  CustomMessageEntry,
  LabelEntry,
  MessageEntry,
  ModelChangeEntry,
  SessionInfoEntry,
  ThinkingLevelChangeEntry,
  UnknownEntry,
  UsageEntry,
} from "./entry.ts";
import { EntryIdSchema, ToolCallIdSchema } from "./id.ts";
import { ToolResultMessage } from "./message.ts";

/** Where a call stands: the assistant entry and the index of its block there. This pair is unique; the call's id is not. */
export const ToolUse = Type.Object({ entryId: EntryIdSchema, index: Type.Number(), call: ToolCallContent });
export type ToolUse = Static<typeof ToolUse>;
export const ToolResult = Type.Object({
  entryId: EntryIdSchema,
  message: ToolResultMessage,
  /** The context_edit that replaces this result for the model, if any. */
  edit: Type.Optional(ContextEditEntry),
});
export type ToolResult = Static<typeof ToolResult>;

/** The other half of a broken group, on another branch of this file: for the eye, never for the model. */
const elsewhere = Type.Optional(EntryIdSchema);

/** One tool call and its result, in exactly one of four states. Made at load by `join-groups`, never re-derived. */
export const ToolGroup = Type.Union([
  Type.Object({
    kind: Type.Literal("complete"),
    toolCallId: ToolCallIdSchema,
    use: ToolUse,
    result: ToolResult,
  }),
  Type.Object({
    kind: Type.Literal("missing_results"),
    toolCallId: ToolCallIdSchema,
    use: ToolUse,
    elsewhere,
  }),
  Type.Object({
    kind: Type.Literal("orphaned_result"),
    toolCallId: ToolCallIdSchema,
    result: ToolResult,
    elsewhere,
  }),
  /** A call or result block without a usable id or of a malformed shape: shown, atomic, left out of the wire. */
  Type.Object({
    kind: Type.Literal("unknown"),
    entries: Type.Array(
      Type.Object({ entryId: EntryIdSchema, index: Type.Optional(Type.Number()), block: Type.Unknown() }),
    ),
  }),
]);
export type ToolGroup = Static<typeof ToolGroup>;
export type ToolGroupKind = ToolGroup["kind"];

const item = { id: EntryIdSchema, edit: Type.Optional(ContextEditEntry) };

/**
 * What a path looks like in memory: cut points, branches and steering lie between items, never inside one.
 * `id` is the id of the item's first entry; `edit` the context_edit that replaces or removes it for the model.
 */
export const PathItem = Type.Union([
  Type.Object({ kind: Type.Literal("user"), ...item, entry: MessageEntry }),
  /** An assistant message with the groups it declares, in source order. */
  Type.Object({ kind: Type.Literal("step"), ...item, entry: MessageEntry, groups: Type.Array(ToolGroup) }),
  /** A result whose call is not on this path. */
  Type.Object({ kind: Type.Literal("orphan"), ...item, entry: MessageEntry, group: ToolGroup }),
  Type.Object({ kind: Type.Literal("bash"), ...item, entry: MessageEntry }),
  Type.Object({ kind: Type.Literal("system"), ...item, entry: MessageEntry }),
  /** Text a program put into the context (custom_message, or a message of role custom). */
  Type.Object({ kind: Type.Literal("note"), ...item, entry: Type.Union([CustomMessageEntry, MessageEntry]) }),
  Type.Object({ kind: Type.Literal("compaction"), ...item, entry: CompactionEntry }),
  Type.Object({ kind: Type.Literal("branch_summary"), ...item, entry: BranchSummaryEntry }),
  /** Says something about the session, nothing to the model. */
  Type.Object({
    kind: Type.Literal("mark"),
    ...item,
    entry: Type.Union([
      ModelChangeEntry,
      ThinkingLevelChangeEntry,
      CustomEntry,
      LabelEntry,
      SessionInfoEntry,
      UsageEntry,
      ContextEditEntry,
    ]),
  }),
  /** A type or role this version does not know: shown as JSON, no part of the context. */
  Type.Object({ kind: Type.Literal("unknown"), ...item, entry: UnknownEntry }),
]);
export type PathItem = Static<typeof PathItem>;
export type PathItemKind = PathItem["kind"];
export type PathItemOf<Kind extends PathItemKind> = Extract<PathItem, { kind: Kind }>;
