import type { ModelInfo, ThinkingLevel } from "@espalier/protocol";
import { type Effort, effortFor } from "../openai-effort.ts";

/** Fields beyond OpenAI's own that servers use to switch thinking on and off. */
export interface ThinkingFields {
  readonly reasoning_effort?: Effort;
  /** OpenRouter. */
  readonly reasoning?: { readonly effort?: string; readonly enabled?: boolean };
  /** DeepSeek, Z.ai, Moonshot. */
  readonly thinking?: { readonly type: "enabled" | "disabled" };
  /** Alibaba. */
  readonly enable_thinking?: boolean;
}

/** How a server differs from OpenAI's own, told by its address. */
export interface Quirks {
  readonly maxTokens: "max_tokens" | "max_completion_tokens";
  /** Whether it takes `stream_options`; a server that refuses it sends usage unasked. */
  readonly streamOptions: boolean;
  /** Whether it takes OpenAI's `store` and `prompt_cache_key`. */
  readonly openAiFields: boolean;
  /** Mistral takes only ids of nine letters and digits. */
  readonly idLength: 9 | 40;
  readonly thinking: (model: ModelInfo, level: ThinkingLevel) => ThinkingFields;
}

const byEffort: Quirks["thinking"] = (model, level) => {
  const effort = effortFor(model.id, level);
  return effort === undefined ? {} : { reasoning_effort: effort };
};
const bySwitch: Quirks["thinking"] = (_model, level) => ({
  thinking: { type: level === "off" ? "disabled" : "enabled" },
});

const usual: Quirks = {
  maxTokens: "max_tokens",
  streamOptions: true,
  openAiFields: false,
  idLength: 40,
  thinking: byEffort,
};

const openAi: Partial<Quirks> = { maxTokens: "max_completion_tokens", openAiFields: true };

const byHost: readonly { readonly host: RegExp; readonly quirks: Partial<Quirks> }[] = [
  { host: /(^|\.)api\.openai\.com$/, quirks: openAi },
  { host: /\.azure\.com$/, quirks: { maxTokens: "max_completion_tokens" } },
  { host: /(^|\.)mistral\.ai$/, quirks: { streamOptions: false, idLength: 9, thinking: () => ({}) } },
  {
    host: /(^|\.)openrouter\.ai$/,
    quirks: {
      thinking: (model, level) => ({
        reasoning: level === "off" ? { enabled: false } : { effort: effortFor(model.id, level) ?? "medium" },
      }),
    },
  },
  {
    host: /(^|\.)deepseek\.com$|(^|\.)z\.ai$|(^|\.)bigmodel\.cn$|(^|\.)moonshot\.(ai|cn)$/,
    quirks: { thinking: bySwitch },
  },
  {
    host: /(^|\.)dashscope[a-z-]*\.aliyuncs\.com$/,
    quirks: { thinking: (_model, level) => ({ enable_thinking: level !== "off" }) },
  },
  // Groq lets only its gpt-oss models be told how much to think.
  {
    host: /(^|\.)groq\.com$/,
    quirks: { thinking: (model, level) => (/gpt-oss/.test(model.id) ? byEffort(model, level) : {}) },
  },
];

const hostOf = (url: string): string => {
  try {
    return new URL(url).hostname;
  } catch {
    return "";
  }
};

export const quirksOf = (baseUrl: string): Quirks => {
  const host = hostOf(baseUrl);
  return { ...usual, ...byHost.find((entry) => entry.host.test(host))?.quirks };
};
