import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelOutcome } from "@espalier/core";
import type { ModelInfo, Problem } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { builtInAdapters } from "./built-in-adapters.ts";
import { ModelRuntime, type ModelRuntimeOptions } from "./model-runtime.ts";
import { expandValue, parseModelsFile } from "./models-file.ts";
import { requestOf, userSays } from "./sample-messages.ts";
import { type ScriptedServer, startScriptedServer } from "./scripted-server.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-models-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

let writes = 0;
const putModels = (value: unknown): void => {
  const path = join(folder, "models.json");
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  // Two writes within one tick of the clock must still count as two.
  utimesSync(path, new Date(), new Date(1_700_000_000_000 + writes++ * 1000));
};
const runtime = (over: Partial<ModelRuntimeOptions> = {}): ModelRuntime =>
  new ModelRuntime({
    dataDir: folder,
    env: {},
    readKey: async () => undefined,
    adapters: () => builtInAdapters(0),
    ...over,
  });

const isProblem = (found: ModelInfo | Problem): found is Problem => "code" in found;
const resolved = async (models: ModelRuntime, ref: string): Promise<ModelInfo> => {
  const found = await models.resolve(ref);
  if (isProblem(found)) throw new Error(found.message);
  return found;
};
const codeOf = async (models: ModelRuntime, ref: string): Promise<string> => {
  const found = await models.resolve(ref);
  return isProblem(found) ? found.code : "found";
};
const ask = async (models: ModelRuntime, info: ModelInfo): Promise<ModelOutcome> => {
  for await (const event of models.modelFor(info)(
    requestOf(info, [userSays("hello")]),
    new AbortController().signal,
  )) {
    if (event.type === "end") return event.outcome;
  }
  throw new Error("no end");
};

