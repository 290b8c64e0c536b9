import type {
  AssistantContent,
  Entry,
  EntryDraft,
  EntryId,
  ModelInfo,
  Problem,
  SessionEvent,
  StopReason,
  ThinkingLevel,
  ToolCallContent,
  ToolCallId,
  ToolEffect,
  ToolSpec,
  Usage,
  UserContent,
} from "@espalier/protocol";
import type { ModelMessage } from "../context/model-message.ts";

export type { ModelMessage } from "../context/model-message.ts";

export interface ModelRequest {
  readonly model: ModelInfo;
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly ModelMessage[];
  readonly thinkingLevel: ThinkingLevel;
  /** Output limit in tokens; absent = the model's own. */
  readonly maxTokens?: number;
  /** Stable per session: prompt-cache key and affinity headers. */
  readonly sessionId: string;
}

/** How one response ended. `content` is what arrived, also when it ended badly. */
export interface ModelOutcome {
  readonly content: readonly AssistantContent[];
  /** Never "deferred". A stream cut before its terminal event is "error". */
  readonly stopReason: Exclude<StopReason, "deferred">;
  /** The provider's own stop word. */
  readonly rawStopReason?: string;
  readonly usage: Usage;
  readonly responseId?: string;
  readonly responseModel?: string;
  /** Set iff stopReason is "error" (or "aborted" for a reason worth saying). */
  readonly problem?: Problem;
  /** How long the server asked to wait, ms. */
  readonly retryAfterMs?: number;
  /** What a person should know though it is no error, e.g. "ended without a finish reason". */
  readonly note?: string;
}

export type ModelEvent =
  | { readonly type: "text_delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking_delta"; readonly index: number; readonly text: string }
  /** `name` comes with the first delta of a call; `text` is a piece of the raw arguments. */
  | {
      readonly type: "tool_call_delta";
      readonly index: number;
      readonly text: string;
      readonly name?: string;
    }
  | { readonly type: "end"; readonly outcome: ModelOutcome };

/**
 * Asks a model once. Never throws; yields exactly one `end`, last. After `signal` aborts it ends soon with "aborted" and
 * whatever had arrived. `index` counts the blocks of `outcome.content`. It does not retry: the loop does.
 */
export type Model = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

export interface ToolContext {
  readonly toolCallId: ToolCallId;
  /** Absolute folder the tool works in. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Streams output for the screen; may be called any number of times, ignored after the tool settled. */
  readonly onOutput: (text: string) => void;
  /** Variables for child processes (session and model names). */
  readonly env: Readonly<Record<string, string>>;
}

export interface ToolOutput {
  readonly content: readonly UserContent[];
  readonly details?: unknown;
  readonly isError: boolean;
}

/** A tool. `execute` may throw: the loop answers the call with the message as an error result. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly effect: ToolEffect;
  /** One line for cards and approvals: the command, the path, the pattern. Must not throw. */
  readonly subject: (args: Readonly<Record<string, unknown>>) => string;
  /** Mends arguments that models are known to get wrong, before they are validated. Must not throw. */
  readonly prepare?: (args: Readonly<Record<string, unknown>>) => Record<string, unknown>;
  readonly execute: (args: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<ToolOutput>;
}

/** Checks arguments against a tool's schema; the error text goes to the model. */
export type Validator = (
  schema: ToolSpec["parameters"],
  args: Readonly<Record<string, unknown>>,
) => { ok: true; value: Record<string, unknown> } | { ok: false; error: string };

export interface PendingCall {
  /** The assistant entry that declares the call, and the block's index in it. */
  readonly entryId: EntryId;
  readonly index: number;
  readonly call: ToolCallContent;
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

export interface Hooks {
  /**
   * Awaited before a call runs, in source order; may wait for a person. A thrown error blocks the call (fail closed).
   * When `signal` aborts it must settle soon.
   */
  readonly beforeToolCall: (
    call: PendingCall,
    signal: AbortSignal,
  ) => Promise<{ block: false } | { block: true; reason: string }>;
  /** May replace the output. A thrown error turns the result into an error result. */
  readonly afterToolCall: (call: PendingCall, output: ToolOutput) => Promise<ToolOutput>;
}

export interface Clock {
  /** Epoch ms. */
  readonly now: () => number;
  /** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Where the loop's facts go. */
export interface Sink {
  /**
   * Appends under the run's tip: on disk, then in memory, then on the wire; returns when it is on disk. All drafts stand in
   * one write. Throws a ProblemError when nothing was written; the loop then stops.
   */
  readonly commit: (drafts: readonly EntryDraft[]) => Promise<readonly Entry[]>;
  /** Ephemeral news for the screen. Never throws, never waits. */
  readonly emit: (event: SessionEvent) => void;
}

/** What one step needs, read afresh at the start of each step (plugins may have come and gone). */
export interface StepPlan {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly hooks: Hooks;
  /** Entries to write before the request: a system patch when prompt or tools changed. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Retry {
  readonly enabled: boolean;
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  /** Longest wait, ms; a server that asks for more fails at once. */
  readonly maxDelayMs: number;
}
