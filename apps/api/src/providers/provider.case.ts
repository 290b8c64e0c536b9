import type { Model, ModelEvent, ModelOutcome, ModelRequest } from "@espalier/core";
import type { AssistantContent, ModelInfo, ProblemCode } from "@espalier/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import type { Connection } from "./adapter.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

const KEY = "key-4711-secret-value";

/** One API's way to say on the wire what the suite asks for. All texts are SSE with LF. */
export interface Dialect {
  readonly name: string;
  readonly create: (connection: Connection) => Model;
  readonly info: ModelInfo;
  /** Appended to the server's address. */
  readonly basePath: string;
  /** How the key reaches the server. */
  readonly keyHeader: readonly [name: string, value: string];
  /** A whole answer. `usage`: 100 tokens in, 20 of them from the cache, 7 out. */
  readonly text: (pieces: readonly string[], usage: boolean) => string;
  readonly thinking: (thought: string, text: string) => string;
  /** Two calls whose pieces interleave: a({"x":1}) and b({}). */
  readonly calls: () => string;
  /** A whole call ok({"a":1}), then cut({"path":"R.md","content":"abc ...; ended by the output limit or a router's word. */
  readonly cutCall: (stop: "length" | "calls") => string;
  /** The text, then an error inside the stream: the server is overloaded. */
  readonly failing: (text: string) => string;
  /** The beginning of an answer with this text, and half a call after it when asked. */
  readonly opening: (text: string, halfCall: boolean) => string;
  /** A signature as this API gives it, and a part of it to look for in a request. */
  readonly signature: string;
  readonly signaturePart: string;
}

const request = (info: ModelInfo, over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: info,
  system: "Be brief.",
  tools: [],
  messages: [{ role: "user", content: "Hello", timestamp: 0 }],
  thinkingLevel: "off",
  sessionId: "session-1",
  ...over,
});

interface Run {
  readonly events: ModelEvent[];
  readonly outcome: ModelOutcome;
}

