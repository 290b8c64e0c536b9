import type { AssistantContent, Problem } from "@espalier/protocol";
import { toolCallId } from "@espalier/protocol";
import type { Model, ModelEvent, ModelOutcome, ModelRequest } from "../loop/ports.ts";

/** One scripted answer. Content comes in the order thinking, text, calls. */
export interface FakeAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly {
    id: string;
    name: string;
    arguments: Record<string, unknown>;
    argumentsError?: string;
  }[];
  readonly stopReason?: ModelOutcome["stopReason"];
  readonly problem?: Problem;
  readonly retryAfterMs?: number;
  readonly usage?: Partial<ModelOutcome["usage"]>;
  /** Awaited after the deltas, before the end; an abort meanwhile ends the answer as aborted. */
  readonly until?: Promise<void>;
}
export type FakeStep = FakeAnswer | ((request: ModelRequest) => FakeAnswer);

const contentOf = (answer: FakeAnswer): AssistantContent[] => [
  ...(answer.thinking === undefined ? [] : [{ type: "thinking" as const, thinking: answer.thinking }]),
  ...(answer.text === undefined ? [] : [{ type: "text" as const, text: answer.text }]),
  ...(answer.calls ?? []).map(({ id, ...call }) => ({
    type: "toolCall" as const,
    id: toolCallId(id),
    ...call,
  })),
];

const deltasOf = (content: readonly AssistantContent[]): ModelEvent[] =>
  content.flatMap((block, index): ModelEvent[] => {
    switch (block.type) {
      case "thinking":
        return [{ type: "thinking_delta", index, text: block.thinking }];
      case "text":
        return Array.from(block.text).map((text) => ({ type: "text_delta", index, text }));
      case "toolCall":
        return [{ type: "tool_call_delta", index, name: block.name, text: JSON.stringify(block.arguments) }];
    }
  });

const outcomeOf = (answer: FakeAnswer, aborted: boolean): ModelOutcome => ({
  content: contentOf(answer),
  stopReason: aborted ? "aborted" : (answer.stopReason ?? (answer.calls?.length ? "toolUse" : "stop")),
  usage: {
    input: 10,
    output: 5,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 15,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    ...answer.usage,
  },
  ...(answer.problem === undefined ? {} : { problem: answer.problem }),
  ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
});

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** A model that answers from a script, one step a request, and records what it was asked. An empty script answers "done". */
export const fakeModel = (
  script: readonly FakeStep[],
): Model & { readonly requests: readonly ModelRequest[] } => {
  const requests: ModelRequest[] = [];
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const step = script[requests.length] ?? { text: "done" };
    requests.push(request);
    const answer = typeof step === "function" ? step(request) : step;
    yield* deltasOf(contentOf(answer));
    if (answer.until) await Promise.race([answer.until, whenAborted(signal)]);
    yield { type: "end", outcome: outcomeOf(answer, signal.aborted) };
  }
  return Object.assign(stream, { requests });
};
