import type { ModelOutcome } from "@espalier/core";
import { describe, expect, it } from "vitest";
import { outcomeOf } from "./outcome.ts";
import { readRecorded } from "./readers.ts";
import { modelNamed } from "./sample-messages.ts";
import type { StreamReading } from "./stream-reading.ts";

const model = modelNamed({ cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 } });

const outcome = (api: StreamReading["api"], ...events: object[]): ModelOutcome => {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  return outcomeOf(readRecorded(api, new TextEncoder().encode(text)), model, "Acme", { aborted: false });
};
const chat = (...events: object[]): ModelOutcome => outcome("openai-completions", ...events);
const chunk = (delta: object, more: object = {}): object => ({ choices: [{ index: 0, delta, ...more }] });
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 };

describe("outcomeOf", () => {
  it("tolerates a stream that ends with usage and no finish reason, and says so", () => {
    expect(chat(chunk({ content: "hi" }), { choices: [], usage })).toMatchObject({
      stopReason: "stop",
      note: expect.stringContaining("without a stop reason"),
      usage: { input: 10, output: 2 },
    });
  });

  it("takes no chunk at all, and half a call, for errors", () => {
    expect(chat()).toMatchObject({ stopReason: "error", problem: { code: "provider_stream" } });
    const half = chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "a", arguments: '{"x' } }] });
    for (const events of [[half], [half, { choices: [], usage }]]) {
      expect(chat(...events)).toMatchObject({
        stopReason: "error",
        content: [{ type: "toolCall", arguments: {}, argumentsError: expect.anything() }],
      });
    }
  });

  it("takes an error with an empty choice list, and the finish reason error, for errors", () => {
    const error = { error: { code: 502, message: "Worker limit" }, choices: [] };
    expect(chat(chunk({ content: "a" }), chunk({ content: "b" }), error)).toMatchObject({
      stopReason: "error",
      problem: { code: "provider_overloaded", message: expect.stringContaining("Worker limit") },
      content: [{ text: "ab" }],
    });
    expect(chat(chunk({ content: "a" }, { finish_reason: "error" })).stopReason).toBe("error");
  });

  it("makes an id for a call that has none", () => {
    const got = chat(
      chunk({ tool_calls: [{ index: 0, function: { name: "ls", arguments: "" } }] }),
      chunk(
        { tool_calls: [{ index: 0, function: { arguments: '{"path":"."}' } }] },
        { finish_reason: "tool_calls" },
      ),
    );
    expect(got).toMatchObject({
      stopReason: "toolUse",
      content: [
        { type: "toolCall", name: "ls", arguments: { path: "." }, id: expect.stringMatching(/^call_\w+$/) },
      ],
    });
  });

  it("keeps calls apart that share one index or have none", () => {
    const shared = [
      chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: '{"n":1}' } }] }),
      chunk({ tool_calls: [{ index: 0, id: "b", function: { name: "f", arguments: '{"n":2}' } }] }),
    ];
    const without = [
      chunk({
        tool_calls: [
          { id: "a", function: { name: "f", arguments: '{"n":1}' } },
          { id: "b", function: { name: "f", arguments: '{"n":2}' } },
        ],
      }),
    ];
    for (const events of [shared, without]) {
      expect(chat(...events, chunk({}, { finish_reason: "tool_calls" })).content).toMatchObject([
        { id: "a", arguments: { n: 1 } },
        { id: "b", arguments: { n: 2 } },
      ]);
    }
  });

  it("counts usage once, wherever it stands", () => {
    const text = chunk({ content: "hi" });
    const end = chunk({}, { finish_reason: "stop" });
    for (const events of [
      [text, chunk({}, { finish_reason: "stop", usage })],
      [
        { ...chunk({ content: "hi" }), usage },
        { ...end, usage },
      ],
      [text, end, { choices: [], usage }],
      [text, { ...end, x_groq: { usage } }],
    ]) {
      expect(chat(...events)).toMatchObject({
        content: [{ text: "hi" }],
        usage: { input: 10, output: 2, totalTokens: 12 },
      });
    }
  });

  it.each([
    ["stop", "stop", undefined],
    ["end", "stop", undefined],
    ["eos", "stop", undefined],
    ["length", "length", undefined],
    ["content_filter", "error", "provider_rejected"],
    ["refusal", "error", "provider_rejected"],
    ["model_context_window_exceeded", "error", "provider_overflow"],
    ["something_new", "stop", undefined],
  ])("reads the finish reason %s", (word, stopReason, code) => {
    const got = chat(chunk({ content: "hi" }, { finish_reason: word }));
    expect(got).toMatchObject({ stopReason, rawStopReason: word });
    expect(got.problem?.code).toBe(code);
    expect(got.note !== undefined).toBe(word === "something_new");
  });

  it("lets calls decide and not the word", () => {
    const call = chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "a", arguments: "{}" } }] });
    expect(chat(call, chunk({}, { finish_reason: "stop" })).stopReason).toBe("toolUse");
    expect(chat(chunk({ content: "x" }, { finish_reason: "tool_calls" })).stopReason).toBe("stop");
  });

  it("takes arguments that are no object for an error of the call", () => {
    const call = chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "a", arguments: '["x"]' } }] });
    expect(chat(call, chunk({}, { finish_reason: "tool_calls" })).content).toMatchObject([
      { arguments: {}, argumentsError: expect.stringContaining("no JSON object") },
    ]);
  });

  it("shows a refusal as text", () => {
    const got = chat(chunk({ refusal: "I cannot." }, { finish_reason: "stop" }));
    expect(got).toMatchObject({ content: [{ type: "text", text: "I cannot." }], note: expect.anything() });
  });

  it("mends half characters in text and arguments", () => {
    const got = chat(
      chunk({ content: "a\ud83d" }),
      chunk(
        { tool_calls: [{ index: 0, id: "c", function: { name: "a", arguments: '{"k":["\\ud99c"]}' } }] },
        { finish_reason: "tool_calls" },
      ),
    );
    expect(got.content).toMatchObject([{ text: "a\ufffd" }, { arguments: { k: ["\ufffd"] } }]);
  });

  it("gives a line that is no part of the stream as the reason", () => {
    const bytes = new TextEncoder().encode('data: {"choices":[]}\n\n');
    const reading = readRecorded("openai-completions", bytes);
    const got = outcomeOf(reading, model, "Acme", {
      aborted: false,
      strayLines: ['error: {"detail":"failed to decode"}'],
    });
    expect(got.problem?.message).toContain("failed to decode");
  });

  it("prices what was used", () => {
    const anthropic = outcome(
      "anthropic-messages",
      {
        type: "message_start",
        message: {
          usage: {
            input_tokens: 100,
            cache_read_input_tokens: 1000,
            cache_creation_input_tokens: 300,
            cache_creation: { ephemeral_1h_input_tokens: 100 },
          },
        },
      },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 50 } },
    );
    expect(anthropic.usage).toMatchObject({
      input: 100,
      output: 50,
      cacheRead: 1000,
      cacheWrite: 300,
      totalTokens: 1450,
    });
    expect(anthropic.usage.cost.total).toBeCloseTo(
      (100 + 50 * 2 + 1000 * 0.1 + 200 * 1.25 + 100 * 2) / 1e6,
      12,
    );
    const gateway = chat(chunk({ content: "a" }, { finish_reason: "stop" }), {
      choices: [],
      usage: { ...usage, cost: 0.5 },
    });
    expect(gateway.usage.cost).toMatchObject({ total: 0.5, totalFromProvider: true });
    const xai = chat(chunk({ content: "a" }, { finish_reason: "stop" }), {
      choices: [],
      usage: {
        prompt_tokens: 288,
        completion_tokens: 27,
        total_tokens: 628,
        completion_tokens_details: { reasoning_tokens: 313 },
      },
    });
    expect(xai.usage).toMatchObject({ output: 340, reasoning: 313, totalTokens: 628 });
  });
});