describe("ModelRuntime", () => {
  it("lists what it knows, with what can be asked now, and falls back to the demo", async () => {
    const models = runtime();
    const list = await models.list();
    expect(list.length).toBeGreaterThan(5);
    expect(list.filter((model) => model.ready).map((model) => model.id)).toEqual(["gardener"]);
    expect(list.at(-1)).toMatchObject({ provider: "demo", note: "a script, not a language model" });
    expect(await models.fallback()).toMatchObject({ provider: "demo", id: "gardener" });
    expect(await models.listing()).toMatchObject({
      default: { provider: "demo", modelId: "gardener" },
      problems: [],
    });
    for (const { contextWindow, maxTokens, cost } of list) {
      expect(contextWindow).toBeGreaterThan(maxTokens);
      expect(Object.values(cost).every((price) => price >= 0)).toBe(true);
    }
  });

  it("takes keys from the environment and prefers what a person stored", async () => {
    const models = runtime({
      env: { ANTHROPIC_API_KEY: "k1" },
      readKey: async (id) => (id === "openai" ? "k2" : undefined),
    });
    const ready = (await models.list()).filter((model) => model.ready).map((model) => model.provider);
    expect(new Set(ready)).toEqual(new Set(["anthropic", "openai", "demo"]));
    expect((await models.fallback()).provider).toBe("anthropic");
    expect(JSON.stringify(await models.listing())).not.toMatch(/k1|k2/);
  });

  it("does what the person prefers, when it can be done", async () => {
    const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" };
    expect(await runtime({ env, preferred: async () => "openai/gpt-6-luna" }).fallback()).toMatchObject({
      id: "gpt-6-luna",
    });
    expect((await runtime({ env, preferred: async () => "openrouter/x" }).fallback()).provider).toBe(
      "anthropic",
    );
  });

  it("resolves by name, by reference and by an id that only one provider has", async () => {
    const models = runtime({ env: { ANTHROPIC_API_KEY: "k", OPENROUTER_API_KEY: "k" } });
    expect(await resolved(models, "anthropic/claude-opus-5-5")).toMatchObject({
      api: "anthropic-messages",
      ready: true,
    });
    expect(await models.resolve({ provider: "demo", modelId: "gardener" })).toMatchObject({ api: "demo" });
    expect(await resolved(models, "claude-haiku-5-5")).toMatchObject({ provider: "anthropic" });
    expect(await resolved(models, "openrouter/some/new-model")).toMatchObject({
      provider: "openrouter",
      id: "some/new-model",
      api: "openai-completions",
      note: expect.stringContaining("not in the catalogue"),
    });
    expect(await codeOf(models, "openai/gpt-6-luna")).toBe("no_key");
    expect(await codeOf(models, "nonsense")).toBe("no_model");
    expect(await codeOf(models, "nobody/x")).toBe("no_model");
    expect(await codeOf(models, "anthropic/")).toBe("no_model");
    const missing = await models.resolve("openai/gpt-6-luna");
    expect(isProblem(missing) && missing.message).toContain("OPENAI_API_KEY");
  });

  it("adds the providers and models of models.json, and reads it again when it changes", async () => {
    putModels({
      providers: {
        mine: {
          name: "My server",
          baseUrl: "http://127.0.0.1:1/v1",
          apiKey: "none",
          api: "openai-completions",
          models: [
            {
              id: "a/b",
              name: "AB",
              contextWindow: 1000,
              maxTokens: 100,
              input: ["text", "image"],
              unknownField: 1,
            },
            { id: "c" },
          ],
        },
      },
    });
    const models = runtime();
    expect((await models.list()).slice(0, 2)).toEqual([
      {
        provider: "mine",
        id: "a/b",
        name: "AB",
        api: "openai-completions",
        contextWindow: 1000,
        maxTokens: 100,
        reasoning: false,
        input: ["text", "image"],
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        ready: true,
      },
      expect.objectContaining({ id: "c", contextWindow: 128_000, maxTokens: 16_384 }),
    ]);
    expect((await models.fallback()).id).toBe("a/b");
    putModels({ providers: {} });
    expect(await codeOf(models, "mine/c")).toBe("no_model");
  });

  it("puts an overlay on a known provider", async () => {
    putModels({
      providers: {
        anthropic: {
          baseUrl: "https://proxy.example",
          apiKey: "$MY_KEY",
          models: [{ id: "claude-opus-5-5", contextWindow: 5000 }],
        },
      },
    });
    const models = runtime({ env: { MY_KEY: "k" } });
    expect(await resolved(models, "anthropic/claude-opus-5-5")).toMatchObject({
      contextWindow: 5000,
      name: "Claude Opus 5.5",
      cost: { input: 4 },
    });
    expect((await models.list()).filter((model) => model.id === "claude-opus-5-5")).toHaveLength(1);
    const without = await runtime().resolve("anthropic/claude-opus-5-5");
    expect(isProblem(without) && without.message).toContain("MY_KEY");
  });

  it.each<[string, unknown, string]>([
    ["no JSON", "{ nope", "no valid JSON"],
    ["no providers", { models: [] }, "providers: expected object"],
    [
      "a wrong field",
      { providers: { x: { baseUrl: 5, api: "openai-completions" } } },
      "providers.x.baseUrl: expected string",
    ],
    ["an unknown API", { providers: { x: { baseUrl: "http://h", api: "smoke" } } }, "providers.x.api"],
    [
      "no address",
      { providers: { x: { api: "openai-completions", models: [{ id: "m" }] } } },
      "providers.x.baseUrl: it is missing",
    ],
    [
      "a broken address",
      { providers: { x: { baseUrl: "h", api: "openai-completions" } } },
      "providers.x.baseUrl: it is no address",
    ],
    ["no API", { providers: { x: { baseUrl: "http://h" } } }, "providers.x.api: it is missing"],
    [
      "a command for a key",
      { providers: { x: { baseUrl: "http://h", api: "openai-completions", apiKey: "!pass" } } },
      "providers.x.apiKey",
    ],
    [
      "a wrong model",
      {
        providers: {
          x: { baseUrl: "http://h", api: "openai-completions", models: [{ id: "ok" }, { id: 3 }] },
        },
      },
      "providers.x.models.1.id",
    ],
  ])("names file and field of %s, and the rest works", async (_name, file, field) => {
    putModels(file);
    const models = runtime({ env: { ANTHROPIC_API_KEY: "k" } });
    const { problems, models: list } = await models.listing();
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain("models.json");
    expect(problems[0]?.message).toContain(field);
    expect(list.filter((model) => model.ready).length).toBeGreaterThan(1);
    expect(await models.resolve("anthropic/claude-opus-5-5")).toMatchObject({ ready: true });
  });

  it("keeps the good models of a provider and the good providers of a file", async () => {
    putModels({
      providers: {
        good: {
          baseUrl: "http://127.0.0.1:1",
          api: "anthropic-messages",
          models: [{ id: "m1" }, { name: "no id" }, { id: "m2" }],
        },
        bad: { baseUrl: true },
        odd: 7,
      },
    });
    const { problems, models } = await runtime().listing();
    expect(problems).toHaveLength(3);
    expect(models.filter((model) => model.provider === "good").map((model) => model.id)).toEqual([
      "m1",
      "m2",
    ]);
  });

  it("runs the demo", async () => {
    const models = runtime();
    expect((await ask(models, await models.fallback())).content).toMatchObject(
      [{ type: "thinking" }, { type: "text" }].slice(1),
    );
  });

  it("answers with a problem when the key is gone", async () => {
    const models = runtime({ env: { OPENAI_API_KEY: "k" } });
    const info = await resolved(models, "openai/gpt-6-luna");
    expect(await ask(runtime(), info)).toMatchObject({ stopReason: "error", problem: { code: "no_key" } });
  });
});

