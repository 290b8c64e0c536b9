import type { ThinkingLevel } from "@espalier/protocol";

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** What a generation of OpenAI's models takes, weakest first (developers.openai.com, models, November 2026). */
const scales: readonly { readonly is: RegExp; readonly efforts: readonly Effort[] }[] = [
  { is: /^o\d/, efforts: ["low", "medium", "high"] },
  { is: /^gpt-5(?![.\d])/, efforts: ["minimal", "low", "medium", "high"] },
  { is: /^gpt-5\.1/, efforts: ["none", "low", "medium", "high"] },
  { is: /^gpt-5\.[2-5]/, efforts: ["none", "low", "medium", "high", "xhigh"] },
  { is: /^gpt-6\.[2-9]|astra/, efforts: ["low", "medium", "high", "xhigh", "max"] },
  { is: /^gpt-(?:5\.[6-9]|[6-9])/, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
];

const order: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/**
 * The effort for a level: the nearest one the model takes that is not weaker, else its strongest. Models of others get low,
 * medium or high, and nothing at all for "off", since no one word for it is understood by all.
 */
export const effortFor = (modelId: string, level: ThinkingLevel): Effort | undefined => {
  const id = modelId.slice(modelId.lastIndexOf("/") + 1);
  const scale = scales.find(({ is }) => is.test(id))?.efforts;
  if (scale === undefined && level === "off") return undefined;
  const known = scale ?? ["low", "medium", "high"];
  const wanted = order.indexOf(level === "off" ? "none" : level);
  return known.find((effort) => order.indexOf(effort) >= wanted) ?? known.at(-1);
};
