import type { StopReason } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { buildContext } from "../context/build-context.ts";
import { toModelMessages } from "../context/to-model-messages.ts";
import { makeEntry } from "../session/append-entry.ts";
import {
  assistant,
  call,
  chain,
  compaction,
  contextEdit,
  entry,
  NO_USAGE,
  result,
  user,
} from "../testing/make-entries.ts";
import { compact, type SummaryAnswer, type SummaryRequest } from "./compact.ts";
import { type CompactionPlan, type PreparedCompaction, prepareCompaction } from "./prepare-compaction.ts";

const prepared = (
  path: Parameters<typeof prepareCompaction>[0],
  keepRecentTokens: number,
): PreparedCompaction => prepareCompaction(path, { keepRecentTokens, time: 0 });
const plan = (path: Parameters<typeof prepareCompaction>[0], keepRecentTokens: number): CompactionPlan => {
  const made = prepared(path, keepRecentTokens);
  if ("nothing" in made) throw new Error(made.nothing);
  return made;
};
const words = (count: number): string => "word ".repeat(count);
const ids = (messages: CompactionPlan["kept"]): string[] => messages.map(({ entryId: id }) => id);

const HISTORY = "## Goal\nG\n## Progress\nP\n## Next Steps\nN";
const PREFIX = "## Original Request\nR\n## Progress So Far\nS\n## Context Needed to Continue\nC";
const answer = (text: string, more: Partial<SummaryAnswer> = {}): SummaryAnswer => ({
  content: [{ type: "text", text }],
  stopReason: "stop",
  usage: { ...NO_USAGE, input: 10, totalTokens: 10 },
  ...more,
});
const asked: SummaryRequest[] = [];
const answering =
  (...answers: SummaryAnswer[]) =>
  async (request: SummaryRequest): Promise<SummaryAnswer> => {
    asked.push(request);
    return answers.shift() ?? answer("");
  };

const turns = chain(
  (p) =>
    entry("s", p, {
      type: "message",
      message: { role: "system", content: "", sections: { preamble: "Be kind." }, timestamp: 0 },
    }),
  (p) => user("u1", p, words(400)),
  (p) =>
    assistant("a1", p, {
      text: "a",
      content: [call("t1", "read", { path: "r.ts" }), call("t2", "edit", { path: "e.ts" })],
    }),
  (p) => result("r1", p, "t1", words(300)),
  (p) => result("r2", p, "t2"),
  (p) => user("u2", p, "second"),
  (p) => assistant("a2", p, { calls: ["t3"] }),
  (p) => result("r3", p, "t3", words(900)),
  (p) => assistant("a3", p, { text: "done" }),
);

describe("prepareCompaction", () => {
  it("cuts at a turn's beginning, or splits a turn at a step", () => {
    expect(plan(turns, 1200)).toMatchObject({
      firstKeptEntryId: "u2",
      isSplitTurn: false,
      turnStartEntryId: null,
    });
    const split = plan(turns, 500);
    expect(split).toMatchObject({ firstKeptEntryId: "a3", isSplitTurn: true, turnStartEntryId: "u2" });
    expect(ids(split.messagesToSummarize)).toEqual(["u1", "a1", "r1", "r2"]);
    expect(ids(split.turnPrefix)).toEqual(["u2", "a2", "r3"]);
    expect(ids(split.kept)).toEqual(["a3"]);
    expect(split.files).toEqual({ readFiles: ["r.ts", "t3"], modifiedFiles: ["e.ts"] });
    expect(split.systemMessage).toMatchObject({ sections: { preamble: "Be kind." } });
  });

  it("says that nothing is to do when everything fits, and never keeps a result first", () => {
    const short = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { calls: ["t"] }),
      (p) => result("r", p, "t", words(5000)),
    );
    expect(prepared(short, 20_000)).toEqual({ nothing: expect.stringContaining("20000") });
    for (const keep of [0, 1, 100, 3000]) {
      const made = prepared(short, keep);
      if ("nothing" in made) continue;
      expect(["u", "a"]).toContain(made.firstKeptEntryId);
    }
    expect(prepared([], 10)).toHaveProperty("nothing");
    expect(prepared([assistant("a", null, { text: "x" })], 0)).toHaveProperty("nothing");
  });

  it("does not cut between a call and its result, whatever stands between them", () => {
    const path = chain(
      (p) => user("u", p, words(900)),
      (p) => assistant("a", p, { calls: ["t"] }),
      (p) => entry("n", p, { type: "custom_message", customType: "c", content: words(900), display: true }),
      (p) => result("r", p, "t", words(900)),
      (p) => assistant("b", p, { text: "x" }),
    );
    for (const keep of [1, 500, 1100, 1500, 2500]) {
      const made = prepared(path, keep);
      if (!("nothing" in made)) expect(["u", "a", "b"]).toContain(made.firstKeptEntryId);
    }
  });

  it("includes what the last compaction kept, and compacts again behind one", () => {
    const path = [
      ...turns,
      compaction("k", "a3", "u2", { details: { readFiles: ["old.ts", "e.ts"], modifiedFiles: [] } }),
      ...chain(
        () => user("u3", "k", words(900)),
        (p) => assistant("a4", p, { text: words(900) }),
      ),
    ];
    const again = plan(path, 100);
    expect(ids(again.messagesToSummarize)).toEqual(["u2", "a2", "r3", "a3"]);
    expect(again.previous?.id).toBe("k");
    expect(again.files.readFiles).toEqual(["e.ts", "old.ts", "t3"]);
    expect(plan(path.slice(0, -2), 500)).toMatchObject({ firstKeptEntryId: "a3" });
  });

  it("summarises an input that only omitted answers follow", () => {
    const path = chain(
      (p) => user("u1", p, "first"),
      (p) => assistant("a1", p, { text: "x" }),
      (p) => user("u2", p, words(5000)),
      (p) => assistant("bad", p, { stopReason: "error", errorMessage: "too long" }),
      (p) => contextEdit("e", p, "bad"),
    );
    const made = plan(path, 1000);
    expect(made.firstKeptEntryId).toBe("bad");
    expect(ids(made.turnPrefix)).toEqual(["u2"]);
  });
});

