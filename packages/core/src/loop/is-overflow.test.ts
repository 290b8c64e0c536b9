import { describe, expect, it } from "vitest";
import { NO_USAGE } from "../testing/make-entries.ts";
import { isOverflow } from "./is-overflow.ts";
import type { ModelOutcome } from "./ports.ts";

const cut = (input: number, output: number, more: Partial<ModelOutcome> = {}): ModelOutcome => ({
  content: [],
  stopReason: "length",
  usage: { ...NO_USAGE, input, output },
  ...more,
});

describe("a request that was too long", () => {
  it.each([
    [
      "an error that says so",
      cut(0, 0, { stopReason: "error", problem: { code: "provider_overflow", message: "x" } }),
      0,
    ],
    ["an answer cut after a few tokens in a full window", cut(268_110, 16), 353_000],
    ["the same with a cached request", cut(10, 0, { usage: { ...NO_USAGE, cacheRead: 200_000 } }), 256_000],
  ])("is told by %s", (_, outcome, window) => expect(isOverflow(outcome, window)).toBe(true));

  it.each([
    [
      "thinking used up the output",
      cut(107_000, 0, { usage: { ...NO_USAGE, input: 107_000, reasoning: 15_203 } }),
      1_000_000,
    ],
    ["thinking used up the output in a window half full", cut(80_000, 15_203), 128_000],
    ["the window is almost empty", cut(1_000, 12), 128_000],
    ["the answer says something", cut(120_000, 20, { content: [{ type: "text", text: "so far" }] }), 128_000],
    ["nobody knows the window", cut(268_110, 16), 0],
    ["it ended by itself", cut(120_000, 16, { stopReason: "stop" }), 128_000],
    [
      "too many asked at once",
      cut(0, 0, { stopReason: "error", problem: { code: "provider_rate_limit", message: "x" } }),
      128_000,
    ],
  ])("is not meant where %s", (_, outcome, window) => expect(isOverflow(outcome, window)).toBe(false));
});
