import type { ModelEvent, ModelMessage, ModelOutcome, ModelRequest } from "@espalier/core";
import { conversationText, SUMMARY_HEADINGS } from "@espalier/core";
import type { AssistantMessage, ToolResultMessage } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { gardenerInfo, gardenerModel } from "./index.ts";
import { nextReply } from "./script.ts";
import { scriptedModel } from "./stream.ts";

type Answer = string | { error: string };
type Tools = Readonly<Record<string, (args: Record<string, unknown>) => Answer>>;

const PACKAGE =
  '{\n  "name": "garden",\n  "version": "1.2.0",\n  "scripts": {\n    "test": "vitest"\n  }\n}\n';
const files: Readonly<Record<string, string>> = {
  "package.json": PACKAGE,
  "my notes.txt": "Title: Roses\nwater them\n",
  "README.md": "# The Garden\n\nA place for plants.\n",
};
const tools: Tools = {
  read: ({ path }) => {
    if (path === "src") return { error: "src is a folder. Use ls to see what is in it." };
    return files[String(path)] ?? { error: `${String(path)} was not found (looked for /w/${String(path)}).` };
  },
  ls: ({ path }) => (path === "src" ? "a.ts\nb.ts" : "package.json\nREADME.md\nsrc/"),
  grep: ({ pattern }) =>
    pattern === "none"
      ? "No matches found. Left out: 3 ignored by .gitignore."
      : "a.ts:1: rose\nb.ts:9: rose",
  find: () => "src/a.ts\nsrc/b.ts",
  bash: ({ command }) =>
    command === "false" ? { error: "(no output)\n\nCommand exited with code 1" } : `ran ${String(command)}\n`,
  edit: () => "Edited.",
  write: () => "Created.",
};

const start = (text: string): ModelMessage[] => [{ role: "user", content: text, timestamp: 1 }];
const requestOf = (
  messages: readonly ModelMessage[],
  names: readonly string[],
  over: Partial<ModelRequest> = {},
): ModelRequest => ({
  model: gardenerInfo,
  system: "",
  tools: names.map((name) => ({ name, description: name, parameters: {} })),
  messages,
  thinkingLevel: "medium",
  sessionId: "s",
  ...over,
});

const ask = async (
  request: ModelRequest,
  signal = new AbortController().signal,
): Promise<{ events: ModelEvent[]; outcome: ModelOutcome }> => {
  const events: ModelEvent[] = [];
  for await (const event of gardenerModel(0)(request, signal)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "end") throw new Error("no end");
  expect(events.filter((event) => event.type === "end")).toHaveLength(1);
  return { events, outcome: last.outcome };
};

/** Plays a turn to its end: batches of calls as "name(first argument)", and the last text. */
const play = async (
  text: string,
  available: Tools = tools,
  before: readonly ModelMessage[] = [],
): Promise<{ batches: string[][]; text: string; messages: ModelMessage[] }> => {
  const messages: ModelMessage[] = [...before, ...start(text)];
  const batches: string[][] = [];
  for (let step = 0; step < 10; step++) {
    const { outcome } = await ask(requestOf(messages, Object.keys(available)));
    const message: AssistantMessage = {
      role: "assistant",
      content: [...outcome.content],
      api: "demo",
      provider: "demo",
      model: "gardener",
      usage: outcome.usage,
      stopReason: outcome.stopReason,
      timestamp: messages.length,
    };
    messages.push(message);
    const calls = outcome.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
    if (calls.length === 0) {
      const said = outcome.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
      return { batches, text: said.join(""), messages };
    }
    batches.push(
      calls.map(
        ({ name, arguments: args }) =>
          `${name}(${[args.command, args.path, args.pattern].find((value) => typeof value === "string") ?? ""})`,
      ),
    );
    for (const { id, name, arguments: args } of calls) {
      const given = available[name]?.(args) ?? { error: "no such tool" };
      const result: ToolResultMessage = {
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [{ type: "text", text: typeof given === "string" ? given : given.error }],
        isError: typeof given !== "string",
        timestamp: messages.length,
      };
      messages.push(result);
    }
  }
  throw new Error("the script did not come to an end");
};

