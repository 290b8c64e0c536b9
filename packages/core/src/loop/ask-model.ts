import type { AssistantMessage, RunId } from "@espalier/protocol";
import type { ModelEvent, ModelOutcome, Sink, StepPlan } from "./ports.ts";

const noUsage = (): ModelOutcome["usage"] => ({
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});

const brokenPort = (message: string): ModelOutcome => ({
  content: [],
  stopReason: "error",
  usage: noUsage(),
  problem: { code: "provider_stream", message },
});

const forward = (sink: Sink, run: RunId, event: Exclude<ModelEvent, { type: "end" }>): void => {
  const { index, text } = event;
  switch (event.type) {
    case "text_delta":
      return sink.emit({ type: "delta", run, index, kind: "text", text });
    case "thinking_delta":
      return sink.emit({ type: "delta", run, index, kind: "thinking", text });
    case "tool_call_delta": {
      const name = event.name === undefined ? {} : { name: event.name };
      return sink.emit({ type: "delta", run, index, kind: "toolCall", text, ...name });
    }
  }
};

/**
 * Asks once and streams to the screen. A model that breaks its promise (throws, or ends without an end) is an error outcome
 * like any other: the turn must always get an ending.
 */
export const askModel = async (
  plan: StepPlan,
  run: RunId,
  sink: Sink,
  signal: AbortSignal,
): Promise<ModelOutcome> => {
  try {
    for await (const event of plan.model(plan.request, signal)) {
      if (event.type === "end") return event.outcome;
      forward(sink, run, event);
    }
    return brokenPort("The model's stream ended without an ending.");
  } catch (error) {
    return brokenPort(`The model's stream failed: ${error instanceof Error ? error.message : String(error)}`);
  }
};

/** The outcome as the message pi would write. `startedAt` in epoch ms. */
export const assistantMessage = (
  plan: StepPlan,
  outcome: ModelOutcome,
  startedAt: number,
  now: number,
): AssistantMessage => {
  const { model, thinkingLevel } = plan.request;
  return {
    role: "assistant",
    content: [...outcome.content],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: outcome.usage,
    stopReason: outcome.stopReason,
    timestamp: startedAt,
    ...(outcome.problem === undefined ? {} : { errorMessage: outcome.problem.message }),
    ...(outcome.responseId === undefined ? {} : { responseId: outcome.responseId }),
    ...(outcome.responseModel === undefined ? {} : { responseModel: outcome.responseModel }),
    ...(outcome.rawStopReason === undefined ? {} : { rawStopReason: outcome.rawStopReason }),
    durationMs: Math.max(0, now - startedAt),
    thinkingLevel,
  };
};
