import { joinPath, leafAtOpen, leaves, parseJsonl, pathToLeaf, SessionTree } from "@espalier/core";
import type { Entry, EntryId, PathItem, UnknownEntry } from "@espalier/protocol";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../../testing/data-folder.ts";
import { TooltipProvider } from "../../ui/Tooltip.tsx";
import { entriesOfRow, feedRows } from "./feed-rows.ts";
import { RowView } from "./RowView.tsx";
import { gapBefore } from "./row-gap.ts";
import { rowName } from "./row-name.ts";

type Line = Entry | UnknownEntry;

const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const lines = (entries: readonly Record<string, unknown>[]): Line[] =>
  entries.map((entry, index) => ({
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp: "2026-11-30T20:00:00.000Z",
    ...entry,
  })) as Line[];

const user = (text: string) => ({ type: "message", message: { role: "user", content: text, timestamp: 1 } });
const step = (content: unknown[], more: Record<string, unknown> = {}) => ({
  type: "message",
  message: {
    role: "assistant",
    content,
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "toolUse",
    timestamp: 1,
    ...more,
  },
});
const call = (id: string, name: string, args: Record<string, unknown>) => ({
  type: "toolCall",
  id,
  name,
  arguments: args,
});
const result = (id: string, name: string, text: string, more: Record<string, unknown> = {}) => ({
  type: "message",
  message: {
    role: "toolResult",
    toolCallId: id,
    toolName: name,
    content: [{ type: "text", text }],
    isError: false,
    timestamp: 1,
    ...more,
  },
});

const draw = (items: readonly PathItem[]): string =>
  renderToStaticMarkup(
    createElement(
      TooltipProvider,
      null,
      ...feedRows(items).map((row) => createElement(RowView, { key: row.key, row, compaction: 1 })),
    ),
  );

const plain = (markup: string): string =>
  markup
    .replace(/(?:<[^>]*>)+/g, " ")
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

describe("tool cards", () => {
  const items = joinPath(
    lines([
      user("do it"),
      step([call("a", "bash", { command: "npm test" }), call("b", "bash", { command: "sleep 9" })]),
      result("a", "bash", "fine\n"),
      user("next"),
      result("zz", "read", "lost"),
      step([{ type: "toolCall", id: "", name: "x", arguments: {} }]),
    ]),
  );
  const markup = draw(items);

  it("tell the four states by a word each", () => {
    for (const variant of ["complete", "missing_results", "orphaned_result", "unknown"])
      expect(markup).toContain(`data-variant="${variant}"`);
    const words = plain(markup);
    expect(words).toContain("exit 0");
    expect(words).toMatch(/no result\s*, 1 of 2 came back/);
    expect(words).toContain("The run ended before this call returned.");
    expect(words).toContain("Result only: its call is not on this path");
    expect(words).toContain("unrecognised block");
  });

  it("show an edit as numbered lines with the words that differ marked", () => {
    const diff = "   1 const a = 1;\n-  2 const b = map(one);\n+  2 const b = filter(one);\n   3 done();";
    const edited = draw(
      joinPath(
        lines([
          step([call("a", "edit", { path: "x.ts", oldText: "map", newText: "filter" })]),
          result("a", "edit", "ok", { details: { diff } }),
        ]),
      ),
    );
    expect(edited).toContain("<mark>map</mark>");
    expect(edited).toContain("<mark>filter</mark>");
    expect(plain(edited)).toMatch(/\+1\s+\u22121/);
  });
});

describe("feedRows", () => {
  it("gives a failed attempt that was tried again one row, not two", () => {
    const failed = step([], { stopReason: "error", errorMessage: "overloaded" });
    const edit = { type: "context_edit", targetId: "e1", replacement: null };
    const rows = feedRows(
      joinPath(lines([user("go on"), failed, edit, step([{ type: "text", text: "done" }])])),
    );
    expect(rows.map(({ key }) => key)).toEqual(["e0", "e1", "e3"]);
  });

  it("folds calls in a row that only look, across steps, and nothing else", () => {
    const rows = feedRows(
      joinPath(
        lines([
          user("look"),
          step([{ type: "text", text: "Let me look." }, call("1", "read", { path: "a.ts" })]),
          result("1", "read", "a"),
          step([call("2", "grep", { pattern: "x" }), call("3", "bash", { command: "ls" })]),
          result("2", "grep", "a:1:x"),
          result("3", "bash", "a"),
          step([call("4", "ls", {}), call("5", "read", { path: "missing" })]),
          result("4", "ls", "a"),
          result("5", "read", "no such file", { isError: true }),
        ]),
      ),
    );
    expect(rows.map(({ kind }) => kind)).toEqual(["item", "answer", "fold", "group", "group", "group"]);
    expect(rows[2]?.kind === "fold" && rows[2].groups).toHaveLength(2);
  });

  it("keeps the key of a row while it grows", () => {
    const entries = lines([
      step([call("1", "read", { path: "a" })]),
      result("1", "read", "a"),
      step([call("2", "read", { path: "b" })]),
      result("2", "read", "b"),
    ]);
    const before = feedRows(joinPath(entries.slice(0, 2)));
    const after = feedRows(joinPath(entries));
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  });

  it("gives every row a name and a gap", () => {
    const rows = feedRows(
      joinPath(
        lines([
          user("a"),
          step([]),
          { type: "compaction", summary: "s", firstKeptEntryId: "e0", tokensBefore: 10 },
          { type: "mystery" },
        ]),
      ),
    );
    expect(
      rows.map((row, index) => [rowName(row, []).length > 0, gapBefore(rows[index - 1], row) >= 2]),
    ).toEqual(rows.map(() => [true, true]));
  });
});

