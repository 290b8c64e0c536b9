import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type EntryOf, entryId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../testing/data-folder.ts";
import { tokensOfMessage } from "../context/estimate-tokens.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { commonAncestor, leaves } from "../session/path-to-leaf.ts";
import { SessionTree } from "../session/session-tree.ts";
import { anySession } from "../testing/arbitraries.ts";
import { bytesOf } from "../testing/check-session.ts";
import {
  assistant,
  call,
  compaction,
  contextEdit,
  entry,
  NO_USAGE,
  result,
  user,
} from "../testing/make-entries.ts";
import {
  branchLeft,
  extractedBranchSummary,
  prepareBranchSummary,
  summarizeBranch,
} from "./branch-summary.ts";
import { carriedPart } from "./carried-part.ts";
import type { SummaryAnswer, SummaryRequest } from "./compact.ts";
import { extractiveSummary } from "./extractive.ts";

const SUMMARY = "## Goal\nx\n## Constraints & Preferences\n## Progress\n## Key Decisions\n## Next Steps\ny";
const said = (text: string, fields: Partial<SummaryAnswer> = {}): SummaryAnswer => ({
  content: [{ type: "text", text }],
  stopReason: "stop",
  usage: NO_USAGE,
  ...fields,
});

const plan = (branch: readonly AnyEntry[], window = 0) => {
  const made = prepareBranchSummary(branch, window);
  if (made === null) throw new Error("nothing to tell");
  return made;
};

const branchSummary = (
  id: string,
  parent: string,
  fields: Partial<EntryOf<"branch_summary">> = {},
): EntryOf<"branch_summary"> =>
  entry(id, parent, { type: "branch_summary", fromId: "x", summary: `summary ${id}`, ...fields });

/** `tokens` tokens of text by the estimate. */
const words = (tokens: number, mark = "w"): string => mark.repeat(tokens * 4);

describe("prepareBranchSummary", () => {
  it("takes everything said since the branches parted, over compactions, without results", () => {
    const branch = [
      user("u1", null),
      assistant("a1", "u1", { calls: ["c"] }),
      result("r1", "a1", "c"),
      compaction("k", "r1", "r1"),
      user("u2", "k"),
    ];
    expect(plan(branch).messages.map(({ entryId: id }) => id)).toEqual(["u1", "a1", "k", "u2"]);
    expect(plan(branch).said.map(({ entryId: id }) => id)).toEqual(["u1", "a1", "r1", "k", "u2"]);
  });

  it("fits the newest into the window less the reserve, and says how many did not", () => {
    const branch = ["u1", "u2", "u3"].map((id) => user(id, null, words(1000)));
    const fits = plan(branch, 16_384 + 2000);
    expect(fits.messages.map(({ entryId: id }) => id)).toEqual(["u2", "u3"]);
    expect(fits.leftOut).toBe(1);
    expect(plan(branch, 16_384 + 1999).messages.map(({ entryId: id }) => id)).toEqual(["u3"]);
    expect(plan(branch, 0).messages).toHaveLength(3);
  });

  it("lets a summary in that does not fit, while there is room at all", () => {
    const long = branchSummary("b", "u1", { summary: words(5000) });
    const branch = (tokens: number) => [user("u1", null), long, user("u2", "b", words(tokens))];
    const ids = (tokens: number) => plan(branch(tokens), 16_384 + 1000).messages.map(({ entryId: id }) => id);
    expect(ids(899)).toEqual(["b", "u2"]);
    expect(ids(900)).toEqual(["u2"]);
  });

  it("adds the files of all summaries on the branch to those of the messages that fit", () => {
    const branch = [
      branchSummary("b1", "x", { details: { readFiles: ["a", "b"], modifiedFiles: ["c"] } }),
      branchSummary("b2", "b1", { details: { readFiles: ["theirs"] }, fromHook: true }),
      assistant("a1", "b2", {
        content: [call("1", "read", { path: "d" }), call("2", "edit", { path: "a" })],
      }),
      user("u1", "a1", words(10)),
    ];
    expect(plan(branch).files).toEqual({ readFiles: ["b", "d"], modifiedFiles: ["a", "c"] });
    expect(plan(branch, 16_384 + 10).files).toEqual({ readFiles: ["a", "b"], modifiedFiles: ["c"] });
  });

  it("honours edits: what was left out is not told, what was replaced is told as it is now", () => {
    const branch = [
      user("u1", null, "gone"),
      user("u2", "u1", "before"),
      contextEdit("e1", "u2", "u1", null),
      contextEdit("e2", "e1", "u2", "after"),
    ];
    expect(JSON.stringify(plan(branch).messages)).not.toContain("gone");
    expect(JSON.stringify(plan(branch).messages)).toContain("after");
    expect(prepareBranchSummary(branch.slice(0, 1).concat(branch.slice(2, 3)), 0)).toBeNull();
  });

  it("has nothing to tell of settings and names alone", () => {
    const branch = [
      entry("m", null, { type: "model_change", provider: "p", modelId: "m" }),
      entry("n", "m", { type: "session_info", name: "x" }),
      result("r", "n", "c"),
    ];
    expect(prepareBranchSummary(branch, 0)).toBeNull();
  });
});

