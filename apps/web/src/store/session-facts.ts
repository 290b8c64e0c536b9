import { asKnown } from "@espalier/core";
import type { ContextUse, ModelRef, Row, SessionEvent, Snapshot, ThinkingLevel } from "@espalier/protocol";

/** What the page shows of a session beside its entries. */
export interface SessionFacts {
  readonly epoch: string;
  readonly path: string;
  readonly root: Snapshot["root"];
  readonly header: Snapshot["header"];
  readonly stored: boolean;
  readonly model: ModelRef | null;
  readonly thinkingLevel: ThinkingLevel;
  readonly context: ContextUse;
  readonly folder: Snapshot["folder"];
}

export const factsOf = (snapshot: Snapshot): SessionFacts => {
  const { epoch, path, root, header, stored, model, thinkingLevel, context, folder } = snapshot;
  return { epoch, path, root, header, stored, model, thinkingLevel, context, folder };
};

/** A kind of content of the window. */
export type ContextPart = Exclude<keyof ContextUse, "tokens" | "window">;

/** Whose share of the window a row adds to; null: it is not sent to the model. */
export const shareOf = (row: Row): ContextPart | null => {
  if (row.type === "branch_summary" || row.type === "compaction") return "summary";
  if (row.type === "custom_message") return "user";
  if (row.type !== "message") return null;
  switch (row.role) {
    case "user":
    case "bashExecution":
    case "custom":
      return "user";
    case "assistant":
      return "assistant";
    case "toolResult":
      return "toolResults";
    case "system":
      return "system";
    case undefined:
    default:
      return null;
  }
};

const grown = (context: ContextUse, rows: readonly Row[]): ContextUse => {
  let next = context;
  for (const row of rows) {
    const share = shareOf(row);
    if (share && row.type !== "compaction")
      next = { ...next, tokens: next.tokens + row.tokens, [share]: next[share] + row.tokens };
  }
  return next;
};

/**
 * The facts after an event. The window's use grows by pi's estimate of each new entry; after a compaction, a change of model or
 * the end of a run the snapshot's own count is read again.
 */
export const factsAfter = (facts: SessionFacts, event: SessionEvent): SessionFacts => {
  if (event.type !== "entries") return facts;
  let next: SessionFacts = { ...facts, stored: true, context: grown(facts.context, event.rows) };
  for (const entry of event.entries) {
    const known = asKnown(entry);
    if (known?.type === "model_change")
      next = { ...next, model: { provider: known.provider, modelId: known.modelId } };
    if (known?.type === "thinking_level_change")
      next = { ...next, thinkingLevel: known.thinkingLevel as ThinkingLevel };
  }
  return next;
};
