import { type Static, Type } from "@sinclair/typebox";

/** What a tool may do to the world, for asking before acting. */
export const ToolEffect = Type.Union([Type.Literal("read"), Type.Literal("write"), Type.Literal("exec")]);
export type ToolEffect = Static<typeof ToolEffect>;

/** A tool as the model sees it. `parameters` is the very JSON Schema that validates the arguments. */
export const ToolSpec = Type.Object({
  name: Type.String({ pattern: "^[a-zA-Z0-9_-]{1,64}$" }),
  description: Type.String(),
  parameters: Type.Record(Type.String(), Type.Unknown()),
});
export type ToolSpec = Static<typeof ToolSpec>;