describe("summarizeBranch", () => {
  const branch = [user("u1", null, "what was asked"), assistant("a1", "u1", { text: "what was done" })];
  const from = entryId("a1");

  it("writes the preamble, the summary and the files, and names the end that was left", async () => {
    let asked: SummaryRequest | null = null;
    const made = await summarizeBranch(
      plan([...branch, assistant("a2", "a1", { content: [call("1", "write", { path: "f.ts" })] })]),
      async (request) => {
        asked = request;
        return said(SUMMARY);
      },
      { fromId: from, instructions: "the lexer", time: 1 },
    );
    expect(made).toMatchObject({
      draft: { type: "branch_summary", fromId: "a1", details: { readFiles: [], modifiedFiles: ["f.ts"] } },
    });
    expect("draft" in made && made.draft.summary).toMatch(
      /^A branch of this session was left[\s\S]+## Goal\nx/,
    );
    expect("draft" in made && made.draft.summary).toContain("<modified-files>\nf.ts\n</modified-files>");
    const text = JSON.stringify(asked);
    for (const part of ["what was asked", "what was done", "the lexer", "## Next Steps"])
      expect(text).toContain(part);
    expect(text).not.toContain("## Critical Context");
  });

  it.each([
    said("## Goal\nhalf", { stopReason: "length" }),
    said(""),
    said("no headings"),
    said(SUMMARY, { stopReason: "aborted" }),
    said(SUMMARY, { stopReason: "error" }),
    said(SUMMARY, { content: [call("1")] }),
    said(SUMMARY, { problem: { code: "provider_network", message: "Away." } }),
  ])("makes nothing of an answer that is not whole", async (answer) => {
    expect(await summarizeBranch(plan(branch), async () => answer, { fromId: from, time: 1 })).toHaveProperty(
      "problem",
    );
  });

  it("asks nobody when not even the last message fits", async () => {
    const huge = plan([user("u1", null, words(2000))], 16_384 + 100);
    const made = await summarizeBranch(huge, () => Promise.reject(new Error("asked")), {
      fromId: from,
      time: 1,
    });
    expect(made).toMatchObject({ problem: { code: "provider_overflow" } });
    expect(extractedBranchSummary(huge, from).summary).toContain("wwww");
  });
});

const bash = (id: string, command: string) => call(id, "bash", { command });

describe("extractiveSummary", () => {
  const branch = [
    user("u1", null, "Make the lexer\nkeep `|` in headings"),
    assistant("a1", "u1", {
      text: "Plan:\n1. read the lexer\n2. change it\n3. run the tests",
      content: [bash("c1", "npm test"), bash("c2", "tsc -p ."), call("c3", "edit", { path: "src/lexer.ts" })],
    }),
    result("r1", "a1", "c1", "1 failed\nlexer.ts:41 unexpected |\n\nCommand exited with code 1", true),
    result("r2", "r1", "c2", "(no output)"),
    user("u2", "r2", "Do not touch the parser."),
    assistant("a2", "u2", { text: "Understood, I leave it alone.", errorMessage: "connection lost" }),
  ];
  const text = extractiveSummary(plan(branch).said);

  it("quotes what the person asked, lists commands with their ends, open calls, errors and the last plan", () => {
    const section = (heading: string) =>
      new RegExp(`(?:^|\\n)${heading}\\n([\\s\\S]*?)(?=\\n\\n##|$)`).exec(text)?.[1];
    expect(section("## Goal")).toBe("Make the lexer\nkeep `|` in headings");
    expect(section("## Constraints & Preferences")).toBe("Do not touch the parser.");
    expect(section("### Done")).toBe(
      "- `npm test` (exit 1)\n- `tsc -p .` (exit 0)\n\nThe last answer:\nUnderstood, I leave it alone.",
    );
    expect(section("### In Progress")).toBe("- [ ] edit src/lexer.ts: no result");
    expect(section("### Blocked")).toBe("- bash npm test: lexer.ts:41 unexpected |\n- connection lost");
    expect(section("## Next Steps")).toBe("1. read the lexer\n2. change it\n3. run the tests");
  });

  it("is of bounded size however long the branch is, and keeps the first and the newest", () => {
    const long = Array.from({ length: 500 }, (_, at) => [
      user(`u${at}`, null, `wish ${at} ${"x".repeat(9000)}`),
      assistant(`a${at}`, null, { content: [bash(`c${at}`, `run ${at}`)] }),
      result(`r${at}`, null, `c${at}`),
    ]).flat();
    const short = extractiveSummary(plan(long).said);
    expect(short.length).toBeLessThan(200_000);
    for (const part of ["wish 0 ", "wish 499 ", "run 499", "460 earlier ones left out"])
      expect(short).toContain(part);
  });
});

