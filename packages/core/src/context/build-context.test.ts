import type { Entry, SystemMessage, ToolSpec } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { POSITION } from "../session/aside.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { pathToLeaf } from "../session/path-to-leaf.ts";
import { serializeEntry } from "../session/serialize.ts";
import { SessionTree } from "../session/session-tree.ts";
import {
  assistant,
  chain,
  compaction,
  contextEdit,
  entry,
  NO_USAGE,
  result,
  user,
} from "../testing/make-entries.ts";
import { buildContext } from "./build-context.ts";
import { contextTokens, contextUse } from "./estimate-tokens.ts";
import { contextPath } from "./select-context.ts";
import { replaySystem, systemCheckpoint, systemPatch, systemText } from "./system-prompt.ts";
import { toModelMessages } from "./to-model-messages.ts";

const system = (id: string, parent: string | null, fields: Partial<SystemMessage>): Entry =>
  entry(id, parent, { type: "message", message: { role: "system", content: "", timestamp: 0, ...fields } });
const roles = (path: readonly AnyEntry[]): string[] =>
  buildContext(path).messages.map(({ message }) => message.role);
const texts = (path: readonly AnyEntry[]): string[] =>
  toModelMessages(buildContext(path).messages).map(({ content }) =>
    typeof content === "string"
      ? content
      : content.map((block) => ("text" in block ? block.text : block.type)).join(""),
  );
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}\n';
const tool = (name: string, description = name): ToolSpec => ({
  name,
  description,
  parameters: { type: "object" },
});

