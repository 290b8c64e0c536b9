import type { ModelEvent } from "@espalier/core";
import type { ModelApi } from "@espalier/protocol";
import type { JsonObject } from "./json-access.ts";
import type { SseFrame } from "./sse-reader.ts";

/** A tool call as the wire gave it. `complete: false` = its arguments are unfinished or no JSON object: it must never run. */
export interface ReadToolCall {
  readonly id: string;
  /** The Responses API names the item as well as the call. */
  readonly itemId?: string;
  readonly name: string;
  /** Null when the text is no JSON object. */
  readonly arguments: JsonObject | null;
  readonly argumentsRaw: string;
  readonly complete: boolean;
  /** Opaque text to send back with the call. */
  readonly signature?: string;
}

/** One block of the answer; their order and index are those of `ModelOutcome.content`. */
export type ReadBlock =
  | { readonly type: "text"; readonly text: string; readonly signature?: string }
  | { readonly type: "refusal"; readonly text: string }
  | {
      readonly type: "thinking";
      readonly text: string;
      readonly signature?: string;
      readonly redacted?: boolean;
    }
  | { readonly type: "toolCall"; readonly call: ReadToolCall };

/** Tokens as the provider counts them. A key is null when the provider left it out, absent when its API has no such number. */
export interface ReadUsage {
  /** OpenAI's APIs count cached tokens in here, Anthropic's does not. */
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite?: number | null;
  readonly total?: number | null;
  readonly reasoning?: number | null;
}

/** All that was read from one stream. `decode` prints it, and `ModelOutcome` is made from it. */
export interface StreamReading {
  readonly api: Exclude<ModelApi, "demo">;
  readonly model: string | null;
  readonly id: string | null;
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly toolCalls: readonly ReadToolCall[];
  /** The provider's own stop word. */
  readonly stopReason: string | null;
  /** What it said about the stop besides: why a response is incomplete, what a gateway's upstream said. */
  readonly stopDetail: string | null;
  readonly usage: ReadUsage | null;
  readonly usageRaw: JsonObject | null;
  /** The error object the stream carried, as it stood there. */
  readonly error: unknown;
  /** The API's terminal event arrived (`message_stop`, `response.completed`, `[DONE]`). */
  readonly completed: boolean;
  /** The answer is whole as far as one can tell: a stop word, a terminal event or the closing usage chunk arrived. */
  readonly ended: boolean;
  readonly blocks: readonly ReadBlock[];
  /** Data lines that were no JSON; ignored. */
  readonly badJson: number;
}

export type DeltaEvent = Exclude<ModelEvent, { type: "end" }>;

/** Reads one stream, frame by frame. Made fresh for each response. */
export interface StreamReader {
  /** Takes one frame; returns what it adds. Never throws; what it does not know it ignores. */
  readonly push: (frame: SseFrame) => DeltaEvent[];
  /** True once the terminal event has been seen: nothing of use follows. */
  readonly isDone: () => boolean;
  /** What has been read so far. */
  readonly reading: () => StreamReading;
}
