import type { Entry, EntryId, MessageEntry, Problem, RunInfo } from "@espalier/protocol";
import type { Static } from "@sinclair/typebox";
import type { QueuedMessage } from "./message-queue.ts";
import type { Clock, Sink, StepPlan, Validator } from "./ports.ts";

export type MessageLine = Static<typeof MessageEntry>;

/** Everything a turn needs from outside. */
export interface TurnPorts {
  readonly sink: Sink;
  readonly clock: Clock;
  readonly validate: Validator;
  /**
   * Called before every request. Writes what must be in the file first (a changed system prompt), then rebuilds the request
   * from the file. Throws a ProblemError when no request can be made; the turn then ends as failed.
   */
  readonly prepare: (step: number) => Promise<StepPlan>;
  /** Takes what is due now, or nothing. Called at step boundaries only, when every call of the batch is answered. */
  readonly take: (kind: QueuedMessage["kind"]) => readonly QueuedMessage[];
  /** Milliseconds to wait before attempt + 1, or null: do not try again. `attempt` counts from 1. */
  readonly retryDelay: (problem: Problem, attempt: number, retryAfterMs: number | undefined) => number | null;
  /**
   * Makes the context smaller: where it is due (before a request, and after the last answer), or because a request was too long
   * for the provider; `refused` is the answer that said so, which leaves the context then. True when the context is smaller
   * now; else nothing was written, and why is told to the person. Called when every call is answered; never throws.
   */
  readonly makeRoom: (signal: AbortSignal, refused?: EntryId) => Promise<boolean>;
  /** Tells how the run is doing. Never throws. */
  readonly report: (
    change: Pick<RunInfo, "status"> & Partial<Pick<RunInfo, "step" | "retryAt" | "attempt">>,
  ) => void;
  /** Makes what was committed survive a crash of the machine. Called before a model is asked, before tools run, and after them. */
  readonly settle: () => Promise<void>;
}

export type TurnEnd =
  | { readonly status: "done" }
  | { readonly status: "aborted" }
  | { readonly status: "failed"; readonly problem: Problem };

/** Narrows a committed entry to a message: what was committed as one comes back as one. */
export const messageLine = (entry: Entry | undefined): MessageLine => {
  if (entry?.type !== "message") throw new Error("commit returned no message for a message draft");
  return entry;
};
