import type { ModelOutcome } from "./ports.ts";

/** An answer of no more tokens than this, thinking included, says nothing yet. */
const ALMOST_NOTHING = 64;

/**
 * Whether a request was too long for its model's window (tokens; 0 = unknown). Providers say so by an error; some cut the answer
 * at its limit after a few tokens, because the window is full. An answer that used up its own output limit is none of those.
 */
export const isOverflow = (outcome: ModelOutcome, window: number): boolean => {
  if (outcome.problem?.code === "provider_overflow") return true;
  if (outcome.stopReason !== "length" || window <= 0) return false;
  const { input, output, cacheRead, cacheWrite, reasoning } = outcome.usage;
  const says = outcome.content.some(
    (block) => block.type !== "thinking" && !(block.type === "text" && block.text.trim() === ""),
  );
  const written = Math.max(output, reasoning ?? 0);
  return !says && written <= ALMOST_NOTHING && input + cacheRead + cacheWrite > window / 2;
};
