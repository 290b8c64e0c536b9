import type { ModelOutcome } from "@espalier/core";
import { type AssistantContent, type ModelInfo, type Problem, toolCallId } from "@espalier/protocol";
import { isObject } from "./json-access.ts";
import { type ProviderProblem, streamProblem } from "./provider-problem.ts";
import type { ReadBlock, ReadToolCall, StreamReading } from "./stream-reading.ts";
import { usageOf } from "./usage-of.ts";

/** How the transfer ended, apart from what was in it. */
export interface Ending {
  readonly aborted: boolean;
  /** The transfer itself failed. */
  readonly failure?: ProviderProblem;
  /** Lines of the stream that were no part of it, e.g. a gateway's error. */
  readonly strayLines?: readonly string[];
}

type Stop =
  | "stop"
  | "length"
  | "toolUse"
  /** The model or a filter declined. */
  | "declined"
  | "overflow"
  | "failed"
  | "unknown";

/** Stop words of all three APIs and of compatible servers. */
const stops: ReadonlyMap<string, Stop> = new Map<string, Stop>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["pause_turn", "stop"],
  ["stop", "stop"],
  ["end", "stop"],
  ["eos", "stop"],
  ["complete", "stop"],
  ["completed", "stop"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["length", "length"],
  ["incomplete", "length"],
  ["tool_use", "toolUse"],
  ["tool_calls", "toolUse"],
  ["function_call", "toolUse"],
  ["refusal", "declined"],
  ["content_filter", "declined"],
  ["safety", "declined"],
  ["sensitive", "declined"],
  ["model_context_window_exceeded", "overflow"],
  ["error", "failed"],
  ["failed", "failed"],
  ["cancelled", "failed"],
]);

const stopOf = ({ stopReason, stopDetail }: StreamReading): Stop => {
  if (stopReason === "incomplete" && stopDetail !== null) return stops.get(stopDetail) ?? "length";
  return stopReason === null ? "stop" : (stops.get(stopReason.toLowerCase()) ?? "unknown");
};

/** Replaces lone surrogates, which no provider accepts back. Only strings that hold one are made anew. */
const wellFormed = (value: unknown): unknown => {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]),
  );
};

const argumentsError = (call: ReadToolCall): string =>
  call.arguments === null
    ? `no JSON object: ${call.argumentsRaw.length} characters, ending in ${JSON.stringify(call.argumentsRaw.slice(-40).toWellFormed())}`
    : "the answer broke off before the call was finished";

const toCall = (call: ReadToolCall): AssistantContent => {
  const args = call.complete ? wellFormed(call.arguments) : {};
  return {
    type: "toolCall",
    id: toolCallId(call.id),
    name: call.name,
    arguments: isObject(args) ? { ...args } : {},
    ...(call.signature === undefined ? {} : { thoughtSignature: call.signature }),
    ...(call.complete ? {} : { argumentsError: argumentsError(call) }),
  };
};

const toContent = (block: ReadBlock): AssistantContent => {
  switch (block.type) {
    case "toolCall":
      return toCall(block.call);
    case "text":
      return {
        type: "text",
        text: block.text.toWellFormed(),
        ...(block.signature === undefined ? {} : { textSignature: block.signature }),
      };
    case "refusal":
      return { type: "text", text: block.text.toWellFormed() };
    case "thinking":
      return {
        type: "thinking",
        thinking: block.text.toWellFormed(),
        ...(block.signature === undefined ? {} : { thinkingSignature: block.signature }),
        ...(block.redacted ? { redacted: true } : {}),
      };
  }
};

const cutProblem = (provider: string, reading: StreamReading, ending: Ending): ProviderProblem => {
  const stray = ending.strayLines?.join(" ").slice(0, 400).toWellFormed();
  const message =
    reading.blocks.length === 0
      ? `${provider} closed the connection without an answer.`
      : `${provider} broke off before the answer was finished; what had arrived is kept.`;
  return {
    problem: {
      code: "provider_stream",
      message: `${message}${stray ? ` It said: ${stray}.` : ""} Try again.`,
      detail: { provider },
    },
  };
};

const declined = (provider: string, { stopReason, stopDetail }: StreamReading): Problem => ({
  code: "provider_rejected",
  message: `The model at ${provider} declined to answer (${stopReason}${stopDetail ? `: ${stopDetail}` : ""}). Ask differently, or choose another model.`,
});

/** The problem of a response, or null when it ended well. */
const problemIn = (provider: string, reading: StreamReading, ending: Ending): ProviderProblem | null => {
  if (reading.error !== null) return streamProblem(provider, reading.error);
  const halfCall = reading.toolCalls.some((call) => !call.complete);
  const nothing = reading.blocks.length === 0;
  if (!reading.ended || (reading.stopReason === null && (halfCall || nothing))) {
    return ending.failure ?? cutProblem(provider, reading, ending);
  }
  switch (stopOf(reading)) {
    case "declined":
      return { problem: declined(provider, reading) };
    case "overflow":
      return streamProblem(provider, { type: reading.stopReason, message: "the model's window is full" });
    case "failed":
      return streamProblem(provider, { message: `the answer ended with "${reading.stopReason}"` });
    case "stop":
    case "length":
    case "toolUse":
    case "unknown":
      return null;
  }
};

const noteOf = (reading: StreamReading, stop: Stop): string | undefined => {
  if (reading.stopReason === null) return "The answer ended without a stop reason.";
  if (stop === "unknown") return `The answer ended with a word we do not know: ${reading.stopReason}.`;
  return reading.refusal === "" ? undefined : "The model declined to answer.";
};

/** Calls decide, not the word: some servers say "stop" and send calls, some say "tool_calls" and send none. */
const stopReasonOf = (stop: Stop, reading: StreamReading): "stop" | "length" | "toolUse" => {
  if (stop === "length") return "length";
  return reading.toolCalls.length > 0 ? "toolUse" : "stop";
};

/**
 * What the loop gets. A call whose arguments are unfinished or no JSON object is kept with `{}` and `argumentsError`,
 * whatever the stop word says, so that it is answered and never run.
 */
export const outcomeOf = (
  reading: StreamReading,
  model: ModelInfo,
  provider: string,
  ending: Ending,
): ModelOutcome => {
  const base = {
    content: reading.blocks.map(toContent),
    usage: usageOf(reading, model.cost),
    ...(reading.id === null ? {} : { responseId: reading.id }),
    ...(reading.model === null || reading.model === model.id ? {} : { responseModel: reading.model }),
    ...(reading.stopReason === null ? {} : { rawStopReason: reading.stopReason }),
  };
  if (ending.aborted) return { ...base, stopReason: "aborted" };
  const failed = problemIn(provider, reading, ending);
  if (failed) return { ...base, stopReason: "error", ...failed };
  const stop = stopOf(reading);
  const note = noteOf(reading, stop);
  return { ...base, stopReason: stopReasonOf(stop, reading), ...(note === undefined ? {} : { note }) };
};
