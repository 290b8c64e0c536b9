import type { Problem, ProblemCode } from "@espalier/protocol";
import type { Retry } from "./ports.ts";

/** pi's defaults: 3 retries after 2, 4 and 8 s, never more than 60 s. */
export const DEFAULT_RETRY: Retry = {
  enabled: true,
  maxRetries: 3,
  baseDelayMs: 2000,
  maxDelayMs: 60_000,
};

/** Share of the wait that chance may take off, so that several clients do not come back at one moment. */
const JITTER = 0.25;

/** What may pass by itself. Quota, keys, a full window or a refused request do not. */
const passing: ReadonlySet<ProblemCode> = new Set([
  "provider_rate_limit",
  "provider_overloaded",
  "provider_network",
  "provider_stream",
]);

export const isRetryable = (code: ProblemCode): boolean => passing.has(code);

/**
 * How many ms to wait before the model is asked again, or null: give up. `attempt` counts the failed ones from 1. A server
 * that says how long to wait (`retryAfterMs`) is obeyed to the millisecond or longer; one that asks for more than the
 * longest wait is not waited for. `random` gives [0, 1).
 */
export const retryDelay = (
  problem: Problem,
  attempt: number,
  retryAfterMs: number | undefined,
  retry: Retry,
  random: () => number,
): number | null => {
  if (!retry.enabled || attempt > retry.maxRetries || !isRetryable(problem.code)) return null;
  if (retryAfterMs !== undefined && retryAfterMs > retry.maxDelayMs) return null;
  const backOff = Math.min(retry.maxDelayMs, retry.baseDelayMs * 2 ** (attempt - 1));
  const own = Math.round(backOff * (1 - JITTER * random()));
  return Math.max(own, retryAfterMs ?? 0);
};
