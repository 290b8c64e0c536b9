import type { ContextUse } from "@espalier/protocol";
import { charsOfMessage, tokensOfChars } from "../session/entry-tokens.ts";
import { measuredTokens, type SessionContext } from "./build-context.ts";
import type { ContextMessage } from "./context-message.ts";

/** Tokens of one message by pi 1.6.0's estimator: a quarter of its characters, 1,200 for every image. */
export const tokensOfMessage = (message: ContextMessage): number => {
  switch (message.role) {
    case "branchSummary":
    case "compactionSummary":
      return tokensOfChars(message.summary.length);
    case "system":
    case "user":
    case "assistant":
    case "toolResult":
    case "bashExecution":
    case "custom":
      return tokensOfChars(charsOfMessage(message));
  }
};

/**
 * Tokens of a whole context: what the last answer measured plus an estimate of what came after it; all estimated when nothing
 * was measured since the last compaction or edit.
 */
export const contextTokens = ({ messages, measuredAt }: SessionContext): number => {
  const measured = messages[measuredAt];
  const base = measured === undefined ? 0 : measuredTokens(measured);
  return messages.slice(measuredAt + 1).reduce((sum, { message }) => sum + tokensOfMessage(message), base);
};

/** What a context's tokens are told apart by. */
export type UsePart = Exclude<keyof ContextUse, "tokens" | "window">;

export const partOf: Readonly<Record<ContextMessage["role"], UsePart>> = {
  system: "system",
  user: "user",
  bashExecution: "user",
  custom: "user",
  assistant: "assistant",
  toolResult: "toolResults",
  branchSummary: "summary",
  compactionSummary: "summary",
};

/** What takes up a context, by kind; `window` is the model's, in tokens. The parts are estimates and need not add up. */
export const contextUse = (context: SessionContext, window: number): ContextUse => {
  const use: ContextUse = {
    tokens: contextTokens(context),
    window,
    system: 0,
    summary: 0,
    user: 0,
    assistant: 0,
    toolResults: 0,
  };
  for (const { message } of context.messages) use[partOf[message.role]] += tokensOfMessage(message);
  return use;
};
