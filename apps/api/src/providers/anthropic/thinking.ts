import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import type { ThinkingLevel } from "@espalier/protocol";

type Effort = NonNullable<NonNullable<MessageCreateParamsStreaming["output_config"]>["effort"]>;
export type ThinkingParams = Pick<MessageCreateParamsStreaming, "thinking" | "output_config">;

/** Tokens a budgeted model may think with, by level; pi's numbers. Higher levels think as "high". */
const budgets: Readonly<Record<Exclude<ThinkingLevel, "off">, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 16_384,
  max: 16_384,
};
const SMALLEST_BUDGET = 1024;
const ROOM_FOR_ANSWER = 1024;

const efforts: Readonly<Record<Exclude<ThinkingLevel, "off">, Effort>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

interface Generation {
  readonly family: string;
  /** 4.6 for claude-opus-4-6. */
  readonly version: number;
}

const generationOf = (modelId: string): Generation | null => {
  const found = /claude-(fable|mythos|opus|sonnet|haiku)-(\d)(?:-(\d)(?!\d))?/.exec(
    modelId.replaceAll(".", "-"),
  );
  if (!found) return null;
  return { family: found[1] ?? "", version: Number(found[2]) + Number(found[3] ?? 0) / 10 };
};

/** Models from 4.6 on decide themselves how long to think; budgets are refused from 4.7 on. */
const isAdaptive = (generation: Generation | null): generation is Generation =>
  generation !== null && generation.version >= 4.6;

/**
 * How to ask for no thinking: Fable, Mythos and Opus from 5.5 on always think, Sonnet from 5.5 on has "between_tools"
 * (platform.claude.com, what's new in the 5.5 models, November 2026).
 */
const offFor = ({ family, version }: Generation): ThinkingParams => {
  if (family === "fable" || family === "mythos" || (family === "opus" && version >= 5.5)) {
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "low" } };
  }
  if (family === "sonnet" && version >= 5.5) return { thinking: { type: "between_tools" } };
  return { thinking: { type: "disabled" } };
};

/**
 * Thinking parameters for a level. `maxTokens` is the output limit the budget must fit in. Models that do not reason get
 * none. "summarized" asks for text to show; newer models send none by default.
 */
export const thinkingFor = (
  modelId: string,
  reasons: boolean,
  level: ThinkingLevel,
  maxTokens: number,
): ThinkingParams => {
  if (!reasons) return {};
  const generation = generationOf(modelId);
  if (isAdaptive(generation)) {
    if (level === "off") return offFor(generation);
    const wanted = efforts[level];
    const effort = generation.version < 4.7 && wanted === "xhigh" ? "high" : wanted;
    return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort } };
  }
  if (level === "off") return {};
  const budget = Math.min(budgets[level], maxTokens - ROOM_FOR_ANSWER);
  return budget < SMALLEST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
};
