import { describe, expect, it } from "vitest";
import { requestShapeCase } from "../request-shape.case.ts";
import { assistantSays, call, image, modelNamed, requestOf, result, userSays } from "../sample-messages.ts";
import { toResponsesRequest } from "./to-request.ts";

const gpt = modelNamed({ id: "gpt-5.4", api: "openai-responses" });
const other = modelNamed({ id: "gpt-5.2", api: "openai-responses" });
const keep = { withReasoning: true };
const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "gAAA",
};
const thought = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: JSON.stringify(reasoning) };
const history = [
  userSays("look"),
  assistantSays(gpt, [
    thought,
    { type: "text", text: "So.", textSignature: JSON.stringify({ v: 1, id: "msg_1", phase: "commentary" }) },
    call("call_1|fc_1", "read", { path: "a" }),
  ]),
  result("call_1|fc_1", "one"),
  userSays([{ type: "text", text: "and this" }, image]),
];
const input = (model: typeof gpt, options = keep) =>
  toResponsesRequest(requestOf(model, history), options).input;

describe("toResponsesRequest", () => {
  it("sends items, with reasoning and ids to the model they come from", () => {
    expect(input(gpt)).toEqual([
      { role: "user", content: [{ type: "input_text", text: "look" }] },
      reasoning,
      {
        type: "message",
        role: "assistant",
        id: "msg_1",
        status: "completed",
        phase: "commentary",
        content: [{ type: "output_text", text: "So.", annotations: [] }],
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call_output", call_id: "call_1", output: "one" },
      {
        role: "user",
        content: [
          { type: "input_text", text: "and this" },
          { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0KGgo=" },
        ],
      },
    ]);
  });

  it("sends neither to another model, nor when told to leave reasoning out", () => {
    for (const items of [input(other), input(gpt, { withReasoning: false })]) {
      expect(items?.slice(1, 3)).toEqual([
        { role: "assistant", content: "So." },
        { type: "function_call", call_id: "call_1", name: "read", arguments: '{"path":"a"}' },
      ]);
    }
  });

  it("keeps a call without its item id when its reasoning is not there", () => {
    const messages = [assistantSays(gpt, [call("call_1|fc_1", "read")]), result("call_1|fc_1", "x")];
    expect(toResponsesRequest(requestOf(gpt, messages), keep).input?.[0]).not.toHaveProperty("id");
  });

  it("stores nothing at the provider and names the cache by the session", () => {
    const body = toResponsesRequest(requestOf(gpt, history, { thinkingLevel: "xhigh" }), keep);
    expect(body).toMatchObject({
      store: false,
      stream: true,
      instructions: "Be brief.",
      prompt_cache_key: "0198c0de-0000-7000-8000-000000000000",
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "xhigh", summary: "auto" },
      max_output_tokens: 32_000,
    });
    expect(body.tools).toMatchObject([{ type: "function", name: "read", strict: false }, { name: "bash" }]);
  });

  it("does not ask a model that does not reason to do so", () => {
    const body = toResponsesRequest(
      requestOf({ ...gpt, reasoning: false }, history, { thinkingLevel: "high" }),
      keep,
    );
    expect(body.reasoning).toBeUndefined();
    expect(body.include).toBeUndefined();
  });

  it("sends images of a result inside it, and never empty text", () => {
    const messages = [
      assistantSays(gpt, [{ type: "text", text: " " }, call("c1", "read"), call("c2", "bash")]),
      result("c1", [image]),
      result("c2", ""),
    ];
    expect(toResponsesRequest(requestOf(gpt, messages), keep).input).toMatchObject([
      { type: "function_call" },
      { type: "function_call" },
      { type: "function_call_output", output: [{ type: "input_image" }] },
      { type: "function_call_output", output: "(no output)" },
    ]);
  });

  requestShapeCase("openai-responses", "input", () => input(gpt), [
    "user.content[]: input_image {detail image_url type}",
    "reasoning.summary[]: summary_text {text type}",
    "message.id: string",
    "message.status: string",
    "message.phase: string",
    "message.content[]: output_text {annotations text type}",
    "function_call.id: string",
  ]);
});