describe("buildContext", () => {
  it("takes every entry type and role that pi writes", () => {
    const path: AnyEntry[] = chain(
      (p) => entry("mc", p, { type: "model_change", provider: "v", modelId: "virtual" }),
      (p) => entry("tl", p, { type: "thinking_level_change", thinkingLevel: "xhigh" }),
      (p) => system("sy", p, { sections: { preamble: "Hello." } }),
      (p) => user("u", p, "plain text"),
      (p) => assistant("a", p, { calls: ["t"], provider: "p2", model: "m2" }),
      (p) => result("r", p, "t", [{ type: "image", data: "AA", mimeType: "image/png" }]),
      (p) =>
        entry("us", p, { type: "usage", kind: "cache_warm", provider: "p", model: "m", usage: NO_USAGE }),
      (p) => entry("lb", p, { type: "label", targetId: entryId("u"), label: "here" }),
      (p) => entry("si", p, { type: "session_info", name: "n" }),
      (p) => entry("cu", p, { type: "custom", customType: "plan-mode" }),
      (p) =>
        entry("cm", p, {
          type: "custom_message",
          customType: "notice",
          content: "from a program",
          display: false,
          details: 1,
        }),
      (p) =>
        entry("cr", p, {
          type: "message",
          message: { role: "custom", customType: "hook", content: "from a hook", timestamp: 0 },
        }),
      (p) => entry("bs", p, { type: "branch_summary", fromId: "root", summary: "elsewhere" }),
      (p) => entry("b1", p, bash({ output: "ok\n", exitCode: 0 })),
      (p) => entry("b2", p, bash({ excludeFromContext: true })),
    );
    const unknown = { type: "hologram", id: entryId("h"), parentId: entryId("b2") };
    const all = [...path, unknown];
    const context = buildContext(all);
    expect(context.entryIds).toEqual(all.map(({ id }) => id));
    expect(context.model).toEqual({ provider: "p2", modelId: "m2" });
    expect(context.thinkingLevel).toBe("xhigh");
    expect(roles(all)).toEqual([
      "system",
      "user",
      "assistant",
      "toolResult",
      "custom",
      "custom",
      "branchSummary",
      "bashExecution",
      "bashExecution",
    ]);
    expect(texts(all)).toEqual([
      "plain text",
      "toolCall",
      "image",
      "from a program",
      "from a hook",
      expect.stringMatching(/<summary>\nelsewhere\n<\/summary>$/),
      "I ran `ls` myself:\n```\nok\n\n```",
    ]);
    expect(context.compaction).toBeNull();
  });

  const bash = (fields: object): Parameters<typeof entry>[2] => ({
    type: "message",
    message: {
      role: "bashExecution",
      command: "ls",
      output: "",
      cancelled: false,
      truncated: false,
      timestamp: 0,
      ...fields,
    },
  });

  it("tells a model how a command of the person's ended", () => {
    const told = (fields: object): string => texts([entry("b", null, bash(fields))])[0] ?? "";
    expect(told({})).toContain("(no output)");
    expect(told({ exitCode: 2 })).toContain("code 2");
    expect(told({ cancelled: true, exitCode: 130 })).toContain("stopped");
    expect(told({ truncated: true, fullOutputPath: "/tmp/x.log" })).toContain("/tmp/x.log");
    expect(told({ output: "```\ninner" })).toContain("````\n```\ninner\n````");
  });

  it("is empty without entries", () => {
    expect(buildContext([])).toMatchObject({ entryIds: [], messages: [], model: null, thinkingLevel: "off" });
  });

  it("shows only the newest summary, and a pair that an older compaction stands in as a pair", () => {
    const path = chain(
      (p) => user("u1", p),
      (p) => assistant("a1", p, { calls: ["t1"] }),
      (p) => compaction("k1", p, "u1"),
      (p) => result("r1", p, "t1"),
      (p) => user("u2", p),
      (p) => assistant("a2", p, { text: "x" }),
      (p) => compaction("k2", p, "a1"),
    );
    expect(buildContext(path).entryIds).toEqual(["k2", "a1", "k1", "r1", "u2", "a2"]);
    expect(roles(path)).toEqual(["compactionSummary", "assistant", "toolResult", "user", "assistant"]);
    expect(texts(path)[0]).toContain("summary k2");
  });

  it("keeps nothing when a compaction says so or names an entry that is not there", () => {
    for (const kept of ["k", "nobody", "later"]) {
      const path = chain(
        (p) => user("u", p),
        (p) => compaction("k", p, kept),
        (p) => user("later", p),
      );
      expect(buildContext(path).entryIds).toEqual(["k", "later"]);
    }
  });

  it("lets a checkpoint stand for the system messages it covers, and patches it with later ones", () => {
    const path = chain(
      (p) =>
        system("s1", p, {
          content: "old",
          sections: { a: "A", b: "B" },
          toolsAdded: [tool("read"), tool("bash")],
        }),
      (p) => user("u1", p),
      (p) => system("s2", p, { sections: { a: null } }),
      (p) => user("u2", p),
      (p) =>
        compaction("k", p, "u1", {
          systemMessage: {
            role: "system",
            content: "",
            sections: { b: "B" },
            toolsAdded: [tool("read")],
            timestamp: 0,
          },
        }),
      (p) =>
        system("s3", p, {
          sections: { c: "C" },
          toolsRemoved: [{ name: "read" }],
          toolsAdded: [tool("grep")],
        }),
    );
    const context = buildContext(path);
    expect(context.entryIds).toEqual(["k", "u1", "u2", "s3"]);
    expect(roles(path)).toEqual(["system", "compactionSummary", "user", "user", "system"]);
    expect(systemText(context.system)).toBe("B\n\nC");
    expect([...context.system.tools.keys()]).toEqual(["grep"]);
  });

  it("applies the latest edit, and only to what can be edited", () => {
    const base = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { text: "long", calls: ["t"] }),
      (p) => result("r", p, "t", "secret"),
      (p) => entry("n", p, { type: "custom_message", customType: "c", content: "note", display: true }),
      (p) => entry("b", p, bash({ output: "out" })),
      (p) => system("s", p, { content: "prompt" }),
    );
    const edited = (...edits: Entry[]): string[] => texts([...base, ...edits]);
    expect(edited(contextEdit("e", "s", "r", "left out"))[2]).toBe("left out");
    expect(edited(contextEdit("e", "s", "a", "short"))[1]).toBe("short");
    expect(edited(contextEdit("e", "s", "n"))).toHaveLength(4);
    expect(edited(contextEdit("e1", "s", "u"), contextEdit("e2", "e1", "u", "back"))[0]).toBe("back");
    expect(edited(contextEdit("e1", "s", "b"), contextEdit("e2", "e1", "s"))).toEqual(edited());
    expect(buildContext([...base, contextEdit("e", "s", "s")]).system.content).toBe("prompt");
    const cut = [...base, contextEdit("e", "s", "u"), compaction("k", "e", "n"), user("v", "k")];
    expect(buildContext(cut).entryIds).toEqual(["k", "n", "b", "e", "v"]);
  });

  it("does not name remembered positions, and starts anew where the chain of parents breaks", () => {
    const path = chain(
      (p) => user("u", p),
      (p) => entry("p", p, { type: "custom", customType: POSITION, data: { v: 1 } }),
      (p) => user("v", p),
    );
    expect(buildContext(path).entryIds).toEqual(["u", "v"]);
    const broken = [
      assistant("a", null, { text: "before", model: "old" }),
      user("w", "lost"),
      user("x", "w"),
    ];
    const session = parseJsonl(new TextEncoder().encode(HEADER + broken.map(serializeEntry).join("")));
    const tree = new SessionTree(session?.rows);
    expect(pathToLeaf(tree, entryId("x"))).toEqual(["a", "w", "x"]);
    expect(contextPath(tree, entryId("x"))).toEqual(["w", "x"]);
    expect(contextPath(tree, entryId("a"))).toEqual(["a"]);
  });
});

