import type { ModelInfo } from "@espalier/protocol";
import { type Dialect, providerCase } from "../provider.case.ts";
import { chatModel } from "./index.ts";

const info: ModelInfo = {
  provider: "acme",
  id: "some-model",
  name: "Some model",
  api: "openai-completions",
  contextWindow: 128_000,
  maxTokens: 16_384,
  reasoning: true,
  input: ["text"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 },
  ready: true,
};

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null): string =>
  data({ id: "c1", model: info.id, choices: [{ index: 0, delta, finish_reason: finish }] });
const usageChunk = data({
  id: "c1",
  choices: [],
  usage: {
    prompt_tokens: 100,
    completion_tokens: 7,
    total_tokens: 107,
    prompt_tokens_details: { cached_tokens: 20 },
  },
});
const end = (word: string, usage: boolean): string =>
  `${chunk({}, word)}${usage ? usageChunk : ""}data: [DONE]\n\n`;
const call = (index: number, name: string): string =>
  chunk({
    tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name, arguments: "" } }],
  });
const args = (index: number, piece: string): string =>
  chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
const text = (pieces: readonly string[]): string => pieces.map((content) => chunk({ content })).join("");

const dialect: Dialect = {
  name: "OpenAI Chat Completions",
  create: chatModel,
  info,
  basePath: "/v1",
  keyHeader: ["authorization", "Bearer KEY"],
  signaturePart: "reasoning_content",
  signature: "reasoning_content",
  text: (pieces, usage) => text(pieces) + end("stop", usage),
  thinking: (thought, answer) => chunk({ reasoning_content: thought }) + text([answer]) + end("stop", true),
  calls: () =>
    call(0, "a") + call(1, "b") + args(0, '{"x":') + args(1, "{}") + args(0, "1}") + end("tool_calls", true),
  cutCall: (stop) =>
    call(0, "ok") +
    args(0, '{"a":1}') +
    call(1, "cut") +
    args(1, '{"path":"R.md","content":"abc ') +
    end(stop === "length" ? "length" : "tool_calls", true),
  failing: (partial) =>
    text([partial]) + data({ error: { code: 502, message: "Worker limit" }, choices: [] }),
  opening: (partial, halfCall) => text([partial]) + (halfCall ? call(0, "a") + args(0, '{"x":') : ""),
};

providerCase(dialect);
