import type { AssistantMessage, ToolCallContent, ToolResultMessage } from "@espalier/protocol";
import { OpenCalls } from "../group/open-calls.ts";
import { isSoundCall } from "../group/tool-group.ts";
import type { ContextMessage } from "./context-message.ts";
import type { ModelMessage } from "./model-message.ts";

/** A step with its calls, each with the result that answers it on this path. */
export interface PairedStep {
  readonly kind: "step";
  readonly message: AssistantMessage;
  readonly calls: readonly { readonly call: ToolCallContent; readonly result: ToolResultMessage | null }[];
}
export type Paired =
  | PairedStep
  | { readonly kind: "user"; readonly message: Extract<ModelMessage, { role: "user" }> }
  /** A result that no call before it asked for. */
  | { readonly kind: "orphan"; readonly message: ToolResultMessage };

/** Pairs the calls and results of a request by the rules of `join-groups`; results move up to their step. */
export const pairMessages = (messages: readonly ModelMessage[]): Paired[] => {
  const open = new OpenCalls<Map<number, ToolResultMessage>>();
  const answers = new Map<AssistantMessage, Map<number, ToolResultMessage>>();
  const orphans = new Set<ModelMessage>();
  for (const message of messages) {
    if (message.role === "assistant") {
      const step = new Map<number, ToolResultMessage>();
      answers.set(message, step);
      open.declare(
        step,
        message.content.flatMap((block, at) =>
          block.type === "toolCall" && isSoundCall(block) ? [[block.id, at] as const] : [],
        ),
      );
    } else if (message.role === "toolResult") {
      const found = open.answer(message.toolCallId);
      if (found === null) orphans.add(message);
      else found.step.set(found.call, message);
    }
  }
  return messages.flatMap((message): Paired[] => {
    switch (message.role) {
      case "user":
        return [{ kind: "user", message }];
      case "toolResult":
        return orphans.has(message) ? [{ kind: "orphan", message }] : [];
      case "assistant": {
        const step = answers.get(message);
        const calls = message.content.flatMap((call, at) =>
          call.type === "toolCall" && isSoundCall(call) ? [{ call, result: step?.get(at) ?? null }] : [],
        );
        return [{ kind: "step", message, calls }];
      }
    }
  });
};

/** All calls of a context in order, each with its step and the result that answers it there. */
export const pairedCalls = (
  messages: readonly ContextMessage[],
): {
  readonly step: AssistantMessage;
  readonly call: ToolCallContent;
  readonly result: ToolResultMessage | null;
}[] =>
  pairMessages(
    messages.filter((message) => message.role === "assistant" || message.role === "toolResult"),
  ).flatMap((paired) =>
    paired.kind === "step" ? paired.calls.map((each) => ({ ...each, step: paired.message })) : [],
  );

/** The same messages, each step followed by its results in the order of its calls. */
export const inSourceOrder = (messages: readonly ModelMessage[]): ModelMessage[] =>
  pairMessages(messages).flatMap((paired): ModelMessage[] =>
    paired.kind === "step"
      ? [paired.message, ...paired.calls.flatMap(({ result }) => result ?? [])]
      : [paired.message],
  );
