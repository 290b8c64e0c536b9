import { describe, expect, it } from "vitest";
import { compactionLimits } from "./compaction-limits.ts";

describe("compaction limits", () => {
  it("are pi's where nothing is set and the window is large", () => {
    expect(compactionLimits({}, 200_000)).toEqual({ dueAbove: 183_616, keepRecentTokens: 20_000 });
  });

  it("leave room in a small window, whatever is set", () => {
    for (const window of [2_048, 8_192, 16_384, 32_768]) {
      const { dueAbove, keepRecentTokens } = compactionLimits({ reserveTokens: 400_000 }, window);
      expect(dueAbove).toBeGreaterThanOrEqual(window * 0.74);
      expect(keepRecentTokens).toBeLessThanOrEqual((dueAbove ?? 0) / 2);
      expect(keepRecentTokens).toBeGreaterThan(0);
    }
  });

  it("say nothing of when for a window that nobody knows", () => {
    expect(compactionLimits({ keepRecentTokens: 5 }, 0)).toEqual({ dueAbove: null, keepRecentTokens: 5 });
  });
});
