import { type Static, Type } from "@sinclair/typebox";
import { AssistantContent, TextContent, UserContent } from "./content.ts";
import { ToolCallIdSchema } from "./id.ts";
import { ToolSpec } from "./tool-spec.ts";
import { Usage } from "./usage.ts";

/** Why an assistant message ended. `deferred` occurs in pi files only as a value to show. */
export const StopReason = Type.Union([
  Type.Literal("stop"),
  Type.Literal("length"),
  Type.Literal("toolUse"),
  Type.Literal("error"),
  Type.Literal("aborted"),
  Type.Literal("deferred"),
]);
export type StopReason = Static<typeof StopReason>;

/** Thinking effort, low to high, as pi names it. */
export const ThinkingLevel = Type.Union([
  Type.Literal("off"),
  Type.Literal("minimal"),
  Type.Literal("low"),
  Type.Literal("medium"),
  Type.Literal("high"),
  Type.Literal("xhigh"),
  Type.Literal("max"),
]);
export type ThinkingLevel = Static<typeof ThinkingLevel>;

/** A patch of the system prompt: content is appended, `sections` patched by name (null removes), tools removed then added. */
export const SystemMessage = Type.Object({
  role: Type.Literal("system"),
  content: Type.Union([Type.String(), Type.Array(TextContent)]),
  sections: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  toolsAdded: Type.Optional(Type.Array(ToolSpec)),
  toolsRemoved: Type.Optional(Type.Array(Type.Object({ name: Type.String() }))),
  timestamp: Type.Number(),
});
export type SystemMessage = Static<typeof SystemMessage>;

/** `timestamp` of every message is epoch milliseconds (the entry's own timestamp is ISO). */
export const UserMessage = Type.Object({
  role: Type.Literal("user"),
  content: Type.Union([Type.String(), Type.Array(UserContent)]),
  timestamp: Type.Number(),
});
export type UserMessage = Static<typeof UserMessage>;

export const AssistantMessage = Type.Object({
  role: Type.Literal("assistant"),
  content: Type.Array(AssistantContent),
  api: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  responseModel: Type.Optional(Type.String()),
  responseId: Type.Optional(Type.String()),
  usage: Usage,
  stopReason: StopReason,
  errorMessage: Type.Optional(Type.String()),
  rawStopReason: Type.Optional(Type.String()),
  timestamp: Type.Number(),
  durationMs: Type.Optional(Type.Number()),
  thinkingLevel: Type.Optional(ThinkingLevel),
});
export type AssistantMessage = Static<typeof AssistantMessage>;

export const ToolResultMessage = Type.Object({
  role: Type.Literal("toolResult"),
  toolCallId: ToolCallIdSchema,
  toolName: Type.String(),
  content: Type.Array(UserContent),
  details: Type.Optional(Type.Unknown()),
  isError: Type.Boolean(),
  timestamp: Type.Number(),
  durationMs: Type.Optional(Type.Number()),
});
export type ToolResultMessage = Static<typeof ToolResultMessage>;

/** A command the user ran with `!` (in context) or `!!` (excluded). */
export const BashExecutionMessage = Type.Object({
  role: Type.Literal("bashExecution"),
  command: Type.String(),
  output: Type.String(),
  exitCode: Type.Optional(Type.Number()),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  fullOutputPath: Type.Optional(Type.String()),
  excludeFromContext: Type.Optional(Type.Boolean()),
  timestamp: Type.Number(),
});
export type BashExecutionMessage = Static<typeof BashExecutionMessage>;

/** Role of older files (`hookMessage` in version 2); current pi writes a `custom_message` entry instead. */
export const CustomRoleMessage = Type.Object({
  role: Type.Literal("custom"),
  customType: Type.String(),
  content: Type.Union([Type.String(), Type.Array(UserContent)]),
  display: Type.Optional(Type.Boolean()),
  details: Type.Optional(Type.Unknown()),
  timestamp: Type.Number(),
});
export type CustomRoleMessage = Static<typeof CustomRoleMessage>;

/** Every message that can stand in a `message` entry. A role outside this union is kept and shown generically. */
export const AgentMessage = Type.Union([
  SystemMessage,
  UserMessage,
  AssistantMessage,
  ToolResultMessage,
  BashExecutionMessage,
  CustomRoleMessage,
]);
export type AgentMessage = Static<typeof AgentMessage>;
