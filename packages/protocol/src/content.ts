import { type Static, Type } from "@sinclair/typebox";
import { ToolCallIdSchema } from "./id.ts";

/** Content blocks as pi 1.6.0 writes them inside messages. Unknown fields are legal and kept. */
export const TextContent = Type.Object({
  type: Type.Literal("text"),
  text: Type.String(),
  textSignature: Type.Optional(Type.String()),
  /** Only on the way to the page: characters of the whole text, of which `text` is the head. Never in a file. */
  elided: Type.Optional(Type.Number()),
});
export type TextContent = Static<typeof TextContent>;

/** A signed or redacted block may have empty text; it is kept for the model that made it. */
export const ThinkingContent = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  thinkingSignature: Type.Optional(Type.String()),
  redacted: Type.Optional(Type.Boolean()),
});
export type ThinkingContent = Static<typeof ThinkingContent>;

/** `data` is base64 without a data: prefix. On the wire to the page it is empty: the image is fetched on demand. */
export const ImageContent = Type.Object({
  type: Type.Literal("image"),
  data: Type.String(),
  mimeType: Type.String(),
  /** Only on the way to the page: base64 characters left out of `data`. Never in a file. */
  elided: Type.Optional(Type.Number()),
});
export type ImageContent = Static<typeof ImageContent>;

/**
 * `argumentsError` says why the arguments were no JSON object; `arguments` is then `{}` and the call never runs.
 */
export const ToolCallContent = Type.Object({
  type: Type.Literal("toolCall"),
  id: ToolCallIdSchema,
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  thoughtSignature: Type.Optional(Type.String()),
  argumentsError: Type.Optional(Type.String()),
  /** Only on the way to the page: characters of the whole arguments, whose long strings were cut. Never in a file. */
  elided: Type.Optional(Type.Number()),
});
export type ToolCallContent = Static<typeof ToolCallContent>;

export const UserContent = Type.Union([TextContent, ImageContent]);
export type UserContent = Static<typeof UserContent>;
export const AssistantContent = Type.Union([TextContent, ThinkingContent, ToolCallContent]);
export type AssistantContent = Static<typeof AssistantContent>;
export type Content = TextContent | ThinkingContent | ImageContent | ToolCallContent;