describe("the gardener", () => {
  it("reads a file and answers about it from the result", async () => {
    const { batches, text } = await play("read package.json and tell me its name");
    expect(batches).toEqual([["read(package.json)"]]);
    expect(text).toBe("The name in package.json is garden.");
  });

  it.each([
    ["how many lines does package.json have?", "package.json has 7 lines."],
    ["what is the version in package.json", "The version in package.json is 1.2.0."],
    ["what is the test in package.json", "The test in package.json is vitest."],
    ['read "my notes.txt" and tell me its title', "The title in my notes.txt is Roses."],
    ["what is the first line of README.md", "The first line of README.md is: # The Garden"],
    ["read README.md and tell me its title", "The title in README.md is The Garden."],
    ["does README.md mention plants?", 'Yes, README.md contains "plants" in line 3.'],
    ["does README.md mention weeds?", 'No, README.md does not contain "weeds".'],
    ["read README.md and tell me its author", "I found no author in README.md."],
    ["list files and tell me how many files there are", "There are 3 entries."],
    ["search for rose and tell me how many matches there are", "There are 2 matches."],
    ["run `make` and tell me whether it worked", "It worked. It printed:"],
    ["run `false` and tell me if it worked", "It failed: (no output)"],
  ])("%s", async (request, expected) => {
    expect((await play(request)).text).toContain(expected);
  });

  it("says what came of every kind of action", async () => {
    expect((await play("read README.md")).text).toContain("README.md has 3 lines:\n```\n# The Garden");
    expect((await play("list files")).text).toContain("This folder holds 3 entries");
    expect((await play("search for rose in src")).text).toContain('"rose" occurs in 2 lines');
    expect((await play("search for none")).text).toContain('"none" occurs nowhere');
    expect((await play("find *.ts in src")).text).toContain("Found 2 files");
    expect((await play("run make")).text).toContain("`make` ended well and printed:\n```\nran make");
    expect((await play('replace "a" with "b" in x.txt')).text).toContain('Changed x.txt: "a" is now "b".');
    expect((await play('create x.txt with "hello"')).text).toContain("Wrote x.txt.");
  });

  it("calls together what belongs together, and waits where it must", async () => {
    expect((await play("read package.json and README.md and list files")).batches).toEqual([
      ["read(package.json)", "read(README.md)", "ls()"],
    ]);
    const { batches, text } = await play("list files then read README.md\nrun make");
    expect(batches).toEqual([["ls()"], ["read(README.md)"], ["bash(make)"]]);
    expect(text).toContain("This folder holds");
    expect(text).toContain("README.md has 3 lines");
    expect(text).toContain("`make` ended well");
  });

  it("tells of failures and stops a sequence there", async () => {
    const { batches, text } = await play("read gone.txt then run make");
    expect(batches).toEqual([["read(gone.txt)"]]);
    expect(text).toContain("I could not read gone.txt: gone.txt was not found");
    expect(text).toContain("I stopped there and did not run `make`.");
    const denied = await play("run make", { ...tools, bash: () => ({ error: "Denied by the user." }) });
    expect(denied.text).toContain("Denied by the user.");
    const both = await play("read gone.txt and package.json");
    expect(both.text).toContain("I could not read gone.txt");
    expect(both.text).toContain("package.json has 7 lines");
  });

  it("lists a folder it took for a file, and goes on", async () => {
    const { batches, text } = await play("read src then run make");
    expect(batches).toEqual([["read(src)"], ["ls(src)"], ["bash(make)"]]);
    expect(text).toContain("src holds 2 entries");
  });

  it("goes by the shell where its own tool is not offered, and says what it has no tool for", async () => {
    const few: Tools = { bash: ({ command }) => `ran ${String(command)}` };
    expect((await play("list my folder/", few)).batches).toEqual([["bash(ls -Ap 'my folder/')"]]);
    expect((await play("search for it's in src", few)).batches[0]?.[0]).toContain("-e 'it'\\''s' src");
    const { batches, text } = await play("read a.txt and run make", few);
    expect(batches).toEqual([["bash(make)"]]);
    expect(text).toContain("I have no tool to read a.txt.");
    expect((await play("read a.txt", {})).text).toContain("I have no tool to read a.txt.");
  });

  it("answers a question about an earlier turn", async () => {
    const first = await play("read package.json");
    expect((await play("what is its version?", tools, first.messages)).text).toBe(
      "The version in package.json is 1.2.0.",
    );
    expect((await play("what is its version?")).text).toContain("nothing yet");
  });

  it("says what it can do when it does not understand", async () => {
    const { batches, text } = await play("compose a sonnet about gardens");
    expect(batches).toEqual([]);
    expect(text).toContain('I did not understand: "compose a sonnet about gardens".');
    for (const word of ["no language model", "read", "list", "search", "run", "edit", "write"])
      expect(text).toContain(word);
    expect((await play("hello")).text).toContain("Hello.");
    const partly = await play("read README.md then compose a sonnet");
    expect(partly.batches).toEqual([["read(README.md)"]]);
    expect(partly.text).toContain('I did not understand: "compose a sonnet"');
    expect((await play("")).text).toContain("gardener");
  });

  it("takes a steering message for a new order", async () => {
    const first = await play("read package.json then run make");
    const cut = first.messages.slice(0, 3);
    expect(
      (await play("stop that and read README.md".replace("stop that and ", ""), tools, cut)).batches,
    ).toEqual([["read(README.md)"]]);
  });

  it("streams thinking, text and arguments in small pieces, and reports usage", async () => {
    const { events, outcome } = await ask(
      requestOf(start('create a.txt with "some words to write"'), ["write"]),
    );
    const kinds = events.map((event) => event.type);
    for (const kind of ["thinking_delta", "text_delta", "tool_call_delta"]) {
      expect(kinds.filter((each) => each === kind).length).toBeGreaterThan(1);
    }
    const raw = events.flatMap((event) => (event.type === "tool_call_delta" ? [event.text] : [])).join("");
    expect(JSON.parse(raw)).toEqual({ path: "a.txt", content: "some words to write\n" });
    expect(outcome.stopReason).toBe("toolUse");
    expect(outcome.usage.input).toBeGreaterThan(10);
    expect(outcome.usage.totalTokens).toBe(outcome.usage.input + outcome.usage.output);
    const quiet = await ask(requestOf(start("read a.txt"), ["read"], { thinkingLevel: "off" }));
    expect(quiet.events.some((event) => event.type === "thinking_delta")).toBe(false);
  });

  it("says the same to the same conversation", async () => {
    const request = requestOf(start("read a.txt and list files"), ["read", "ls"]);
    expect(await ask(request)).toEqual(await ask(request));
  });

  it("stops when it is told to, with what it had said", async () => {
    const abort = new AbortController();
    const events: ModelEvent[] = [];
    const model = scriptedModel(nextReply, {
      delayMs: 1,
      sleep: () => Promise.resolve(),
    });
    for await (const event of model(requestOf(start("read a.txt"), ["read"]), abort.signal)) {
      events.push(event);
      if (event.type === "tool_call_delta") abort.abort();
    }
    expect(events.at(-1)).toMatchObject({
      type: "end",
      outcome: {
        stopReason: "aborted",
        content: [{ type: "thinking" }, { type: "text" }, { argumentsError: expect.anything() }],
      },
    });
    expect((await ask(requestOf(start("read a.txt"), ["read"]), AbortSignal.abort())).events).toHaveLength(1);
  });
});

