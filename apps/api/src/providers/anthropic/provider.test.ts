import type { ModelInfo } from "@espalier/protocol";
import { type Dialect, providerCase } from "../provider.case.ts";
import { anthropicModel } from "./index.ts";

const info: ModelInfo = {
  provider: "acme",
  id: "claude-sonnet-4-5",
  name: "Claude",
  api: "anthropic-messages",
  contextWindow: 200_000,
  maxTokens: 32_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  ready: true,
};

const frame = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const start = (usage: boolean): string =>
  frame("message_start", {
    message: {
      id: "msg_1",
      model: info.id,
      ...(usage ? { usage: { input_tokens: 80, cache_read_input_tokens: 20, output_tokens: 1 } } : {}),
    },
  });
const open = (index: number, block: object): string =>
  frame("content_block_start", { index, content_block: block });
const delta = (index: number, piece: object): string => frame("content_block_delta", { index, delta: piece });
const close = (index: number): string => frame("content_block_stop", { index });
const end = (word: string, usage: boolean): string =>
  frame("message_delta", {
    delta: { stop_reason: word },
    ...(usage ? { usage: { output_tokens: 7 } } : {}),
  }) + frame("message_stop", {});
const text = (index: number, pieces: readonly string[]): string =>
  open(index, { type: "text", text: "" }) +
  pieces.map((piece) => delta(index, { type: "text_delta", text: piece })).join("");
const args = (index: number, piece: string): string =>
  delta(index, { type: "input_json_delta", partial_json: piece });
const call = (index: number, name: string): string =>
  open(index, { type: "tool_use", id: `toolu_${index}`, name, input: {} });

const dialect: Dialect = {
  name: "Anthropic Messages",
  create: anthropicModel,
  info,
  basePath: "",
  keyHeader: ["x-api-key", "KEY"],
  signaturePart: "c2lnbmF0dXJl",
  signature: "c2lnbmF0dXJl",
  text: (pieces, usage) => start(usage) + text(0, pieces) + close(0) + end("end_turn", usage),
  thinking: (thought, answer) =>
    start(true) +
    open(0, { type: "thinking", thinking: "", signature: "" }) +
    delta(0, { type: "thinking_delta", thinking: thought }) +
    delta(0, { type: "signature_delta", signature: "c2ln" }) +
    close(0) +
    text(1, [answer]) +
    close(1) +
    end("end_turn", true),
  calls: () =>
    start(true) +
    call(0, "a") +
    call(1, "b") +
    args(0, '{"x":') +
    args(1, "{}") +
    args(0, "1}") +
    close(0) +
    close(1) +
    end("tool_use", true),
  cutCall: (stop) =>
    start(true) +
    call(0, "ok") +
    args(0, '{"a":1}') +
    close(0) +
    call(1, "cut") +
    args(1, '{"path":"R.md","content":"abc ') +
    close(1) +
    end(stop === "length" ? "max_tokens" : "tool_use", true),
  failing: (partial) =>
    start(true) +
    text(0, [partial]) +
    frame("error", { error: { type: "overloaded_error", message: "Overloaded" } }),
  opening: (partial, halfCall) =>
    start(true) + text(0, [partial]) + (halfCall ? close(0) + call(1, "a") + args(1, '{"x":') : ""),
};

providerCase(dialect);