describe("carriedPart", () => {
  const branch = [
    user("u1", null, "make it"),
    assistant("a1", "u1", {
      text: "writing",
      content: [
        call("c1", "write", { path: "a.ts", content: "one\ntwo\n" }),
        call("c2", "edit", { path: "a.ts", edits: [{ oldText: "two", newText: "$& 2" }] }),
        call("c3", "edit", { path: "b.ts", edits: [{ oldText: "old", newText: "new" }] }),
        call("c4", "write", { path: "b.ts", content: "refused" }),
      ],
    }),
    result("r1", "a1", "c1"),
    result("r2", "r1", "c2"),
    result("r3", "r2", "c3", "x".repeat(5000)),
    result("r4", "r3", "c4", "no", true),
    assistant("a2", "r4", { text: "done" }),
  ];
  const carry = (entries: string[], files: string[]) =>
    carriedPart(plan(branch), { entries: entries.map(entryId), files }, entryId("a2"));

  it("brings messages word for word, a step with its results, long ones cut with a word about it", () => {
    const made = carry(["a1"], []);
    expect(made?.summary).toContain("writing");
    expect(made?.summary).toContain("3000 more characters left out");
    expect(made?.summary).not.toContain("make it");
    expect(made?.summary).not.toContain("done");
    expect(made).toMatchObject({ fromId: "a2", details: { readFiles: [], modifiedFiles: ["a.ts", "b.ts"] } });
  });

  it("brings what calls that went well made of files: the whole text, or the edits", () => {
    const made = carry([], ["a.ts", "b.ts", "c.ts"]);
    expect(made?.summary).toContain("### a.ts\n```\none\n$& 2\n\n```");
    expect(made?.summary).toContain("### b.ts\nReplaced\n```\nold\n```\nby\n```\nnew\n```");
    expect(made?.summary).not.toContain("refused");
    expect(carry([], ["c.ts"])).toBeNull();
    expect(carry(["nope"], [])).toBeNull();
  });
});

describe("any branch of any session", () => {
  it("is told within the budget, the newest first, in path order, the same each time", () => {
    fc.assert(
      fc.property(
        anySession(),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 0, max: 4000 }),
        (session, a, b, budget) => {
          const parsed = parseJsonl(bytesOf(session));
          if (parsed === null) return;
          const tree = new SessionTree(parsed.rows);
          const ends = [...leaves(tree), null];
          const [from, to] = [ends[a % ends.length] ?? null, ends[b % ends.length] ?? null];
          const ids = branchLeft(tree, from, to);
          const above = commonAncestor(tree, from, to);
          expect(ids.length === 0 || (tree.get(ids[0] as never)?.parentId ?? null) === above).toBe(true);
          const branch = ids.flatMap((id) => parsed.read(id) ?? []);
          const made = prepareBranchSummary(branch, 16_384 + budget);
          if (made === null) return;
          const used = made.messages.reduce((sum, { message }) => sum + tokensOfMessage(message), 0);
          const isSummary = ["branchSummary", "compactionSummary"].includes(
            made.messages[0]?.message.role ?? "",
          );
          if (!isSummary) expect(used).toBeLessThanOrEqual(budget);
          const worded = made.said.filter(({ message }) => message.role !== "toolResult");
          expect(made.messages).toEqual(worded.slice(made.leftOut));
          expect(extractiveSummary(made.said)).toBe(extractiveSummary(made.said));
          expect(extractiveSummary(made.said).isWellFormed()).toBe(true);
          for (const heading of ["## Goal", "## Progress", "## Next Steps"])
            expect(extractiveSummary(made.said).split("\n")).toContain(heading);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});

const folder = dataFolder();
const files =
  folder === null ? [] : readdirSync(join(folder, "sessions/pi")).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(folder === null)("branches of recorded sessions", () => {
  it.each(files)("%s: each end is told from the fork with its neighbour on", (file) => {
    const parsed = parseJsonl(readData(`sessions/pi/${file}`));
    if (parsed === null) throw new Error("not a session");
    const tree = new SessionTree(parsed.rows);
    const ends = leaves(tree);
    for (const [at, from] of ends.slice(0, 12).entries()) {
      const to = ends[at + 1] ?? null;
      const ids = branchLeft(tree, from, to);
      const branch = ids.map((id) => parsed.read(id) ?? expect.fail(`no entry ${id}`));
      const made = prepareBranchSummary(branch, 0);
      if (made === null) continue;
      const draft = extractedBranchSummary(made, from);
      expect(draft.fromId).toBe(from);
      const asked = branch.find(
        (one) => one.type === "message" && JSON.stringify(one).includes('"role":"user"'),
      );
      if (asked === undefined) continue;
      const first = made.said.find(({ message }) => message.role === "user")?.message;
      const text = first?.role === "user" ? first.content : "";
      const goal =
        typeof text === "string"
          ? text
          : text.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      expect(draft.summary).toContain(goal.trim().slice(0, 400));
      const { modifiedFiles } = made.files;
      for (const path of modifiedFiles) expect(draft.summary).toContain(path);
    }
  });
});