describe("crafted metadata", () => {
  const evil = '"><img src=x onerror=alert(1)>';
  it("is shown as text wherever it stands", () => {
    const items = joinPath(
      lines([
        { ...user(evil), id: evil },
        { type: "model_change", provider: evil, modelId: evil },
        step(
          [
            { type: "text", text: evil },
            { type: "thinking", thinking: evil },
            call(evil, evil, { path: evil, [evil]: evil }),
            call("e", "edit", { path: evil, oldText: evil, newText: `${evil}x` }),
            call("w", "write", { path: evil, content: evil }),
          ],
          { model: evil, stopReason: "error", errorMessage: evil },
        ),
        result(evil, evil, evil, {
          content: [
            { type: "image", data: "AAAA", mimeType: evil },
            { type: "text", text: evil },
          ],
        }),
        { type: "custom_message", customType: evil, content: evil, display: true },
        { type: "branch_summary", fromId: evil, summary: evil },
        { type: "compaction", summary: evil, firstKeptEntryId: evil, tokensBefore: 1 },
        {
          type: "message",
          message: {
            role: "bashExecution",
            command: evil,
            output: evil,
            cancelled: false,
            truncated: true,
            fullOutputPath: evil,
            timestamp: 1,
          },
        },
        {
          type: "message",
          message: {
            role: "system",
            content: evil,
            sections: { [evil]: evil },
            toolsAdded: [{ name: evil, description: evil, parameters: {} }],
            timestamp: 1,
          },
        },
        { type: evil, [evil]: evil },
        { type: "message", message: { role: evil, content: evil } },
      ]),
    );
    const markup = draw(items);
    expect(markup).not.toMatch(/<img[^>]*onerror/i);
    expect(markup).not.toContain("<img src=x");
    expect(plain(markup)).toContain(evil);
  });

  it("draws no image of a type that could hold a script", () => {
    const markup = draw(
      joinPath(
        lines([
          {
            type: "message",
            message: {
              role: "user",
              content: [
                { type: "image", data: "PHN2Zz4=", mimeType: "image/svg+xml" },
                { type: "image", data: "AAAA", mimeType: "text/html" },
              ],
              timestamp: 1,
            },
          },
        ]),
      ),
    );
    expect(markup).not.toContain("<img");
  });
});

describe.skipIf(dataFolder() === null)("recorded sessions", () => {
  const names = [
    "large-session",
    "before-compaction",
    "tree-s4.v3",
    "tree-s6.v3",
    "tree-large.v3",
    "pi160-live-a-tools-fork",
    "pi160-live-c-errors-and-retries",
    "jazzyalex-pi-small",
  ];
  it.for(names)("%s: every path is drawn, every entry once", (name) => {
    const parsed = parseJsonl(readData(`sessions/pi/${name}.jsonl`));
    if (!parsed) throw new Error(`${name} is no session`);
    const tree = new SessionTree(parsed.rows);
    const ends: (EntryId | null)[] = [leafAtOpen(tree), ...leaves(tree).slice(0, 12)];
    for (const end of ends) {
      const ids = pathToLeaf(tree, end).filter((id) => !tree.isAside(id));
      const items = joinPath(ids.flatMap((id) => parsed.read(id) ?? []));
      const rows = feedRows(items);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      const shown = new Set(rows.flatMap(entriesOfRow));
      for (const item of items)
        if (item.kind === "user" || item.kind === "compaction") expect(shown.has(item.id)).toBe(true);
    }
    const items = joinPath(pathToLeaf(tree, leafAtOpen(tree)).flatMap((id) => parsed.read(id) ?? []));
    expect(draw(items.slice(-120))).not.toContain("cannot be shown");
  });
});
