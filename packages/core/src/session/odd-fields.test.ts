import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { joinPath } from "../group/join-groups.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { serializeHeader } from "./serialize.ts";
import { addToSummary, NO_SUMMARY } from "./summarize-session.ts";

const header = serializeHeader({
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
});
const user = {
  type: "message",
  id: "u",
  parentId: null,
  timestamp: "x",
  message: { role: "user", content: "hi", timestamp: 1e300 },
};

/** One of every entry type, each field that should be text, a number or an object replaced by something else. */
const entries: readonly Record<string, unknown>[] = [
  { type: "label", targetId: "u", label: {} },
  { type: "label", targetId: 5, label: "x" },
  { type: "session_info", name: { a: 1 } },
  { type: "session_info", name: null },
  { type: "usage", kind: 7, provider: {}, model: [], usage: 3 },
  { type: "usage", kind: {}, provider: "p", model: "m", usage: {} },
  { type: "compaction", summary: "s", firstKeptEntryId: "u", tokensBefore: "many" },
  { type: "compaction", summary: {}, firstKeptEntryId: [] },
  { type: "branch_summary", summary: 1, fromId: {} },
  { type: "model_change", provider: {}, modelId: [] },
  { type: "thinking_level_change", thinkingLevel: {} },
  { type: "custom", customType: {}, data: 1 },
  { type: "custom_message", customType: "c", content: 5, display: "yes" },
  { type: "context_edit", targetId: {}, replacement: 5 },
  {
    type: "message",
    message: { role: "assistant", content: "x", errorMessage: { a: 1 }, stopReason: {}, usage: [] },
  },
  {
    type: "message",
    message: { role: "toolResult", content: 5, toolCallId: {}, toolName: [], isError: "no" },
  },
  { type: "message", message: { role: {}, content: 5 } },
  { type: "message", message: 5 },
];

describe("fields of the wrong kind", () => {
  it.each(entries.map((entry) => [JSON.stringify(entry), entry] as const))(
    "%s is read, listed and shown",
    (_, odd) => {
      const lines = [user, { ...odd, id: "odd", parentId: "u", timestamp: 5 }];
      const text = header + lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      const parsed = parseJsonl(new TextEncoder().encode(text));
      if (parsed === null) throw new Error("not read");
      expect(parsed.rows.map(({ id }) => id)).toEqual(["u", "odd"]);
      for (const row of parsed.rows) {
        for (const [key, value] of Object.entries(row)) {
          if (key === "flags" || key === "parentId") continue;
          expect(["string", "number"], `${key} of a row`).toContain(typeof value);
        }
      }
      const read = parsed.rows.flatMap(({ id }) => parsed.read(id) ?? []);
      expect(joinPath(read).length).toBe(2);
      expect(read.reduce(addToSummary, NO_SUMMARY).firstMessage).toBe("hi");
      expect(parsed.read(entryId("odd"))).toBeDefined();
    },
  );

  it("a list holds the beginning of a long first message only", () => {
    const long = {
      ...user,
      id: entryId("u"),
      parentId: null,
      message: { ...user.message, content: "word ".repeat(1e5) },
    };
    const summary = addToSummary(NO_SUMMARY, long as Parameters<typeof addToSummary>[1]);
    expect(summary.firstMessage.length).toBe(400);
  });
});
