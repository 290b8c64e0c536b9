import type { ModelApi } from "@espalier/protocol";

/** A call as a script names it. */
export interface WireCall {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, fields: object): string => `event: ${type}\n${data({ type, ...fields })}`;

const chat = (text: string, calls: readonly WireCall[]): string[] => {
  const chunk = (delta: object, finish: string | null = null) =>
    data({ id: "c1", choices: [{ index: 0, delta, finish_reason: finish }] });
  return [
    ...(text === "" ? [] : [chunk({ content: text })]),
    ...calls.map(({ id, name, args }, index) =>
      chunk({
        tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      }),
    ),
    `${chunk({}, calls.length > 0 ? "tool_calls" : "stop")}data: [DONE]\n\n`,
  ];
};

const anthropic = (text: string, calls: readonly WireCall[]): string[] => {
  const block = (index: number, start: object, delta: object): string =>
    named("content_block_start", { index, content_block: start }) +
    named("content_block_delta", { index, delta }) +
    named("content_block_stop", { index });
  const first = text === "" ? 0 : 1;
  return [
    named("message_start", { message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1 } } }),
    ...(first === 0 ? [] : [block(0, { type: "text", text: "" }, { type: "text_delta", text })]),
    ...calls.map(({ id, name, args }, at) =>
      block(
        first + at,
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(args) },
      ),
    ),
    named("message_delta", {
      delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
      usage: { output_tokens: 5 },
    }) + named("message_stop", {}),
  ];
};

const responses = (text: string, calls: readonly WireCall[]): string[] => {
  const first = text === "" ? 0 : 1;
  return [
    named("response.created", { response: { id: "resp_1" } }),
    ...(first === 0
      ? []
      : [
          named("response.output_item.added", { output_index: 0, item: { type: "message", id: "msg_1" } }),
          named("response.output_text.delta", { output_index: 0, delta: text }),
        ]),
    ...calls.map(({ id, name, args }, at) => {
      const item = { type: "function_call", id: `fc_${at}`, call_id: id, name };
      const whole = JSON.stringify(args);
      return (
        named("response.output_item.added", { output_index: first + at, item: { ...item, arguments: "" } }) +
        named("response.function_call_arguments.delta", { output_index: first + at, delta: whole }) +
        named("response.output_item.done", { output_index: first + at, item: { ...item, arguments: whole } })
      );
    }),
    named("response.completed", { response: { id: "resp_1", status: "completed", output: [] } }),
  ];
};

export type WireApi = Exclude<ModelApi, "demo">;

/** One whole answer as each API streams it, in pieces. */
export const wireAnswer: Record<WireApi, (text: string, calls?: readonly WireCall[]) => string[]> = {
  "openai-completions": (text, calls = []) => chat(text, calls),
  "openai-responses": (text, calls = []) => responses(text, calls),
  "anthropic-messages": (text, calls = []) => anthropic(text, calls),
};

/** What `models.json` says of a server at `url`. */
export const modelsFile = (api: WireApi, url: string): string =>
  JSON.stringify({
    providers: {
      acme: {
        baseUrl: api === "anthropic-messages" ? url : `${url}/v1`,
        apiKey: "key-of-a-test",
        api,
        models: [{ id: "some-model", contextWindow: 100_000, maxTokens: 4000 }],
      },
    },
  });
