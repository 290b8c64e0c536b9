/** As a person sets them; pi 1.6.0's defaults where nothing is set. */
export interface CompactionSettings {
  readonly enabled?: boolean | undefined;
  readonly reserveTokens?: number | undefined;
  readonly keepRecentTokens?: number | undefined;
}

/** What holds for one model, in tokens. */
export interface CompactionLimits {
  /** Compaction is due when a context takes more; null when the model's window is unknown. */
  readonly dueAbove: number | null;
  readonly keepRecentTokens: number;
}

const RESERVE = 16_384;
const KEEP_RECENT = 20_000;

/**
 * The limits for a window of so many tokens (0 = unknown). In a small window the reserve is at most a quarter of it, and at most
 * half of what is left is kept: otherwise every step would compact, or none would help.
 */
export const compactionLimits = (settings: CompactionSettings, window: number): CompactionLimits => {
  const keep = settings.keepRecentTokens ?? KEEP_RECENT;
  if (window <= 0) return { dueAbove: null, keepRecentTokens: keep };
  const dueAbove = window - Math.min(settings.reserveTokens ?? RESERVE, Math.floor(window / 4));
  return { dueAbove, keepRecentTokens: Math.min(keep, Math.floor(dueAbove / 2)) };
};
