import type { ThinkingLevel } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { requestShapeCase } from "../request-shape.case.ts";
import { assistantSays, call, image, modelNamed, requestOf, result, userSays } from "../sample-messages.ts";
import { toAnthropicRequest } from "./to-request.ts";

const claude = modelNamed({ id: "claude-sonnet-4-5", api: "anthropic-messages" });
const other = modelNamed({ id: "claude-opus-4-5", api: "anthropic-messages" });
const keep = { withReasoning: true };
const thought = { type: "thinking" as const, thinking: "Hm.", thinkingSignature: "c2ln" };
const marked = { cache_control: { type: "ephemeral" } };

const whole = requestOf(claude, [
  userSays("look"),
  assistantSays(claude, [
    thought,
    { type: "text", text: "So." },
    call("t1", "read", { path: "a" }),
    call("t2", "bash"),
  ]),
  result("t1", "one"),
  result("t2", "bad", true),
  userSays([{ type: "text", text: "and this" }, image]),
]);

describe("toAnthropicRequest", () => {
  it("puts results of a batch first in one user message, with their error flags", () => {
    const { messages } = toAnthropicRequest(whole, keep);
    expect(messages).toMatchObject([
      { role: "user", content: [{ type: "text", text: "look" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "text", text: "So." },
          { type: "tool_use", id: "t1", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "t2", name: "bash", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "one" },
          { type: "tool_result", tool_use_id: "t2", content: "bad", is_error: true },
          { type: "text", text: "and this" },
          { type: "image", source: { type: "base64", media_type: "image/png" }, ...marked },
        ],
      },
    ]);
  });

  it("marks the system prompt, the last tool and the last user block for the cache, and nothing else", () => {
    const body = toAnthropicRequest(whole, keep);
    expect(body.system).toEqual([{ type: "text", text: "Be brief.", ...marked }]);
    expect(body.tools).toMatchObject([{ name: "read" }, { name: "bash", ...marked }]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3);
  });

  it("gives thinking back only to the model that made it, and the original to that one again", () => {
    const history = [
      userSays("a"),
      assistantSays(claude, [thought, { type: "text", text: "b" }]),
      userSays("c"),
    ];
    const sent = (model: typeof claude) =>
      JSON.stringify(toAnthropicRequest(requestOf(model, history), keep));
    expect(sent(other)).not.toContain("Hm.");
    expect(sent(claude)).toContain('{"type":"thinking","thinking":"Hm.","signature":"c2ln"}');
  });

  it("does not give back half-received thinking", () => {
    for (const [signature, stop] of [
      ["", "stop"],
      ["c2", "aborted"],
      ["c2", "error"],
    ] as const) {
      const message = assistantSays(
        claude,
        [
          { ...thought, thinkingSignature: signature },
          { type: "text", text: "b" },
        ],
        stop,
      );
      expect(
        JSON.stringify(toAnthropicRequest(requestOf(claude, [userSays("a"), message]), keep)),
      ).not.toContain("Hm.");
    }
  });

  it("gives redacted thinking and thinking without text back as they came", () => {
    const message = assistantSays(claude, [
      { type: "thinking", thinking: "", thinkingSignature: "ZGF0YQ", redacted: true },
      { type: "thinking", thinking: "", thinkingSignature: "c2ln" },
      { type: "text", text: "b" },
    ]);
    expect(
      toAnthropicRequest(requestOf(claude, [userSays("a"), message, userSays("c")]), keep).messages[1]
        ?.content,
    ).toEqual([
      { type: "redacted_thinking", data: "ZGF0YQ" },
      { type: "thinking", thinking: "", signature: "c2ln" },
      { type: "text", text: "b" },
    ]);
  });

  it("never sends empty text", () => {
    const { messages } = toAnthropicRequest(
      requestOf(claude, [
        userSays([image, { type: "text", text: " \n" }]),
        assistantSays(claude, [{ type: "text", text: "" }]),
        assistantSays(claude, []),
        assistantSays(claude, [call("t1", "read")]),
        result("t1", ""),
        userSays([]),
      ]),
      keep,
    );
    expect(messages).toMatchObject([
      { role: "user", content: [{ type: "image" }] },
      { role: "assistant", content: [{ type: "tool_use" }] },
      { role: "user", content: [{ type: "tool_result", content: "(no output)" }] },
    ]);
  });

  it("moves images of a failed result behind it, and says where a blind model misses one", () => {
    const history = [
      assistantSays(claude, [call("t1", "read")]),
      result("t1", [{ type: "text", text: "no" }, image], true),
    ];
    expect(toAnthropicRequest(requestOf(claude, history), keep).messages[1]?.content).toMatchObject([
      { type: "tool_result", content: "no", is_error: true },
      { type: "image" },
    ]);
    const blind = { ...claude, input: ["text" as const] };
    expect(JSON.stringify(toAnthropicRequest(requestOf(blind, history), keep))).toContain("takes no images");
  });

  it.each<[string, ThinkingLevel, object | undefined, string | undefined]>([
    ["claude-sonnet-4-5", "off", undefined, undefined],
    ["claude-sonnet-4-5", "medium", { type: "enabled", budget_tokens: 8192 }, undefined],
    ["claude-haiku-4-5-20251001", "minimal", { type: "enabled", budget_tokens: 1024 }, undefined],
    ["claude-opus-4-6", "xhigh", { type: "adaptive", display: "summarized" }, "high"],
    ["claude-sonnet-5", "off", { type: "disabled" }, undefined],
    ["claude-opus-5-5", "off", { type: "adaptive", display: "summarized" }, "low"],
    ["claude-opus-5-5", "xhigh", { type: "adaptive", display: "summarized" }, "xhigh"],
    ["claude-sonnet-5-5", "off", { type: "between_tools" }, undefined],
    ["claude-haiku-5-5", "off", { type: "disabled" }, undefined],
    ["claude-fable-5-1", "max", { type: "adaptive", display: "summarized" }, "max"],
    ["kimi-k2", "high", { type: "enabled", budget_tokens: 16_384 }, undefined],
  ])("asks %s for %s thinking", (id, level, thinking, effort) => {
    const body = toAnthropicRequest(
      requestOf({ ...claude, id }, [userSays("a")], { thinkingLevel: level }),
      keep,
    );
    expect(body.thinking).toEqual(thinking);
    expect(body.output_config?.effort).toBe(effort);
  });

  it("leaves room for the answer, whatever the budget", () => {
    const small = toAnthropicRequest(
      requestOf(claude, [userSays("a")], { thinkingLevel: "high", maxTokens: 4000 }),
      keep,
    );
    expect(small).toMatchObject({ max_tokens: 4000, thinking: { budget_tokens: 2976 } });
    const tiny = toAnthropicRequest(
      requestOf(claude, [userSays("a")], { thinkingLevel: "high", maxTokens: 1500 }),
      keep,
    );
    expect(tiny.thinking).toBeUndefined();
  });

  it("does not ask for more output than the model has or the window leaves", () => {
    expect(
      toAnthropicRequest(requestOf(claude, [userSays("a")], { maxTokens: 400_000 }), keep).max_tokens,
    ).toBe(32_000);
    const full = requestOf({ ...claude, contextWindow: 10_000 }, [userSays("x".repeat(14_000))]);
    expect(toAnthropicRequest(full, keep).max_tokens).toBeLessThan(2000);
  });

  it("keeps a budgeted model from thinking when its earlier thinking stays out", () => {
    const asked = { ...whole, thinkingLevel: "high" as const };
    const body = toAnthropicRequest(asked, { withReasoning: false });
    expect(body.thinking).toBeUndefined();
    expect(JSON.stringify(body)).not.toContain("Hm.");
  });

  requestShapeCase("anthropic", "messages", () => toAnthropicRequest(whole, keep).messages, [
    "assistant.content[]: thinking {signature thinking type}",
    "user.content[]: tool_result {content is_error tool_use_id type}",
    "user.content[]: image {cache_control source type}",
  ]);
});
