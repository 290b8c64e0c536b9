import type { ModelInfo } from "@espalier/protocol";
import { knownProvider } from "./known-providers.ts";

/** A model without what depends on this machine. */
export type CatalogueModel = Omit<ModelInfo, "ready">;

/** Defaults of a model that says nothing about itself; pi's. */
export const DEFAULT_WINDOW = 128_000;
export const DEFAULT_MAX_TOKENS = 16_384;
export const FREE: ModelInfo["cost"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const claude = (id: string, name: string, cost: [number, number, number, number]): CatalogueModel =>
  entry("anthropic", id, name, 1_000_000, cost);
const gpt = (id: string, name: string, cost: [number, number, number, number]): CatalogueModel =>
  entry("openai", id, name, 1_050_000, cost);

const entry = (
  provider: string,
  id: string,
  name: string,
  contextWindow: number,
  [input, output, cacheRead, cacheWrite]: [number, number, number, number],
): CatalogueModel => ({
  provider,
  id,
  name,
  api: knownProvider(provider)?.api ?? "openai-completions",
  contextWindow,
  maxTokens: 128_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input, output, cacheRead, cacheWrite },
});

/** What sessions of the last year name most: 200,000 tokens and 64,000 of answer, prices as published at their release. */
const olderClaude = (
  [
    ["claude-opus-4-5", "Claude Opus 4.5", [5, 25, 0.5, 6.25]],
    ["claude-sonnet-4-5", "Claude Sonnet 4.5", [3, 15, 0.3, 3.75]],
    ["claude-haiku-4-5", "Claude Haiku 4.5", [1, 5, 0.1, 1.25]],
  ] as const
).map(([id, name, cost]) => ({ ...entry("anthropic", id, name, 200_000, [...cost]), maxTokens: 64_000 }));

/**
 * A handful of well-known models, the everyday one of each provider first. Windows and prices as published in November 2026
 * (platform.claude.com/docs models and pricing; developers.openai.com/api/docs models and pricing; openrouter.ai). Prices
 * are those of short prompts: up to 100,000 tokens for Haiku, 272,000 for OpenAI. `models.json` overrides any of them.
 */
export const catalogue: readonly CatalogueModel[] = [
  claude("claude-sonnet-5-5", "Claude Sonnet 5.5", [2, 10, 0.1, 2.5]),
  claude("claude-opus-5-5", "Claude Opus 5.5", [4, 20, 0.2, 5]),
  claude("claude-haiku-5-5", "Claude Haiku 5.5", [0.1, 0.5, 0.01, 0.125]),
  ...olderClaude,
  gpt("gpt-6.2-sol", "GPT-6.2 Sol", [2, 10, 0.1, 2.5]),
  gpt("gpt-6.2-astra", "GPT-6.2 Astra", [8, 40, 0.4, 10]),
  gpt("gpt-6.1-terra", "GPT-6.1 Terra", [1, 5, 0.05, 1.25]),
  gpt("gpt-6-luna", "GPT-6 Luna", [0.1, 0.5, 0.01, 0.125]),
  entry(
    "openrouter",
    "anthropic/claude-sonnet-5.5",
    "Claude Sonnet 5.5 (OpenRouter)",
    1_000_000,
    [2, 10, 0.1, 2.5],
  ),
  entry(
    "openrouter",
    "anthropic/claude-opus-5.5",
    "Claude Opus 5.5 (OpenRouter)",
    1_000_000,
    [4, 20, 0.2, 5],
  ),
];

const REASONS = /claude-(?:3-7|[a-z]+-[4-9])|^(?:openai\/)?(?:gpt-[5-9]|o\d)|thinking|reason/i;

/** A model of a known provider that the catalogue does not list: it may be asked, but nothing is known of it. */
export const unlisted = (provider: string, id: string): CatalogueModel => ({
  provider,
  id,
  name: id,
  api: knownProvider(provider)?.api ?? "openai-completions",
  contextWindow: DEFAULT_WINDOW,
  maxTokens: DEFAULT_MAX_TOKENS,
  reasoning: REASONS.test(id),
  input: ["text"],
  cost: FREE,
  note: "not in the catalogue: its window and price are not known",
});
