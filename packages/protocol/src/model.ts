import { type Static, Type } from "@sinclair/typebox";

export const ModelApi = Type.Union([
  Type.Literal("anthropic-messages"),
  Type.Literal("openai-responses"),
  Type.Literal("openai-completions"),
  /** The built-in script `demo/gardener`; not a language model. */
  Type.Literal("demo"),
]);
export type ModelApi = Static<typeof ModelApi>;

/** US dollars per million tokens. */
export const ModelCost = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
});

/** A model as the catalogue lists it. Windows and limits in tokens. Holds no key. */
export const ModelInfo = Type.Object({
  provider: Type.String(),
  id: Type.String(),
  name: Type.String(),
  api: ModelApi,
  contextWindow: Type.Number(),
  maxTokens: Type.Number(),
  reasoning: Type.Boolean(),
  input: Type.Array(Type.Union([Type.Literal("text"), Type.Literal("image")])),
  cost: ModelCost,
  /** Whether a request can be made now (a key is known or none is needed). */
  ready: Type.Boolean(),
  /** Shown wherever the model is: why it is special, e.g. "a script, not a language model". */
  note: Type.Optional(Type.String()),
});
export type ModelInfo = Static<typeof ModelInfo>;

export const ModelRef = Type.Object({ provider: Type.String(), modelId: Type.String() });
export type ModelRef = Static<typeof ModelRef>;

const CustomModel = Type.Object({
  id: Type.String({ minLength: 1 }),
  name: Type.Optional(Type.String()),
  contextWindow: Type.Optional(Type.Number()),
  maxTokens: Type.Optional(Type.Number()),
  reasoning: Type.Optional(Type.Boolean()),
  input: Type.Optional(Type.Array(Type.Union([Type.Literal("text"), Type.Literal("image")]))),
  cost: Type.Optional(ModelCost),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
});
/** `<data-dir>/models.json`, pi's shape. `apiKey` and header values may be `$NAME`. */
export const ModelsFile = Type.Object({
  providers: Type.Record(
    Type.String({ minLength: 1 }),
    Type.Object({
      name: Type.Optional(Type.String()),
      baseUrl: Type.Optional(Type.String()),
      apiKey: Type.Optional(Type.String()),
      api: Type.Optional(
        Type.Union([
          Type.Literal("anthropic-messages"),
          Type.Literal("openai-responses"),
          Type.Literal("openai-completions"),
        ]),
      ),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      models: Type.Optional(Type.Array(CustomModel)),
    }),
  ),
});
export type ModelsFile = Static<typeof ModelsFile>;
