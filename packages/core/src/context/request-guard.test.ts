import type { AssistantMessage, Entry, ImageContent } from "@espalier/protocol";
import { toolCallId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { checkRequest } from "../testing/check-session.ts";
import { assistant, call, chain, entry, result, user } from "../testing/make-entries.ts";
import { buildContext } from "./build-context.ts";
import type { GuardTarget } from "./guard-target.ts";
import type { ModelMessage } from "./model-message.ts";
import { guardRequest } from "./request-guard.ts";
import { toModelMessages } from "./to-model-messages.ts";

const OWN: GuardTarget = { provider: "p", api: "anthropic-messages", model: "m", input: ["text", "image"] };
const OTHER: GuardTarget = { ...OWN, model: "n" };

const guard = (path: readonly Entry[], target = OWN) => {
  const before = JSON.stringify(path);
  const messages = toModelMessages(buildContext(path).messages);
  const guarded = guardRequest(messages, target);
  checkRequest(guarded.messages);
  expect(JSON.stringify(path)).toBe(before);
  expect(guardRequest(messages, target)).toEqual(guarded);
  return guarded;
};
/** Roles, with the ids of calls and results: `U A(t1 t2) T:t1 T:t2`. */
const sketch = (messages: readonly ModelMessage[]): string =>
  messages
    .map((message) => {
      if (message.role === "user") return "U";
      if (message.role === "toolResult") return `T:${message.toolCallId}`;
      const ids = message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
      return ids.length === 0 ? "A" : `A(${ids.join(" ")})`;
    })
    .join(" ");
const textsOf = (message: ModelMessage | undefined): string[] =>
  typeof message?.content === "string"
    ? [message.content]
    : (message?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));

describe("pairs", () => {
  it("answers a call that was interrupted, for the wire only", () => {
    const { messages, changes } = guard(
      chain(
        (p) => user("u", p),
        (p) => assistant("a", p, { calls: ["t1"] }),
        (p) => user("go", p),
      ),
    );
    expect(sketch(messages)).toBe("U A(t1) T:t1 U");
    expect(messages[2]).toMatchObject({ isError: true, toolName: "read" });
    expect(textsOf(messages[2])[0]).toContain("interrupted");
    expect(changes).toEqual(["1 tool call without a result answered as interrupted"]);
  });

  it("puts results into source order, whoever came first and whatever stood between", () => {
    const { messages, changes } = guard(
      chain(
        (p) => user("u", p),
        (p) => assistant("a", p, { calls: ["slow", "blocked"] }),
        (p) => result("r2", p, "blocked", "no", true),
        (p) => entry("n", p, { type: "custom_message", customType: "c", content: "note", display: true }),
        (p) => result("r1", p, "slow"),
      ),
    );
    expect(sketch(messages)).toBe("U A(slow blocked) T:slow T:blocked U");
    expect(changes).toEqual([]);
  });

  it("leaves out results without their call", () => {
    const { messages, changes } = guard(
      chain(
        (p) => user("u", p),
        (p) => result("r", p, "nobody"),
        (p) => assistant("a", p, { text: "x" }),
      ),
    );
    expect(sketch(messages)).toBe("U A");
    expect(changes).toEqual(["1 tool result without its call left out"]);
  });

  it("leaves out an answer that failed or was stopped, with its results", () => {
    for (const stopReason of ["error", "aborted"] as const) {
      const { messages, changes } = guard(
        chain(
          (p) => user("u", p),
          (p) => assistant("a", p, { calls: ["t1", "t2"], stopReason }),
          (p) => result("r1", p, "t1"),
          (p) => user("v", p),
        ),
      );
      expect(sketch(messages)).toBe("U U");
      expect(changes).toEqual(["1 answer that failed or was stopped left out with its results"]);
    }
  });

  it("leaves out calls of a malformed shape", () => {
    const listed = { type: "toolCall", id: "t", name: "read", arguments: [] } as never;
    const { messages, changes } = guard([
      user("u", null),
      assistant("a", "u", { text: "x", content: [listed, call("")] }),
      result("r", "a", "t"),
    ]);
    expect(sketch(messages)).toBe("U A");
    expect(changes).toContain("2 malformed tool calls left out");
  });

  it("begins with the person", () => {
    const { messages, changes } = guard([assistant("a", null, { text: "x" })]);
    expect(sketch(messages)).toBe("U A");
    expect(changes).toHaveLength(1);
    expect(guard([])).toEqual({ messages: [], changes: [] });
  });
});