describe("a summary by the gardener", () => {
  const headings = [
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Blocked",
    "## Key Decisions",
    "## Next Steps",
    "## Critical Context",
  ];
  const form = headings.map((heading) => `${heading}\nwhat to put there`).join("\n\n");
  const conversation = [
    "[User]\nMake the roses bloom. You must never use salt.",
    '[Assistant called]\nread(path="garden.txt")\nbash(command="make")',
    "[Result of bash, an error]\nno water",
    "[Assistant]\nI decided to water them first.",
    "[User]\nAnd then trim the hedge.",
  ].join("\n\n");
  const summarise = async (task: string): Promise<string> => {
    const { outcome } = await ask(requestOf(start(task), []));
    return outcome.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  };

  it("has all headings in their order, filled from the conversation", async () => {
    const text = await summarise(
      `<conversation>\n${conversation}\n</conversation>\n\nUse these headings:\n\n${form}`,
    );
    expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual(headings);
    for (const fact of [
      "Make the roses bloom",
      "never use salt",
      'read(path="garden.txt")',
      "no water",
      "decided to water",
      "1. Go on with: And then trim the hedge.",
      "- garden.txt",
    ]) {
      expect(text).toContain(fact);
    }
  });

  it("carries an earlier summary on", async () => {
    const earlier =
      "## Goal\nWin the flower show.\n\n## Progress\n### Done\n- [x] dug a bed\n\n## Critical Context\n- gate code 77";
    const text = await summarise(
      `<conversation>\n${conversation}\n</conversation>\n\n<previous-summary>\n${earlier}\n</previous-summary>\n\n${form}`,
    );
    expect(text).toContain("## Goal\nWin the flower show.");
    expect(text).toContain("- [x] dug a bed");
    expect(text).toContain("gate code 77");
  });

  it("gives the headings that are asked for and no others", async () => {
    const text = await summarise(
      `<conversation>\n${conversation}\n</conversation>\n\n## Original Request\n...\n\n## Progress So Far\n...\n\n## Context Needed to Continue\n...`,
    );
    expect(text.split("\n").filter((line) => line.startsWith("#"))).toEqual([
      "## Original Request",
      "## Progress So Far",
      "## Context Needed to Continue",
    ]);
  });

  it("reads the conversation as core writes it", async () => {
    const projected = start("Fix the fence").map((message) => ({ message }));
    const text = conversationText(projected as unknown as Parameters<typeof conversationText>[0]);
    expect(
      await summarise(`<conversation>\n${text}\n</conversation>\n\n${SUMMARY_HEADINGS.join("\n\n")}`),
    ).toContain("## Goal\nFix the fence");
  });
});
