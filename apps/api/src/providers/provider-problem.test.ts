import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProblemCode } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";
import { httpProblem, networkProblem, streamProblem } from "./provider-problem.ts";

const root = dataFolder();
const recorded = root === null ? [] : readdirSync(join(root, "wire/http-errors"));

/** The code of each recorded answer, by its file name's start; what is not named here is `provider_rejected`. */
const expected: Readonly<Record<string, ProblemCode>> = {
  "openai-chat-400-deepseek-com-chat-real-error": "provider_overflow",
  "openai-chat-400-llamacpp-context-overflow": "provider_overflow",
  "openai-chat-400-ollama-com-chat-real-error": "provider_overflow",
  "openai-chat-401": "provider_auth",
  "openai-chat-403": "provider_auth",
  "openai-chat-429": "provider_rate_limit",
  "openai-responses-400-x-ai": "provider_auth",
  "openai-responses-401": "provider_auth",
};

const http = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  httpProblem(
    "Acme",
    { status, headers: new Headers(headers), body: typeof body === "string" ? body : JSON.stringify(body) },
    Date.parse("2026-11-30T10:00:00Z"),
  );

describe.skipIf(root === null)("recorded HTTP errors", () => {
  it("are all there", () => expect(recorded).toHaveLength(26));

  it.each(recorded)("%s", (name) => {
    const { status, headers, bodyText } = JSON.parse(
      readFileSync(join(root ?? "", "wire/http-errors", name), "utf8"),
    );
    const { problem, retryAfterMs } = http(status, bodyText, headers);
    const code =
      Object.entries(expected).find(([start]) => name.startsWith(start))?.[1] ?? "provider_rejected";
    expect(problem.code).toBe(code);
    expect(problem.message).toContain("Acme");
    expect(problem.message).toContain(`HTTP ${status}`);
    expect(problem.message).toMatch(/\. [A-Z][^.]*\.$/);
    expect(retryAfterMs).toBe(headers["retry-after"] ? 1000 : undefined);
  });
});

describe("httpProblem", () => {
  it.each<[ProblemCode, number, unknown]>([
    ["provider_rate_limit", 429, { error: { message: "too many tokens per minute" } }],
    ["provider_rate_limit", 429, { error: { message: "This request would exceed the input tokens limit" } }],
    [
      "provider_quota",
      429,
      { error: { code: "insufficient_quota", message: "You exceeded your current quota" } },
    ],
    ["provider_quota", 402, ""],
    ["provider_quota", 400, { error: { message: "Your credit balance is too low to access the API" } }],
    [
      "provider_overloaded",
      529,
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
    ["provider_overloaded", 503, "<html><body><h1>503 Service Unavailable</h1></body></html>"],
    ["provider_overloaded", 500, ""],
    ["provider_overflow", 400, { error: { message: "prompt is too long: 213462 tokens > 200000 maximum" } }],
    ["provider_overflow", 400, { error: { code: "context_length_exceeded", message: "too long" } }],
    ["provider_overflow", 413, { error: { type: "request_too_large" } }],
    ["provider_overflow", 500, { error: { message: "the request exceeds the available context size" } }],
    ["provider_auth", 401, { error: { message: "invalid x-api-key" } }],
    ["provider_network", 408, ""],
    ["provider_rejected", 404, { error: { message: "model not found" } }],
    ["provider_rejected", 400, { error: { message: "tool_call_ids did not have response messages" } }],
  ])("%s for %i", (code, status, body) => {
    expect(http(status, body).problem.code).toBe(code);
  });

  it("reads how long to wait from the headers or the words", () => {
    expect(http(429, "", { "retry-after-ms": "1500", "retry-after": "9" }).retryAfterMs).toBe(1500);
    expect(http(429, "", { "retry-after": "9" }).retryAfterMs).toBe(9000);
    expect(http(429, "", { "retry-after": "Mon, 30 Nov 2026 10:01:00 GMT" }).retryAfterMs).toBe(60_000);
    expect(http(429, { error: { message: "Please try again in 1m2.5s." } }).retryAfterMs).toBe(62_500);
    expect(http(429, { error: { message: "Please try again in 250ms" } }).retryAfterMs).toBe(250);
    expect(http(429, "", { "retry-after": "soon" }).retryAfterMs).toBeUndefined();
  });

  it("shows a web page as its words, cut to a readable length", () => {
    const page = `<html><style>p{}</style><body><h1>Bad gateway</h1>${"<p>x</p>".repeat(5000)}</body></html>`;
    const { message } = http(502, page).problem;
    expect(message).toContain("Bad gateway");
    expect(message).not.toContain("<");
    expect(message.length).toBeLessThan(700);
  });
});

describe("streamProblem", () => {
  it.each<[ProblemCode, unknown]>([
    ["provider_overloaded", { code: 502, message: "Worker limit" }],
    ["provider_overloaded", { type: "overloaded_error", message: "Overloaded" }],
    ["provider_overloaded", { type: "server_error", code: "server_error", message: "Sorry" }],
    ["provider_rate_limit", { code: "rate_limit_exceeded", message: "slow down, try again in 2s" }],
    ["provider_rejected", { type: "invalid_request_error", code: "tool_use_failed", status_code: 400 }],
    ["provider_overflow", { message: "context_length_exceeded" }],
    ["provider_stream", { message: "something odd" }],
    ["provider_stream", "plain words"],
    ["provider_stream", null],
  ])("%s", (code, error) => {
    expect(streamProblem("Acme", error).problem.code).toBe(code);
  });
});

describe("networkProblem", () => {
  it("names the address and says why in words", () => {
    const cause = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const error = new Error("Connection error.", { cause: new TypeError("fetch failed", { cause }) });
    const { problem } = networkProblem("Ollama", "http://127.0.0.1:11434/v1", error);
    expect(problem.code).toBe("provider_network");
    expect(problem.message).toContain("http://127.0.0.1:11434/v1");
    expect(problem.message).toContain("nothing listens there");
  });
});
