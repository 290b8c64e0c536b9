import type { ModelInfo } from "@espalier/protocol";
import { type Dialect, providerCase } from "../provider.case.ts";
import { responsesModel } from "./index.ts";

const info: ModelInfo = {
  provider: "acme",
  id: "gpt-5.1",
  name: "GPT",
  api: "openai-responses",
  contextWindow: 400_000,
  maxTokens: 128_000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 0 },
  ready: true,
};

const frame = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const start = frame("response.created", { response: { id: "resp_1", model: info.id } });
const added = (place: number, item: object): string =>
  frame("response.output_item.added", { output_index: place, item });
const done = (place: number, item: object): string =>
  frame("response.output_item.done", { output_index: place, item });
const end = (status: string, usage: boolean, more: object = {}): string =>
  frame(status === "completed" ? "response.completed" : "response.incomplete", {
    response: {
      id: "resp_1",
      model: info.id,
      status,
      output: [],
      ...more,
      ...(usage
        ? {
            usage: {
              input_tokens: 100,
              output_tokens: 7,
              total_tokens: 107,
              input_tokens_details: { cached_tokens: 20 },
            },
          }
        : {}),
    },
  });
const text = (place: number, pieces: readonly string[]): string =>
  added(place, { type: "message", id: "msg_1" }) +
  pieces.map((piece) => frame("response.output_text.delta", { output_index: place, delta: piece })).join("");
const call = (place: number, name: string): string =>
  added(place, { type: "function_call", id: `fc_${place}`, call_id: `call_${place}`, name, arguments: "" });
const args = (place: number, piece: string): string =>
  frame("response.function_call_arguments.delta", { output_index: place, delta: piece });
const closed = (place: number, name: string, whole: string): string =>
  done(place, { type: "function_call", id: `fc_${place}`, call_id: `call_${place}`, name, arguments: whole });

const dialect: Dialect = {
  name: "OpenAI Responses",
  create: responsesModel,
  info,
  basePath: "/v1",
  keyHeader: ["authorization", "Bearer KEY"],
  signaturePart: "gAAA",
  signature: JSON.stringify({
    id: "rs_1",
    type: "reasoning",
    summary: [{ type: "summary_text", text: "secret thought" }],
    encrypted_content: "gAAA",
  }),
  text: (pieces, usage) => start + text(0, pieces) + end("completed", usage),
  thinking: (thought, answer) =>
    start +
    added(0, { type: "reasoning", id: "rs_1", summary: [] }) +
    frame("response.reasoning_summary_text.delta", { output_index: 0, delta: thought }) +
    done(0, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }) +
    text(1, [answer]) +
    end("completed", true),
  calls: () =>
    start +
    call(0, "a") +
    call(1, "b") +
    args(0, '{"x":') +
    args(1, "{}") +
    args(0, "1}") +
    closed(0, "a", '{"x":1}') +
    closed(1, "b", "{}") +
    end("completed", true),
  cutCall: (stop) => {
    const half = '{"path":"R.md","content":"abc ';
    const limit = { incomplete_details: { reason: "max_output_tokens" } };
    return (
      start +
      call(0, "ok") +
      closed(0, "ok", '{"a":1}') +
      call(1, "cut") +
      args(1, half) +
      closed(1, "cut", half) +
      (stop === "length" ? end("incomplete", true, limit) : end("completed", true))
    );
  },
  failing: (partial) =>
    start +
    text(0, [partial]) +
    frame("response.failed", {
      response: { status: "failed", error: { code: "server_error", message: "overloaded" } },
    }),
  opening: (partial, halfCall) =>
    start + text(0, [partial]) + (halfCall ? call(1, "a") + args(1, '{"x":') : ""),
};

providerCase(dialect);
