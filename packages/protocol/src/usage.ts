import { type Static, Type } from "@sinclair/typebox";

/** Price in US dollars of one response. */
export const UsageCost = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  total: Type.Number(),
  totalFromProvider: Type.Optional(Type.Boolean()),
});

/** Tokens of one response as pi writes them. `input` excludes cached tokens; `reasoning` is a part of `output`. */
export const Usage = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  cacheWrite1h: Type.Optional(Type.Number()),
  reasoning: Type.Optional(Type.Number()),
  totalTokens: Type.Number(),
  cost: UsageCost,
});
export type Usage = Static<typeof Usage>;