const collect = async (
  model: Model,
  asked: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<Run> => {
  const events: ModelEvent[] = [];
  for await (const event of model(asked, signal)) {
    events.push(event);
    onEvent(event);
  }
  const ends = events.filter((event) => event.type === "end");
  const last = events.at(-1);
  expect(ends).toHaveLength(1);
  if (last?.type !== "end") throw new Error("the end was not last");
  return { events, outcome: last.outcome };
};

const said = (content: readonly AssistantContent[]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

const callsOf = (content: readonly AssistantContent[]) =>
  content.flatMap((block) => (block.type === "toolCall" ? [block] : []));

/** What every provider adapter must do, against a server on a loopback port. */
export const providerCase = (dialect: Dialect): void => {
  describe(`${dialect.name} as a provider`, () => {
    let server: ScriptedServer;
    let model: Model;
    beforeEach(async () => {
      server = await startScriptedServer();
      model = dialect.create({ label: "Acme", baseUrl: server.url + dialect.basePath, apiKey: KEY });
    });
    afterEach(() => server.close());
    const ask = (over: Partial<ModelRequest> = {}): Promise<Run> =>
      collect(model, request(dialect.info, over));

    it("streams text, then one end with the whole and its usage", async () => {
      server.answer({ chunks: [dialect.text(["Hel", "lo ", "\u{1F331}"], true)] });
      const { events, outcome } = await ask();
      const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.text] : []));
      expect(deltas).toEqual(["Hel", "lo ", "\u{1F331}"]);
      expect(outcome).toMatchObject({
        stopReason: "stop",
        usage: { input: 80, cacheRead: 20, output: 7, totalTokens: 107 },
      });
      expect(outcome.content).toMatchObject([{ type: "text", text: "Hello \u{1F331}" }]);
      expect(outcome.usage.cost.total).toBeCloseTo((80 * 3 + 20 * 0.3 + 7 * 15) / 1e6, 12);
      expect(server.seen[0]?.headers[dialect.keyHeader[0]]).toBe(dialect.keyHeader[1].replace("KEY", KEY));
      expect(server.seen[0]?.body).toMatchObject({ model: dialect.info.id, stream: true });
    });

    it("reads the same with CRLF, and one byte at a time", async () => {
      const text = dialect.text(["añ", "\u{1F331}"], true);
      const bytes = new TextEncoder().encode(text.replaceAll("\n", "\r\n"));
      server.answer(
        { chunks: [text] },
        { chunks: Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)) },
      );
      expect((await ask()).outcome).toEqual((await ask()).outcome);
    });

    it("takes an answer without usage", async () => {
      server.answer({ chunks: [dialect.text(["hi"], false)] });
      const { outcome } = await ask();
      expect(outcome.stopReason).toBe("stop");
      expect(outcome.usage.totalTokens).toBe(0);
    });

    it("streams thinking apart from text", async () => {
      server.answer({ chunks: [dialect.thinking("Hmm.", "Yes.")] });
      const { events, outcome } = await ask({ thinkingLevel: "low" });
      expect(events.slice(0, -1)).toMatchObject([
        { type: "thinking_delta", index: 0, text: "Hmm." },
        { type: "text_delta", index: 1, text: "Yes." },
      ]);
      expect(outcome.content).toMatchObject([{ thinking: "Hmm." }, { text: "Yes." }]);
    });

    it("keeps interleaved calls apart", async () => {
      server.answer({ chunks: [dialect.calls()] });
      const { events, outcome } = await ask();
      expect(outcome.stopReason).toBe("toolUse");
      expect(callsOf(outcome.content)).toMatchObject([
        { name: "a", arguments: { x: 1 } },
        { name: "b", arguments: {} },
      ]);
      expect(callsOf(outcome.content).some((call) => "argumentsError" in call)).toBe(false);
      const named = events.flatMap((event) =>
        event.type === "tool_call_delta" && event.name ? [event.name] : [],
      );
      expect(named).toEqual(["a", "b"]);
    });

    it.each(["length", "calls"] as const)(
      "never lets a call with cut arguments run (stop: %s)",
      async (stop) => {
        server.answer({ chunks: [dialect.cutCall(stop)] });
        const { outcome } = await ask();
        expect(outcome.stopReason).toBe(stop === "length" ? "length" : "toolUse");
        const [whole, cut] = callsOf(outcome.content);
        expect(whole).toMatchObject({ name: "ok", arguments: { a: 1 } });
        expect(whole?.argumentsError).toBeUndefined();
        expect(cut).toMatchObject({
          name: "cut",
          arguments: {},
          argumentsError: expect.stringContaining("no JSON"),
        });
      },
    );

    it.each<[ProblemCode, number, string]>([
      ["provider_auth", 401, '{"error":{"message":"bad key"}}'],
      ["provider_rate_limit", 429, '{"error":{"message":"too many tokens per minute"}}'],
      ["provider_quota", 429, '{"error":{"code":"insufficient_quota","message":"You exceeded your quota"}}'],
      ["provider_overloaded", 500, "oops"],
      [
        "provider_overloaded",
        529,
        '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
      ],
      ["provider_overflow", 400, '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}'],
      ["provider_rejected", 404, '{"error":{"message":"no such model"}}'],
    ])("answers %s for HTTP %i, once", async (code, status, body) => {
      server.answer({
        status,
        headers: { "content-type": "application/json", "retry-after": "7" },
        chunks: [body],
      });
      const { outcome } = await ask();
      expect(outcome).toMatchObject({
        stopReason: "error",
        content: [],
        problem: { code },
        retryAfterMs: 7000,
      });
      expect(outcome.problem?.message).toContain("Acme");
      expect(outcome.problem?.message).toContain(String(status));
      expect(server.seen).toHaveLength(1);
    });

    it("keeps its key out of what it says", async () => {
      server.answer({
        status: 401,
        headers: { "content-type": "application/json" },
        chunks: [`{"error":{"message":"wrong key ${KEY}"}}`],
      });
      expect(JSON.stringify((await ask()).outcome)).not.toContain(KEY);
    });

    it("says so when nothing listens", async () => {
      await server.close();
      const { outcome } = await ask();
      expect(outcome).toMatchObject({ stopReason: "error", problem: { code: "provider_network" } });
      expect(outcome.problem?.message).toContain(server.url);
    });

    it("ends in an error when one comes inside the stream, and keeps the text", async () => {
      server.answer({ chunks: [dialect.failing("partial")] });
      const { outcome } = await ask();
      expect(outcome).toMatchObject({ stopReason: "error", problem: { code: "provider_overloaded" } });
      expect(said(outcome.content)).toBe("partial");
    });

    it.each([
      { then: "end", halfCall: false },
      { then: "end", halfCall: true },
      { then: "cut", halfCall: false },
      { then: "cut", halfCall: true },
    ] as const)("knows a broken-off stream: $then, half a call: $halfCall", async ({ then, halfCall }) => {
      server.answer({ chunks: [dialect.opening("partial", halfCall)], then });
      const { outcome } = await ask();
      expect(outcome.stopReason).toBe("error");
      expect(["provider_stream", "provider_network"]).toContain(outcome.problem?.code);
      expect(said(outcome.content)).toBe("partial");
      for (const call of callsOf(outcome.content)) expect(call.argumentsError).toBeDefined();
      expect(callsOf(outcome.content)).toHaveLength(halfCall ? 1 : 0);
    });

    it("knows an answer of nothing", async () => {
      server.answer({ chunks: [] }, { chunks: [": ping\n\n"] });
      expect((await ask()).outcome).toMatchObject({
        stopReason: "error",
        problem: { code: "provider_stream" },
      });
      expect((await ask()).outcome.stopReason).toBe("error");
    });

    it.each([
      ["application/json", '{"error":{"message":"upstream is overloaded"}}'],
      ["text/html", "<html><body>Please sign in</body></html>"],
    ])("takes %s with status 200 for what it is", async (type, body) => {
      server.answer({ headers: { "content-type": type }, chunks: [body] });
      const { outcome } = await ask();
      expect(outcome).toMatchObject({ stopReason: "error", content: [] });
      expect(outcome.problem?.code).toBe("provider_overloaded");
    });

    it("ignores comments, comments sent as data, and events it does not know", async () => {
      const noise =
        ': ping\n\ndata: : PROCESSING\n\nevent: x-foo\ndata: {"type":"x-foo"}\n\nevent: ping\ndata: {}\n\n';
      const [first = "", ...rest] = dialect.text(["a", "b"], true).split(/(?<=\n\n)/);
      server.answer({ chunks: [noise, first, noise, ...rest.flatMap((frame) => [frame, noise])] });
      const { outcome } = await ask();
      expect(outcome.stopReason).toBe("stop");
      expect(said(outcome.content)).toBe("ab");
    });

    it("stops at once when told to, keeps what had arrived and hangs up", async () => {
      server.answer({ chunks: [dialect.opening("partial", false)], then: "hold" });
      const abort = new AbortController();
      const { outcome } = await collect(model, request(dialect.info), abort.signal, (event) => {
        if (event.type === "text_delta") abort.abort();
      });
      expect(outcome.stopReason).toBe("aborted");
      expect(outcome.problem).toBeUndefined();
      expect(said(outcome.content)).toBe("partial");
      await server.hungUp();
    });

    it("stops while it waits for the head of the answer, and before it asks", async () => {
      const abort = new AbortController();
      const silent = dialect.create({ label: "Acme", baseUrl: "http://127.0.0.1:9", apiKey: KEY });
      setTimeout(() => abort.abort(), 5);
      expect((await collect(silent, request(dialect.info), abort.signal)).events).toHaveLength(1);
      const before = await collect(model, request(dialect.info), AbortSignal.abort());
      expect(before.outcome).toMatchObject({ stopReason: "aborted", content: [] });
      expect(server.seen).toHaveLength(0);
    });

    it("does not wait for a server that keeps the line open after the end", async () => {
      server.answer({ chunks: [dialect.text(["done"], true)], then: "hold" });
      const { outcome } = await ask();
      expect(outcome.stopReason).toBe("stop");
    });

    it("closes the connection when its reader goes away", async () => {
      server.answer({ chunks: [dialect.opening("partial", false)], then: "hold" });
      for await (const _event of model(request(dialect.info), new AbortController().signal)) break;
      await server.hungUp();
    });

    it("sends once more without earlier thinking when just that is refused", async () => {
      const refusal =
        '{"error":{"type":"invalid_request_error","message":"messages.1: Invalid signature in thinking block"}}';
      server.answer(
        { status: 400, headers: { "content-type": "application/json" }, chunks: [refusal] },
        { chunks: [dialect.text(["ok"], true)] },
      );
      const { outcome } = await ask({
        thinkingLevel: "low",
        messages: [
          { role: "user", content: "one", timestamp: 0 },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "secret thought", thinkingSignature: dialect.signature },
              { type: "text", text: "two" },
            ],
            api: dialect.info.api,
            provider: dialect.info.provider,
            model: dialect.info.id,
            usage: {
              input: 0,
              output: 0,
              cacheRead: 0,
              cacheWrite: 0,
              totalTokens: 0,
              cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
            },
            stopReason: "stop",
            timestamp: 0,
          },
          { role: "user", content: "three", timestamp: 0 },
        ],
      });
      expect(outcome).toMatchObject({ stopReason: "stop", note: expect.stringContaining("thinking") });
      const [first, second] = server.seen.map(({ body }) => JSON.stringify(body));
      expect(first).toContain(dialect.signaturePart);
      expect(second).not.toContain(dialect.signaturePart);
      expect(second).not.toContain("secret thought");
      expect(second).toContain("three");
    });

    it("never throws and ends once, whatever the bytes", async () => {
      const whole = dialect.calls() + dialect.text(["x"], true);
      const garbage = fc.oneof(
        fc.string(),
        fc.uint8Array({ maxLength: 40 }),
        fc.tuple(fc.nat(whole.length), fc.nat(whole.length)).map(([from, to]) => whole.slice(from, to)),
        fc.json().map((json) => `data: ${json}\n\n`),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(garbage, { maxLength: 5 }), async (chunks) => {
          server.answer({ chunks: chunks.filter((chunk) => chunk.length > 0) });
          const { outcome } = await ask();
          for (const call of callsOf(outcome.content)) expect(typeof call.arguments).toBe("object");
        }),
        { numRuns: runs(30) },
      );
    });
  });
};
