import type { Model } from "@espalier/core";
import type { Connection } from "./adapter.ts";
import { anthropicModel } from "./anthropic/index.ts";
import { gardenerModel } from "./demo/index.ts";
import { chatModel } from "./openai-chat/index.ts";
import { responsesModel } from "./openai-responses/index.ts";

/** How a model is asked over one API, once it is known how to reach it. */
export type MakeModel = (connection: Connection) => Model;
/** By the API's name, as `ModelInfo.api` says it. */
export type Adapters = ReadonlyMap<string, MakeModel>;

/** The APIs that come with Espalier. `demoDelayMs`: pause between the demo's deltas, its own pace when left out. */
export const builtInAdapters = (demoDelayMs?: number): Adapters =>
  new Map<string, MakeModel>([
    ["anthropic-messages", anthropicModel],
    ["openai-responses", responsesModel],
    ["openai-completions", chatModel],
    ["demo", () => gardenerModel(demoDelayMs)],
  ]);
