import type { Entry, EntryId, EntryOf, ModelRef } from "@espalier/protocol";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { applyEdit, type Projected } from "./context-message.ts";
import { nodeOfEntry, selectContext } from "./select-context.ts";
import { replaySystem, type SystemState } from "./system-prompt.ts";

/** What a path says to a model, before it is put into any provider's words. */
export interface SessionContext {
  /** Entries that make up the context, those that contribute nothing included; the newest compaction first. */
  readonly entryIds: readonly EntryId[];
  /** Their messages in order, edits applied. */
  readonly messages: readonly Projected[];
  /** Last model that was chosen or answered, on the whole path; null when there was none. */
  readonly model: ModelRef | null;
  /** As the file names it; "off" when nothing was set. */
  readonly thinkingLevel: string;
  /** System prompt and tools as the context's system messages add up to. */
  readonly system: SystemState;
  readonly compaction: EntryOf<"compaction"> | null;
  /**
   * The last answer whose token count covers everything before it: no compaction and no edit came later. Index into
   * `messages`, or -1.
   */
  readonly measuredAt: number;
}

type Edit = EntryOf<"context_edit">["replacement"];

const timeOf = (entry: AnyEntry): number => Date.parse(entry.timestamp ?? "") || 0;

/** What an entry says in a context. `edit` replaces it (null: takes it out); `newest` marks the compaction that holds. */
export const projectEntry = (entry: AnyEntry, edit: Edit | undefined, newest: boolean): Projected[] => {
  const known = asKnown(entry);
  const one = (message: Projected["message"] | null): Projected[] =>
    message === null ? [] : [{ entryId: entry.id, message }];
  switch (known?.type) {
    case "message":
      return one(applyEdit(known.message, edit));
    case "custom_message": {
      const { customType, content, display, details } = known;
      const message = { role: "custom" as const, customType, content, display, timestamp: timeOf(known) };
      return one(applyEdit(details === undefined ? message : { ...message, details }, edit));
    }
    case "branch_summary":
      return one({
        role: "branchSummary",
        summary: known.summary,
        fromId: known.fromId,
        timestamp: timeOf(known),
      });
    case "compaction": {
      // Older compactions in the kept part say nothing: the newest summary covers them.
      if (!newest) return [];
      const { summary, tokensBefore, systemMessage } = known;
      return [
        ...one(systemMessage ?? null),
        ...one({ role: "compactionSummary", summary, tokensBefore, timestamp: timeOf(known) }),
      ];
    }
    case "model_change":
    case "thinking_level_change":
    case "custom":
    case "label":
    case "session_info":
    case "usage":
    case "context_edit":
    case undefined:
      return [];
  }
};

/** The model that an entry chose or was answered by; null for entries that name none. */
export const modelOf = (known: Entry): ModelRef | null => {
  if (known.type === "model_change") return { provider: known.provider, modelId: known.modelId };
  if (known.type === "message" && known.message.role === "assistant") {
    return { provider: known.message.provider, modelId: known.message.model };
  }
  return null;
};

const lastModel = (path: readonly AnyEntry[]): ModelRef | null => {
  for (const entry of path.toReversed()) {
    const known = asKnown(entry);
    const model = known && modelOf(known);
    if (model !== null) return model;
  }
  return null;
};

const lastThinkingLevel = (path: readonly AnyEntry[]): string => {
  const last = path.findLast((entry) => asKnown(entry)?.type === "thinking_level_change");
  return last !== undefined && "thinkingLevel" in last ? String(last.thinkingLevel) : "off";
};

/** Tokens that an answer measured, input and output together; 0 when its provider said nothing. */
export const measuredTokens = ({ message }: Projected): number => {
  if (message.role !== "assistant" || message.stopReason === "aborted" || message.stopReason === "error")
    return 0;
  const { totalTokens, input, output, cacheRead, cacheWrite } = message.usage;
  return totalTokens || (input || 0) + (output || 0) + (cacheRead || 0) + (cacheWrite || 0);
};

/**
 * Builds the context of a path as pi 1.6.0 does. `path` holds the entries of `contextPath`, root first; asides may be left out.
 */
export const buildContext = (path: readonly AnyEntry[]): SessionContext => {
  const selection = selectContext(path.map(nodeOfEntry));
  const chosen = selection.indices.map((at) => ({ at, entry: path[at] as AnyEntry }));
  const edits = new Map<string, Edit>();
  let lastChange = selection.compaction;
  for (const { at, entry } of chosen) {
    const known = asKnown(entry);
    if (known?.type !== "context_edit") continue;
    edits.set(known.targetId, known.replacement);
    lastChange = Math.max(lastChange, at);
  }
  const placed = chosen.flatMap(({ at, entry }) =>
    projectEntry(entry, edits.get(entry.id), at === selection.compaction).map((projected) => ({
      at,
      projected,
    })),
  );
  const messages = placed.map(({ projected }) => projected);
  const measuredAt = placed.findLastIndex(({ projected }) => measuredTokens(projected) > 0);
  const compactionEntry = path[selection.compaction];
  const compaction = compactionEntry === undefined ? null : asKnown(compactionEntry);
  return {
    entryIds: chosen.map(({ entry }) => entry.id),
    messages,
    model: lastModel(path),
    thinkingLevel: lastThinkingLevel(path),
    system: replaySystem(messages.flatMap(({ message }) => (message.role === "system" ? [message] : []))),
    compaction: compaction?.type === "compaction" ? compaction : null,
    measuredAt: measuredAt >= 0 && (placed[measuredAt]?.at ?? -1) > lastChange ? measuredAt : -1,
  };
};