describe("ids", () => {
  it("makes repeated ids unique, the same from request to request", () => {
    const path = chain(
      (p) => user("u", p),
      (p) => assistant("a1", p, { calls: ["X"] }),
      (p) => result("r1", p, "X", "one"),
      (p) => assistant("a2", p, { calls: ["X"] }),
      (p) => result("r2", p, "X", "two"),
      (p) => assistant("a3", p, { calls: ["Y"] }),
      (p) => result("r3", p, "Y"),
    );
    const { messages, changes } = guard(path, { ...OWN, api: "openai-responses" });
    expect(sketch(messages)).toMatch(/^U A\(X\) T:X A\((X_[0-9a-f]{8})\) T:\1 A\(Y\) T:Y$/);
    expect(messages.map(textsOf).flat()).toEqual(["u", "one", "two", "result r3"]);
    expect(changes).toEqual(["1 tool-call id rewritten for this provider"]);
    const longer = guard([...path, user("more", "r3")], { ...OWN, api: "openai-responses" });
    expect(longer.messages.slice(0, -1)).toEqual(messages);
  });

  it("keeps apart the calls of rounds that number anew, and of one message with one id", () => {
    const rounds = [1, 2, 3].flatMap((round) => [
      (p: string | null) => assistant(`a${round}`, p, { calls: ["f:0", "f:1"] }),
      (p: string | null) => result(`r${round}1`, p, "f:1", `${round}.1`),
      (p: string | null) => result(`r${round}0`, p, "f:0", `${round}.0`),
    ]);
    const { messages } = guard(chain((p) => user("u", p), ...rounds));
    expect(messages.flatMap((message) => (message.role === "toolResult" ? textsOf(message) : []))).toEqual([
      "1.0",
      "1.1",
      "2.0",
      "2.1",
      "3.0",
      "3.1",
    ]);
    guard(
      chain(
        (p) => user("u", p),
        (p) => assistant("a", p, { calls: ["X", "X", "X"] }),
        (p) => result("r", p, "X"),
      ),
    );
  });

  it("maps ids that providers refuse to ones that fit, without collisions", () => {
    const odd = [
      "x".repeat(450),
      "call|fc",
      "call_fc",
      "functions.eval:301",
      "call-x\nfc_y",
      `${"y".repeat(64)}a`,
      `${"y".repeat(64)}b`,
      "é",
    ];
    const path = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { calls: odd }),
      ...odd.toReversed().map((id) => (p: string | null) => result(`r${id.length}${id.at(-1)}`, p, id, id)),
    );
    const { messages } = guard(path);
    const results = messages.flatMap((message) => (message.role === "toolResult" ? [message] : []));
    expect(results.flatMap(textsOf)).toEqual(odd);
    expect(new Set(results.map(({ toolCallId: id }) => id)).size).toBe(odd.length);
    expect(results[2]?.toolCallId).toBe("call_fc");
    const mistral = guard(path, { ...OWN, provider: "mistral", api: "openai-completions" });
    for (const message of mistral.messages) {
      if (message.role === "toolResult") expect(message.toolCallId).toMatch(/^[a-zA-Z0-9]{9}$/);
    }
  });

  it("never gives out an id that a later call has by itself", () => {
    const [first] = guard([user("u", null), assistant("a", "u", { calls: ["X", "X"] })]).messages.slice(1);
    const derived = first?.role === "assistant" ? first.content[1] : undefined;
    const id = derived?.type === "toolCall" ? derived.id : toolCallId("");
    guard([user("u", null), assistant("a", "u", { calls: ["X", "X", id] })]);
    guard([user("u", null), assistant("a", "u", { calls: [id, "X", "X"] })]);
  });
});

