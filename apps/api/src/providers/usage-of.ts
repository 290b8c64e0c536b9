import type { ModelInfo, Usage } from "@espalier/protocol";
import { isObject, numberAt, objectAt } from "./json-access.ts";
import type { StreamReading } from "./stream-reading.ts";

/** A usage of nothing: no response, or one that did not say. */
export const noUsage = (): Usage => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

type Counts = Pick<Usage, "input" | "output" | "cacheRead" | "cacheWrite" | "cacheWrite1h" | "reasoning">;

const anthropicCounts = ({ usage, usageRaw }: StreamReading): Counts => {
  const hour = numberAt(objectAt(usageRaw, "cache_creation"), "ephemeral_1h_input_tokens") ?? 0;
  const thinking = numberAt(objectAt(usageRaw, "output_tokens_details"), "thinking_tokens");
  return {
    input: usage?.input ?? 0,
    output: usage?.output ?? 0,
    cacheRead: usage?.cacheRead ?? 0,
    cacheWrite: usage?.cacheWrite ?? 0,
    ...(hour > 0 ? { cacheWrite1h: hour } : {}),
    ...(thinking === null ? {} : { reasoning: thinking }),
  };
};

/**
 * OpenAI's prompt count holds the cached tokens, ours does not. xAI counts reasoning beside the output and not as part of
 * it, which shows in the total.
 */
const openAiCounts = ({ usage, usageRaw }: StreamReading): Counts => {
  const prompt = usage?.input ?? 0;
  const details = objectAt(usageRaw, "prompt_tokens_details");
  const cached =
    usage?.cacheRead ??
    numberAt(usageRaw, "prompt_cache_hit_tokens") ??
    numberAt(usageRaw, "cached_tokens") ??
    0;
  const cacheRead = Math.min(cached, prompt);
  const cacheWrite = Math.min(numberAt(details, "cache_write_tokens") ?? 0, prompt - cacheRead);
  const reasoning = usage?.reasoning ?? 0;
  const said = usage?.output ?? 0;
  const beside = reasoning > 0 && usage?.total === prompt + said + reasoning;
  return {
    input: prompt - cacheRead - cacheWrite,
    output: beside ? said + reasoning : said,
    cacheRead,
    cacheWrite,
    ...(reasoning > 0 ? { reasoning } : {}),
  };
};

/** What a gateway says it charged, in dollars. With a key of one's own it charges only its fee, so that is no price. */
const chargedTotal = ({ usageRaw }: StreamReading): number | null =>
  isObject(usageRaw) && usageRaw.is_byok !== true ? numberAt(usageRaw, "cost") : null;

/** Tokens and price in pi's shape. Rates are dollars per million tokens; one-hour cache writes cost twice the input rate. */
export const usageOf = (reading: StreamReading, cost: ModelInfo["cost"]): Usage => {
  if (reading.usage === null) return noUsage();
  const counts = reading.api === "anthropic-messages" ? anthropicCounts(reading) : openAiCounts(reading);
  const { input, output, cacheRead, cacheWrite, cacheWrite1h = 0 } = counts;
  const price = {
    input: (input * cost.input) / 1e6,
    output: (output * cost.output) / 1e6,
    cacheRead: (cacheRead * cost.cacheRead) / 1e6,
    cacheWrite: ((cacheWrite - cacheWrite1h) * cost.cacheWrite + cacheWrite1h * cost.input * 2) / 1e6,
  };
  const charged = chargedTotal(reading);
  const total = price.input + price.output + price.cacheRead + price.cacheWrite;
  return {
    ...counts,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: charged === null ? { ...price, total } : { ...price, total: charged, totalFromProvider: true },
  };
};
