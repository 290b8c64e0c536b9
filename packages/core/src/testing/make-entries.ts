import type {
  AssistantContent,
  AssistantMessage,
  Entry,
  EntryDraft,
  EntryOf,
  UserContent,
} from "@espalier/protocol";
import { entryId, toolCallId } from "@espalier/protocol";
import { makeEntry } from "../session/append-entry.ts";

/** Entries for tests: short to write, whole in shape. Times rise with every entry made. */
let clock = Date.UTC(2026, 0, 1);

/** Any entry under any parent. */
export const entry = <Draft extends EntryDraft>(
  id: string,
  parent: string | null,
  draft: Draft,
): EntryOf<Draft["type"]> => {
  clock += 1000;
  return makeEntry(draft, {
    id: entryId(id),
    parentId: parent === null ? null : entryId(parent),
    time: clock,
  }) as EntryOf<Draft["type"]>;
};

export const user = (
  id: string,
  parent: string | null,
  content: string | UserContent[] = id,
): EntryOf<"message"> =>
  entry(id, parent, { type: "message", message: { role: "user", content, timestamp: clock } });

export const NO_USAGE: AssistantMessage["usage"] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export interface AssistantParts extends Partial<Omit<AssistantMessage, "role" | "content">> {
  readonly text?: string;
  /** Tool-call ids; every call is of the tool `read` with `{path: id}`. */
  readonly calls?: readonly string[];
  readonly content?: readonly AssistantContent[];
}

export const call = (
  id: string,
  name = "read",
  args: Record<string, unknown> = { path: id },
): AssistantContent => ({
  type: "toolCall",
  id: toolCallId(id),
  name,
  arguments: args,
});

/** An assistant message of model `m` of provider `p`. */
export const assistant = (
  id: string,
  parent: string | null,
  { text, calls = [], content, ...fields }: AssistantParts = {},
): EntryOf<"message"> =>
  entry(id, parent, {
    type: "message",
    message: {
      role: "assistant",
      content: [
        ...(content ?? []),
        ...(text === undefined ? [] : [{ type: "text" as const, text }]),
        ...calls.map((callId) => call(callId)),
      ],
      api: "anthropic-messages",
      provider: "p",
      model: "m",
      usage: NO_USAGE,
      stopReason: calls.length > 0 ? "toolUse" : "stop",
      timestamp: clock,
      ...fields,
    },
  });

export const result = (
  id: string,
  parent: string | null,
  callId: string,
  content: string | UserContent[] = `result ${id}`,
  isError = false,
): EntryOf<"message"> =>
  entry(id, parent, {
    type: "message",
    message: {
      role: "toolResult",
      toolCallId: toolCallId(callId),
      toolName: "read",
      content: typeof content === "string" ? [{ type: "text", text: content }] : content,
      isError,
      timestamp: clock,
    },
  });

export const compaction = (
  id: string,
  parent: string | null,
  firstKeptEntryId: string,
  fields: Partial<Omit<EntryOf<"compaction">, "type" | "id" | "parentId" | "timestamp">> = {},
): EntryOf<"compaction"> =>
  entry(id, parent, {
    type: "compaction",
    summary: `summary ${id}`,
    firstKeptEntryId,
    tokensBefore: 1000,
    ...fields,
  });

/** Takes an entry out of the context (null) or puts a text in its place. */
export const contextEdit = (
  id: string,
  parent: string | null,
  target: string,
  content: string | null = null,
): EntryOf<"context_edit"> =>
  entry(id, parent, {
    type: "context_edit",
    targetId: entryId(target),
    replacement: content === null ? null : { content },
  });

/** Entries that follow one another: each is given the id of the one before. */
export const chain = (...makers: readonly ((parent: string | null) => Entry)[]): Entry[] => {
  const entries: Entry[] = [];
  for (const make of makers) entries.push(make(entries.at(-1)?.id ?? null));
  return entries;
};
