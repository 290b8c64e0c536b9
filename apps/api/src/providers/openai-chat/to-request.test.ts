import type { ThinkingLevel } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { requestShapeCase } from "../request-shape.case.ts";
import { assistantSays, call, image, modelNamed, requestOf, result, userSays } from "../sample-messages.ts";
import { toChatRequest } from "./to-request.ts";

const model = modelNamed({});
const other = modelNamed({ id: "other" });
const keep = { withReasoning: true };
const url = "https://llm.example/v1";
const thought = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: "reasoning_content" };
const history = [
  userSays("look"),
  assistantSays(model, [
    thought,
    { type: "text", text: "So." },
    call("c1", "read", { path: "a" }),
    call("c2", "bash"),
  ]),
  result("c1", "one"),
  result("c2", [image]),
  userSays([{ type: "text", text: "and this" }, image]),
];

describe("toChatRequest", () => {
  it("sends system, calls, results and images in the shape all servers know", () => {
    expect(toChatRequest(requestOf(model, history), url, keep).messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "look" },
      {
        role: "assistant",
        content: "So.",
        tool_calls: [
          { type: "function", id: "c1", function: { name: "read", arguments: '{"path":"a"}' } },
          { type: "function", id: "c2", function: { name: "bash", arguments: "{}" } },
        ],
        reasoning_content: "Hm.",
      },
      { role: "tool", tool_call_id: "c1", content: "one" },
      { role: "tool", tool_call_id: "c2", content: "(an image, shown below)" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image from read:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "text", text: "and this" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ]);
  });

  it("gives reasoning back in its own field, to its own model only", () => {
    const sent = (to: typeof model, options = keep) =>
      JSON.stringify(toChatRequest(requestOf(to, history), url, options));
    expect(sent(model)).toContain('"reasoning_content":"Hm."');
    expect(sent(other)).not.toContain("Hm.");
    expect(sent(model, { withReasoning: false })).not.toContain("Hm.");
  });

  it("gives a call's opaque reasoning back beside it", () => {
    const detail = { type: "reasoning.encrypted", id: "c1", data: "xyz" };
    const message = assistantSays(model, [
      {
        ...call("c1", "read"),
        ...{ thoughtSignature: JSON.stringify(detail) },
      },
    ]);
    expect(
      toChatRequest(requestOf(model, [message, result("c1", "x")]), url, keep).messages[1],
    ).toMatchObject({
      reasoning_details: [detail],
    });
  });

  it("never sends an empty message or empty text", () => {
    const messages = [
      userSays(""),
      userSays("a"),
      assistantSays(model, [{ type: "text", text: "" }]),
      assistantSays(model, [call("c1", "read")]),
      result("c1", " "),
    ];
    expect(toChatRequest(requestOf(model, messages, { system: "" }), url, keep).messages).toEqual([
      { role: "user", content: "a" },
      { role: "assistant", content: null, tool_calls: [expect.anything()] },
      { role: "tool", tool_call_id: "c1", content: "(no output)" },
    ]);
  });

  it.each<[string, string, ThinkingLevel, object]>([
    [
      "https://api.openai.com/v1",
      "gpt-5.1",
      "off",
      { reasoning_effort: "none", max_completion_tokens: 32_000, store: false },
    ],
    ["https://api.openai.com/v1", "o4-mini", "max", { reasoning_effort: "high" }],
    ["https://openrouter.ai/api/v1", "x/y", "high", { reasoning: { effort: "high" }, max_tokens: 32_000 }],
    ["https://openrouter.ai/api/v1", "x/y", "off", { reasoning: { enabled: false } }],
    ["https://api.deepseek.com", "deepseek-chat", "low", { thinking: { type: "enabled" } }],
    ["https://api.z.ai/api/paas/v4", "glm-4.7", "off", { thinking: { type: "disabled" } }],
    ["https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "qwen3", "low", { enable_thinking: true }],
    [
      "https://llm.example/v1",
      "unknown",
      "xhigh",
      { reasoning_effort: "high", stream_options: { include_usage: true } },
    ],
  ])("speaks the dialect of %s", (baseUrl, id, level, expected) => {
    const body = toChatRequest(requestOf({ ...model, id }, history, { thinkingLevel: level }), baseUrl, keep);
    expect(body).toMatchObject(expected);
  });

  it("leaves out what a server refuses", () => {
    const at = (baseUrl: string, id: string) =>
      toChatRequest(requestOf({ ...model, id }, history, { thinkingLevel: "high" }), baseUrl, keep);
    expect(at("https://api.mistral.ai/v1", "mistral-small")).not.toHaveProperty("stream_options");
    expect(at("https://api.groq.com/openai/v1", "llama-3")).not.toHaveProperty("reasoning_effort");
    expect(at("https://llm.example/v1", "x")).not.toHaveProperty("store");
    expect(
      toChatRequest(requestOf({ ...model, reasoning: false }, history, { thinkingLevel: "high" }), url, keep),
    ).not.toHaveProperty("reasoning_effort");
  });

  it("makes ids fit, the same for call and result, without joining two into one", () => {
    const long = `call_${"x".repeat(60)}`;
    const ids = [`${long}a`, `${long}b`, "functions.eval:301", "call-x\nfc_y", "c1|fc_1"];
    const messages = [
      assistantSays(
        model,
        ids.map((id) => call(id, "read")),
      ),
      ...ids.map((id) => result(id, "x")),
    ];
    for (const [baseUrl, fits] of [
      [url, /^[a-zA-Z0-9_-]{1,40}$/],
      ["https://api.mistral.ai/v1", /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const sent = toChatRequest(requestOf(model, messages), baseUrl, keep).messages.slice(1);
      const calls = sent[0]?.role === "assistant" ? (sent[0].tool_calls ?? []).map(({ id }) => id) : [];
      const results = sent.slice(1).map((message) => (message.role === "tool" ? message.tool_call_id : ""));
      expect(results).toEqual(calls);
      expect(new Set(calls).size).toBe(ids.length);
      for (const id of calls) expect(id).toMatch(fits);
    }
  });

  requestShapeCase(
    "openai-chat",
    "messages",
    () => toChatRequest(requestOf(model, history), url, keep).messages,
    ["user.content[]: image_url {image_url type}", "user.content[]: text {text type}"],
  );
});
