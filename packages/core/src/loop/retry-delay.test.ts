import type { Problem, ProblemCode } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { DEFAULT_RETRY, retryDelay } from "./retry-delay.ts";

const problem = (code: ProblemCode): Problem => ({ code, message: "it failed" });
const still = (): number => 0;
const delay = (code: ProblemCode, attempt: number, after?: number): number | null =>
  retryDelay(problem(code), attempt, after, DEFAULT_RETRY, still);

describe("retryDelay", () => {
  it("waits 2, 4 and 8 s, then gives up", () => {
    expect([1, 2, 3, 4].map((attempt) => delay("provider_overloaded", attempt))).toEqual([
      2000,
      4000,
      8000,
      null,
    ]);
  });

  it("retries what may pass by itself and nothing else", () => {
    const yes: ProblemCode[] = [
      "provider_rate_limit",
      "provider_overloaded",
      "provider_network",
      "provider_stream",
    ];
    const no: ProblemCode[] = [
      "provider_quota",
      "provider_auth",
      "provider_overflow",
      "provider_rejected",
      "no_key",
      "internal",
    ];
    expect(yes.map((code) => delay(code, 1))).toEqual([2000, 2000, 2000, 2000]);
    expect(no.map((code) => delay(code, 1))).toEqual(no.map(() => null));
  });

  it("does what the server asks, but waits no longer than a minute", () => {
    expect(delay("provider_rate_limit", 1, 30_000)).toBe(30_000);
    expect(delay("provider_rate_limit", 1, 500)).toBe(2000);
    expect(delay("provider_rate_limit", 1, 60_000)).toBe(60_000);
    expect(delay("provider_rate_limit", 1, 60_001)).toBeNull();
  });

  it("can be switched off", () => {
    const off = { ...DEFAULT_RETRY, enabled: false };
    expect(retryDelay(problem("provider_network"), 1, undefined, off, still)).toBeNull();
  });

  it("stays within the cap and below the undisturbed wait, whatever chance says", () => {
    const chance = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), chance, (attempt, random) => {
        const many = { ...DEFAULT_RETRY, maxRetries: 20 };
        const wait = retryDelay(problem("provider_stream"), attempt, undefined, many, () => random) ?? -1;
        const most = Math.min(60_000, 2000 * 2 ** (attempt - 1));
        expect(wait).toBeLessThanOrEqual(most);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(most * 0.75));
      }),
      { numRuns: runs(100) },
    );
  });
});