describe("content", () => {
  it("sends no empty text and no empty message", () => {
    const { messages, changes } = guard(
      chain(
        (p) => user("u", p, [{ type: "text", text: "" }]),
        (p) => user("v", p, "  \n"),
        (p) => assistant("a", p, { text: "" }),
        (p) => assistant("b", p, {}),
        (p) => assistant("c", p, { text: " ", calls: ["t1", "t2"] }),
        (p) => result("r1", p, "t1", ""),
        (p) => result("r2", p, "t2", []),
        (p) => user("w", p, "go"),
      ),
    );
    expect(sketch(messages)).toBe("U A(t1 t2) T:t1 T:t2 U");
    expect(textsOf(messages[2])).toEqual(["(no output)"]);
    expect(textsOf(messages[3])).toEqual(["(no output)"]);
    expect(changes).toContain("4 empty messages left out");
  });

  it("mends half characters in texts, results and arguments", () => {
    const { messages, changes } = guard([
      user("u", null, "cut \udc00"),
      assistant("a", "u", { content: [call("t", "read", { path: "x\ud99c", deep: [{ y: "\ud83d" }] })] }),
      result("r", "a", "t", "out \ud83d"),
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/\\ud[89a-f]/i);
    expect(messages[1]?.content).toMatchObject([{ arguments: { path: "x\uFFFD", deep: [{ y: "\uFFFD" }] } }]);
    expect(changes).toEqual(["3 texts with half a character mended"]);
  });

  it("rewrites tool names that no provider takes", () => {
    const { messages } = guard([
      user("u", null),
      assistant("a", "u", { content: [call("t", "functions.read"), call("s", "")] }),
    ]);
    const names =
      messages[1]?.role === "assistant"
        ? messages[1].content.map((block) => "name" in block && block.name)
        : [];
    expect(names).toEqual(["functions_read", "unnamed"]);
  });

  const image = (more: Partial<ImageContent> = {}): ImageContent => ({
    type: "image",
    data: "AAAA",
    mimeType: "image/png",
    ...more,
  });

  it("sends a message of one image, and a note where the model takes none or the provider refuses it", () => {
    const path = [user("u", null, [image()])];
    expect(guard(path).messages[0]?.content).toEqual([image()]);
    const blind = guard(path, { ...OWN, input: ["text"] });
    expect(textsOf(blind.messages[0])[0]).toContain("image left out");
    expect(blind.changes).toEqual(["1 image replaced by a note"]);
    for (const odd of [
      image({ mimeType: "image/svg+xml" }),
      image({ data: "" }),
      image({ data: "A".repeat(5 * 1024 * 1024 + 1) }),
    ]) {
      expect(guard([user("u", null, [odd])]).changes).toEqual(["1 image replaced by a note"]);
    }
  });

  it("keeps the newest images within what one request holds", () => {
    const large = "A".repeat(4 * 1024 * 1024);
    const path = chain(
      ...Array.from(
        { length: 8 },
        (_, at) => (p: string | null) => user(`u${at}`, p, [image({ data: large })]),
      ),
    );
    const { messages } = guard(path);
    expect(
      messages.map((message) => (typeof message.content === "string" ? "" : message.content[0]?.type)),
    ).toEqual([...Array<string>(3).fill("text"), ...Array<string>(5).fill("image")]);
  });
});

describe("thinking", () => {
  const thought = (
    thinking: string,
    thinkingSignature?: string,
    redacted?: boolean,
  ): AssistantMessage["content"][number] => ({
    type: "thinking",
    thinking,
    ...(thinkingSignature === undefined ? {} : { thinkingSignature }),
    ...(redacted === undefined ? {} : { redacted }),
  });
  const path = [
    user("u", null),
    assistant("a", "u", {
      content: [
        thought("hm", "signed"),
        thought("", "signed too"),
        thought("", "data", true),
        { type: "text", text: "x", textSignature: "s" },
      ],
    }),
    user("v", "a"),
  ];

  it("goes back to the model it came from as it was, and to no other", () => {
    const own = guard(path);
    expect(own.messages[1]?.content).toEqual(
      path[1]?.type === "message" ? path[1].message.role === "assistant" && path[1].message.content : [],
    );
    expect(own.changes).toEqual([]);
    const other = guard(path, OTHER);
    expect(other.messages[1]?.content).toEqual([{ type: "text", text: "x" }]);
    expect(other.changes).toEqual(["3 thinking blocks of another model left out"]);
    expect(guard(path)).toEqual(own);
  });

  it("is not sent as signed without a whole signature", () => {
    const unsigned = [
      user("u", null),
      assistant("a", "u", { content: [thought("hm", ""), thought("hm")], text: "x" }),
      assistant("b", "a", { content: [thought("hm", "par")], stopReason: "aborted" }),
      user("v", "b"),
    ];
    const sentBy = (api: string) =>
      guard(
        unsigned.map((each, at) => (at === 1 ? retarget(each, api) : each)),
        { ...OWN, api },
      );
    for (const api of ["anthropic-messages", "openai-responses"]) {
      expect(JSON.stringify(sentBy(api).messages)).not.toContain("thinking");
    }
    const chat = sentBy("openai-completions");
    expect(chat.messages[1]?.content).toEqual([
      { type: "thinking", thinking: "hm" },
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "x" },
    ]);
  });

  const retarget = (each: Entry | undefined, api: string): Entry => {
    if (each?.type !== "message" || each.message.role !== "assistant") throw new Error("no answer");
    return { ...each, message: { ...each.message, api } };
  };
});