describe("compact", () => {
  it("writes one summary, with files, usage and the prompt's checkpoint", async () => {
    asked.length = 0;
    const made = await compact(plan(turns, 1200), answering(answer(HISTORY)), {
      instructions: "the tests",
      time: 5,
    });
    expect(asked).toHaveLength(1);
    const [text] = asked[0]?.messages ?? [];
    expect(JSON.stringify(text)).toContain("the tests");
    expect(JSON.stringify(text)).toContain("read(path=");
    if ("problem" in made) throw new Error(made.problem.message);
    expect(made.draft).toMatchObject({
      firstKeptEntryId: "u2",
      details: { readFiles: ["r.ts"], modifiedFiles: ["e.ts"] },
      usage: { input: 10 },
      systemMessage: { role: "system" },
    });
    expect(made.draft.summary).toBe(
      `${HISTORY}\n\n<read-files>\nr.ts\n</read-files>\n\n<modified-files>\ne.ts\n</modified-files>`,
    );
    const path = [...turns, makeEntry(made.draft, { id: entryId("k"), parentId: entryId("a3"), time: 0 })];
    const context = buildContext(path);
    expect(context.entryIds).toEqual(["k", "u2", "a2", "r3", "a3"]);
    expect(toModelMessages(context.messages)[0]).toMatchObject({
      content: [{ text: expect.stringContaining("<summary>\n## Goal") }],
    });
  });

  it("asks twice for a split turn, one after the other, and goes on from the last summary", async () => {
    asked.length = 0;
    const made = await compact(plan(turns, 500), answering(answer(HISTORY), answer(PREFIX)), { time: 0 });
    expect(asked).toHaveLength(2);
    if ("problem" in made) throw new Error(made.problem.message);
    expect(made.draft.summary).toContain(`${HISTORY}\n\n---\n\n`);
    expect(made.draft.summary).toContain(PREFIX);
    expect(made.draft.usage).toMatchObject({ input: 20, totalTokens: 20 });
    asked.length = 0;
    const path = [
      ...turns,
      compaction("k", "a3", "a3", { summary: `${HISTORY}\n\n<read-files>\nx\n</read-files>` }),
      ...chain(
        () => user("u3", "k", words(900)),
        (p) => assistant("a4", p, { text: "x" }),
      ),
    ];
    await compact(plan(path, 500), answering(answer(HISTORY)), { time: 0 });
    const said = JSON.stringify(asked[0]);
    expect(said).toContain("<previous-summary>");
    expect(said).not.toContain("read-files");
  });

  it.each<[string, Partial<SummaryAnswer>, string]>([
    [HISTORY, { stopReason: "length" }, "output limit"],
    ["Goal: mig", { stopReason: "length" }, "output limit"],
    [HISTORY, { stopReason: "aborted" }, "stopped"],
    ["", {}, "empty"],
    ["Goal: all good", {}, "## Goal"],
    [HISTORY, { content: [call("t")] }, "tool"],
    [
      HISTORY,
      { stopReason: "error", problem: { code: "provider_overflow", message: "too long" } },
      "too long",
    ],
    [HISTORY, { stopReason: "deferred" as StopReason }, "no summary"],
  ])("writes nothing for an answer that is not whole: %j %j", async (text, more, reason) => {
    const made = await compact(plan(turns, 1200), answering(answer(text, more)), { time: 0 });
    expect(made).toEqual({ problem: expect.objectContaining({ message: expect.stringContaining(reason) }) });
    const second = await compact(plan(turns, 500), answering(answer(HISTORY), answer(text, more)), {
      time: 0,
    });
    expect(second).toHaveProperty("problem");
  });

  it("writes nothing for a summary that is no shorter than what it would replace", async () => {
    const made = await compact(plan(turns, 1200), answering(answer(`${HISTORY}\n${words(5000)}`)), {
      time: 0,
    });
    expect(made).toEqual({
      problem: expect.objectContaining({ message: expect.stringContaining("no shorter") }),
    });
  });
});
