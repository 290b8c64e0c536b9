import type { ContextMessage } from "../context/context-message.ts";

/** Whether a message begins a turn: it comes from the person or stands for what they know, not from the model's work. */
export const startsTurn = (role: ContextMessage["role"] | null): boolean => {
  switch (role) {
    case "user":
    case "bashExecution":
    case "custom":
    case "branchSummary":
    case "compactionSummary":
      return true;
    case "system":
    case "assistant":
    case "toolResult":
    case null:
      return false;
  }
};

/** Where the turn begins that a cut falls into; null when the cut lies at a turn's beginning, or in no turn that begins here. */
export const splitTurnStart = (messages: readonly (ContextMessage | null)[], cut: number): number | null => {
  if (startsTurn(messages[cut]?.role ?? null)) return null;
  const start = messages.findLastIndex((message, at) => at < cut && startsTurn(message?.role ?? null));
  return start < 0 ? null : start;
};