describe("tokens", () => {
  const measured = (
    id: string,
    parent: string,
    total: number,
    stopReason: "stop" | "error" = "stop",
  ): Entry =>
    assistant(id, parent, { text: "x".repeat(40), stopReason, usage: { ...NO_USAGE, totalTokens: total } });

  it("count what was measured, and estimate what came after", () => {
    const path = [
      user("u", null, "x".repeat(400)),
      measured("a", "u", 5000),
      user("v", "a", "x".repeat(400)),
    ];
    expect(contextTokens(buildContext(path))).toBe(5100);
    expect(contextTokens(buildContext([path[0] as Entry]))).toBe(100);
    const failed = [...path, measured("b", "v", 9000, "error")];
    expect(contextTokens(buildContext(failed))).toBe(5110);
    const image = user("i", "v", [{ type: "image", data: "x".repeat(9999), mimeType: "image/png" }]);
    expect(contextTokens(buildContext([...path, image]))).toBe(6300);
  });

  it("are estimated anew after an edit or a compaction", () => {
    const path = [user("u", null, "x".repeat(400)), measured("a", "u", 5000)];
    expect(contextTokens(buildContext([...path, contextEdit("e", "a", "u")]))).toBe(10);
    expect(
      contextTokens(buildContext([...path, compaction("k", "a", "a", { summary: "x".repeat(80) })])),
    ).toBe(30);
    const again = [...path, contextEdit("e", "a", "u"), measured("b", "e", 700)];
    expect(contextTokens(buildContext(again))).toBe(700);
  });

  it("fall to what takes them", () => {
    const path = chain(
      (p) => system("s", p, { content: "x".repeat(8), sections: { a: "x".repeat(8) }, toolsAdded: [] }),
      (p) => user("u", p, "x".repeat(40)),
      (p) => assistant("a", p, { text: "x".repeat(80) }),
      (p) => result("r", p, "t", "x".repeat(120)),
      (p) => entry("b", p, { type: "branch_summary", fromId: "u", summary: "x".repeat(160) }),
    );
    expect(contextUse(buildContext(path), 1000)).toEqual({
      tokens: 105,
      window: 1000,
      system: 5,
      summary: 40,
      user: 10,
      assistant: 20,
      toolResults: 30,
    });
  });
});

describe("system prompt", () => {
  const first: SystemMessage = {
    role: "system",
    content: "",
    sections: { preamble: "P", tools: "T" },
    timestamp: 0,
    toolsAdded: [tool("read"), tool("bash")],
  };

  it("is patched by what differs, and by nothing when nothing does", () => {
    const state = replaySystem([first]);
    const same = { sections: { preamble: "P", tools: "T" }, tools: [tool("read"), tool("bash")] };
    expect(systemPatch(state, same, 9)).toBeNull();
    const other = { sections: { preamble: "Q", cwd: "/w" }, tools: [tool("read", "better"), tool("grep")] };
    const patch = systemPatch(state, other, 9);
    expect(patch).toEqual({
      role: "system",
      content: "",
      sections: { tools: null, preamble: "Q", cwd: "/w" },
      timestamp: 9,
      toolsAdded: [tool("read", "better"), tool("grep")],
      toolsRemoved: [{ name: "bash" }],
    });
    const patched = replaySystem([first, ...(patch === null ? [] : [patch])]);
    expect(systemPatch(patched, other, 9)).toBeNull();
    expect(systemText(patched)).toBe("Q\n\n/w");
  });

  it("is whole in a checkpoint", () => {
    const state = replaySystem([
      { ...first, content: "one" },
      { role: "system", content: [{ type: "text", text: "two" }], timestamp: 1 },
    ]);
    expect(state.content).toBe("one\n\ntwo");
    expect(replaySystem([systemCheckpoint(state, 5)])).toEqual(state);
  });
});