describe("a key and its request", () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => server.close());
  const chat = 'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

  it("meet only when the model is asked, with the headers of provider and model", async () => {
    let key = "first-key";
    putModels({
      providers: {
        mine: {
          baseUrl: `${server.url}/v1`,
          api: "openai-completions",
          apiKey: "${MY_KEY}",
          headers: { "x-team": "$TEAM", "x-unset": "$NOWHERE" },
          models: [{ id: "m", headers: { "x-model": "yes" } }],
        },
      },
    });
    const models = runtime({ env: { MY_KEY: "from-env", TEAM: "blue" }, readKey: async () => key });
    const info = await resolved(models, "mine/m");
    server.answer({ chunks: [chat] }, { chunks: [chat] }, { chunks: [chat] });
    expect((await ask(models, info)).content).toMatchObject([{ text: "hi" }]);
    key = "second-key";
    await ask(models, info);
    key = "";
    await ask(models, info);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer first-key",
      "Bearer second-key",
      "Bearer from-env",
    ]);
    expect(server.seen[0]?.headers).toMatchObject({ "x-team": "blue", "x-model": "yes" });
    expect(server.seen[0]?.headers).not.toHaveProperty("x-unset");
    expect(server.seen[0]?.path).toBe("/v1/chat/completions");
  });

  it("go where ANTHROPIC_BASE_URL and OPENAI_BASE_URL say, and nowhere else", async () => {
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      OPENAI_BASE_URL: `${server.url}/v1`,
      ANTHROPIC_API_KEY: "ka",
    };
    const models = runtime({ env });
    server.answer({ chunks: [] }, { chunks: [] });
    await ask(models, await resolved(models, "anthropic/claude-haiku-5-5"));
    await ask(models, await resolved(models, "openai/gpt-6-luna"));
    expect(server.seen.map(({ path }) => path)).toEqual(["/v1/messages", "/v1/responses"]);
    expect(server.seen[0]?.headers["x-api-key"]).toBe("ka");
    expect(server.seen[1]?.headers.authorization).toBe("Bearer none");
  });
});

describe("probeLocal", () => {
  it("finds what runs here and lists it, and is not held up by what does not", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ id: "qwen3" }, { id: "nomic-embed-text" }, { nothing: 1 }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const models = runtime({
      localServers: [
        { id: "ollama", label: "Ollama", baseUrl: `http://127.0.0.1:${port}/v1` },
        { id: "lmstudio", label: "LM Studio", baseUrl: "http://127.0.0.1:9/v1" },
      ],
    });
    expect(await models.probeLocal()).toMatchObject([{ provider: "ollama", id: "qwen3", ready: true }]);
    expect(await resolved(models, "ollama/qwen3")).toMatchObject({ api: "openai-completions" });
    expect((await models.list()).filter((model) => model.ready).map((model) => model.provider)).toEqual([
      "ollama",
      "demo",
    ]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("expandValue", () => {
  it("puts variables in", () => {
    const env = { A: "1", B_2: "x" };
    expect(expandValue("$A-${B_2}", env)).toEqual({ value: "1-x" });
    expect(expandValue("a$$b$!c", env)).toEqual({ value: "a$b!c" });
    expect(expandValue("$NONE", env)).toEqual({ missing: "NONE" });
    expect(expandValue("!ls", env)).toMatchObject({ refused: expect.any(String) });
    expect(expandValue("sk-plain", env)).toEqual({ value: "sk-plain" });
  });
});

describe("parseModelsFile", () => {
  it("takes pi's file with fields we do not use", () => {
    const { providers, problems } = parseModelsFile(
      JSON.stringify({
        providers: {
          o: {
            baseUrl: "http://h/v1",
            api: "openai-completions",
            compat: { x: 1 },
            authHeader: true,
            models: [{ id: "m", compat: {} }],
          },
        },
        extra: 1,
      }),
      "models.json",
    );
    expect(problems).toEqual([]);
    expect(providers.get("o")?.models).toHaveLength(1);
  });
});
