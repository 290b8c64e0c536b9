import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { UserContent } from "./content.ts";
import { EntryIdSchema } from "./id.ts";
import { AgentMessage, SystemMessage } from "./message.ts";
import { Usage } from "./usage.ts";

/** First line of a session file. `version` absent means 1. Unknown fields are kept. */
export const SessionHeader = Type.Object({
  type: Type.Literal("session"),
  version: Type.Optional(Type.Number()),
  id: Type.String(),
  timestamp: Type.String(),
  cwd: Type.String(),
  parentSession: Type.Optional(Type.String()),
});
export type SessionHeader = Static<typeof SessionHeader>;

const entry = <Tag extends string, Fields extends Record<string, TSchema>>(type: Tag, fields: Fields) =>
  Type.Object({
    type: Type.Literal(type),
    id: EntryIdSchema,
    parentId: Type.Union([EntryIdSchema, Type.Null()]),
    timestamp: Type.String(),
    ...fields,
  });

export const MessageEntry = entry("message", { message: AgentMessage });
export const ModelChangeEntry = entry("model_change", { provider: Type.String(), modelId: Type.String() });
export const ThinkingLevelChangeEntry = entry("thinking_level_change", { thinkingLevel: Type.String() });
/** `firstKeptEntryId` equal to the entry's own id keeps nothing. `details` of ours: `{readFiles, modifiedFiles}`. */
export const CompactionEntry = entry("compaction", {
  summary: Type.String(),
  firstKeptEntryId: Type.String(),
  tokensBefore: Type.Number(),
  details: Type.Optional(Type.Unknown()),
  usage: Type.Optional(Usage),
  fromHook: Type.Optional(Type.Boolean()),
  systemMessage: Type.Optional(SystemMessage),
});
/** `fromId` is the leaf that was left ("root" if there was none). */
export const BranchSummaryEntry = entry("branch_summary", {
  fromId: Type.String(),
  summary: Type.String(),
  details: Type.Optional(Type.Unknown()),
  usage: Type.Optional(Usage),
  fromHook: Type.Optional(Type.Boolean()),
});
/** State of a program; ours are named `espalier.*` and carry `data.v`. Never in a model's context. */
export const CustomEntry = entry("custom", {
  customType: Type.String(),
  data: Type.Optional(Type.Unknown()),
});
export const CustomMessageEntry = entry("custom_message", {
  customType: Type.String(),
  content: Type.Union([Type.String(), Type.Array(UserContent)]),
  display: Type.Boolean(),
  details: Type.Optional(Type.Unknown()),
});
/** Absent or empty `label` clears. The last one in file order holds, on any branch. */
export const LabelEntry = entry("label", { targetId: EntryIdSchema, label: Type.Optional(Type.String()) });
export const SessionInfoEntry = entry("session_info", { name: Type.Optional(Type.String()) });
export const UsageEntry = entry("usage", {
  kind: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  usage: Usage,
  note: Type.Optional(Type.String()),
});
/** Replaces (or with null removes) another entry's contribution to the context; the file keeps the original. */
export const ContextEditEntry = entry("context_edit", {
  targetId: EntryIdSchema,
  replacement: Type.Union([
    Type.Null(),
    Type.Object({ content: Type.Union([Type.String(), Type.Array(Type.Unknown())]) }),
  ]),
});

export const Entry = Type.Union([
  MessageEntry,
  ModelChangeEntry,
  ThinkingLevelChangeEntry,
  CompactionEntry,
  BranchSummaryEntry,
  CustomEntry,
  CustomMessageEntry,
  LabelEntry,
  SessionInfoEntry,
  UsageEntry,
  ContextEditEntry,
]);
/** Every entry type pi 1.6.0 writes. */
export type Entry = Static<typeof Entry>;
export type EntryType = Entry["type"];
export type EntryOf<Tag extends EntryType> = Extract<Entry, { type: Tag }>;

/** A line whose type we do not know: kept byte for byte, part of the tree, never in the context. */
export const UnknownEntry = Type.Object({
  type: Type.String(),
  id: EntryIdSchema,
  parentId: Type.Union([EntryIdSchema, Type.Null()]),
  timestamp: Type.Optional(Type.String()),
});
export type UnknownEntry = Static<typeof UnknownEntry>;

type DistributiveOmit<T, Key extends PropertyKey> = T extends unknown ? Omit<T, Key> : never;
/** An entry before `commit` gives it id, parent and time. */
export type EntryDraft = DistributiveOmit<Entry, "id" | "parentId" | "timestamp">;

/** Damage found while reading a session file; nothing is written for it. `line` is 1-based. */
export const Damage = Type.Object({
  line: Type.Number(),
  kind: Type.Union([
    Type.Literal("malformed"),
    Type.Literal("torn"),
    Type.Literal("duplicate_id"),
    Type.Literal("unknown_parent"),
    Type.Literal("cycle"),
    Type.Literal("foreign_header"),
  ]),
  detail: Type.String(),
});
export type Damage = Static<typeof Damage>;

/** How a branch or a run ended, in the person's judgement. */
export const Outcome = Type.Union([
  Type.Literal("worked"),
  Type.Literal("failed"),
  Type.Literal("abandoned"),
]);
export type Outcome = Static<typeof Outcome>;

/**
 * One entry as the tree needs it, without its body. `time` is epoch ms (0 if unreadable), `tokens` pi's estimate
 * (characters / 4), `line` the first words of what a person would read (<= 120 characters).
 */
export const Row = Type.Object({
  id: EntryIdSchema,
  parentId: Type.Union([EntryIdSchema, Type.Null()]),
  type: Type.String(),
  role: Type.Optional(Type.String()),
  time: Type.Number(),
  tokens: Type.Number(),
  line: Type.Optional(Type.String()),
  flags: Type.Optional(
    Type.Array(
      Type.Union([
        Type.Literal("error"),
        Type.Literal("aborted"),
        /** An assistant message that declares tool calls. */
        Type.Literal("calls"),
        /** Hangs at its parent as a note: no leaf, no branch point, never drawn (position, label, name ...). */
        Type.Literal("aside"),
        /** Re-attached for viewing: its own parent is not in the file. */
        Type.Literal("reattached"),
      ]),
    ),
  ),
  /** What the entry points at: label and context_edit target, branch_summary.fromId, compaction.firstKeptEntryId. */
  target: Type.Optional(Type.String()),
  /** Label text, model id, session name or customType. */
  name: Type.Optional(Type.String()),
  /** Of a compaction: tokens of the window before it. */
  before: Type.Optional(Type.Number()),
  /** Of an answer: US dollars, where its provider or catalogue says. */
  cost: Type.Optional(Type.Number()),
  /** Of an answer: paths its edit and write calls name, as they name them. */
  files: Type.Optional(Type.Array(Type.String())),
  /** Of an `espalier.outcome` entry: how what it points at ended; absent when a mark was taken back. `line` is its note. */
  outcome: Type.Optional(Outcome),
});
export type Row = Static<typeof Row>;
export type RowFlag = NonNullable<Row["flags"]>[number];
