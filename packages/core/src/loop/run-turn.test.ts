import {
  type Entry,
  type EntryDraft,
  entryId,
  type ModelInfo,
  type Problem,
  runId,
  type SessionEvent,
} from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { type FakeStep, fakeModel } from "../testing/fake-model.ts";
import { MessageQueue } from "./message-queue.ts";
import type { Hooks, Tool } from "./ports.ts";
import { runTurn } from "./run-turn.ts";
import type { TurnPorts } from "./turn-ports.ts";

const model: ModelInfo = {
  provider: "fake",
  id: "one",
  name: "one",
  api: "demo",
  contextWindow: 100_000,
  maxTokens: 1000,
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ready: true,
};
const run = runId("r");
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const tool = (name: string, execute: Tool["execute"]): Tool => ({
  spec: { name, description: name, parameters: { type: "object", properties: {} } },
  effect: "read",
  subject: () => name,
  execute,
});
const echo = tool("echo", ({ text }) =>
  Promise.resolve({ content: [{ type: "text", text: String(text) }], isError: false }),
);
const allow: Hooks = {
  beforeToolCall: () => Promise.resolve({ block: false }),
  afterToolCall: (_, output) => Promise.resolve(output),
};

interface Bench {
  readonly entries: Entry[];
  readonly events: SessionEvent[];
  /** Why room was asked for, in order. */
  readonly rooms: readonly string[];
  readonly requests: () => number;
  readonly turn: (signal?: AbortSignal) => ReturnType<typeof runTurn>;
  readonly queue: MessageQueue;
}

/** Runs a script; whatever happens, every call a message declares must end with exactly one result. */
const bench = (
  script: readonly FakeStep[],
  options: {
    tools?: readonly Tool[];
    hooks?: Hooks;
    commit?: (count: number) => void;
    delay?: number | null;
    room?: (reason: string) => boolean;
  } = {},
): Bench => {
  const entries: Entry[] = [];
  const events: SessionEvent[] = [];
  const queue = new MessageQueue();
  const rooms: string[] = [];
  const fake = fakeModel(script);
  const tools = new Map([echo, ...(options.tools ?? [])].map((known) => [known.spec.name, known]));
  const commit = async (drafts: readonly EntryDraft[]): Promise<Entry[]> => {
    await tick();
    options.commit?.(entries.length);
    const made = drafts.map((draft, at) => {
      const last = entries.at(-1)?.id ?? null;
      const id = entryId(`e${entries.length + at}`);
      return {
        ...draft,
        id,
        parentId: at > 0 ? entryId(`e${entries.length + at - 1}`) : last,
        timestamp: "",
      } as Entry;
    });
    entries.push(...made);
    return made;
  };
  const ports: TurnPorts = {
    sink: { commit, emit: (event) => void events.push(event) },
    clock: { now: () => 0, sleep: () => tick() },
    validate: (_, args) =>
      "bad" in args ? { ok: false, error: "bad must not be" } : { ok: true, value: { ...args } },
    prepare: () =>
      Promise.resolve({
        model: fake,
        request: { model, system: "", tools: [], messages: [], thinkingLevel: "off", sessionId: "s" },
        tools,
        hooks: options.hooks ?? allow,
        cwd: "/",
        env: {},
      }),
    take: (kind) => queue.take(run, kind, "one-at-a-time"),
    retryDelay: (problem, attempt) =>
      problem.code === "provider_overloaded" && attempt <= 3 ? (options.delay ?? 1) : null,
    makeRoom: async (_, refused) => {
      await tick();
      const reason = refused === undefined ? "threshold" : "overflow";
      rooms.push(reason);
      return options.room?.(reason) ?? false;
    },
    report: () => undefined,
    settle: () => Promise.resolve(),
  };
  const turn = (signal = new AbortController().signal) => runTurn(run, ports, signal);
  return { entries, events, rooms, requests: () => fake.requests.length, turn, queue };
};

const results = (entries: readonly Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult" ? [entry.message] : [],
  );
const textOf = (entry: { content: readonly unknown[] } | undefined): string =>
  JSON.stringify(entry?.content ?? []);
const checkAnswered = (entries: readonly Entry[]): void => {
  const open: string[] = [];
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    if (entry.message.role === "assistant") {
      for (const block of entry.message.content) if (block.type === "toolCall") open.push(block.id);
    }
    if (entry.message.role === "toolResult") {
      const at = open.indexOf(entry.message.toolCallId);
      expect(at, `a result without a call: ${entry.message.toolCallId}`).toBeGreaterThanOrEqual(0);
      open.splice(at, 1);
    }
  }
  expect(open).toEqual([]);
};
const call = (id: string, name = "echo", args: Record<string, unknown> = { text: id }) => ({
  id,
  name,
  arguments: args,
});
const overloaded: Problem = { code: "provider_overloaded", message: "Overloaded" };

describe("runTurn", () => {
  it("asks, runs the calls, asks again and ends", async () => {
    const { turn, entries, requests } = bench([
      { text: "look", calls: [call("a"), call("b")] },
      { text: "found" },
    ]);
    expect(await turn()).toEqual({ status: "done" });
    expect(requests()).toBe(2);
    checkAnswered(entries);
    expect(results(entries).map(textOf)).toEqual([
      '[{"type":"text","text":"a"}]',
      '[{"type":"text","text":"b"}]',
    ]);
  });

  it.each([
    ["fast first", ["quick", "slow"]],
    ["fast last", ["slow", "quick"]],
  ])("writes each result when it arrives, %s", async (_, names) => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tool("slow", () => gate.then(() => ({ content: [], isError: false })));
    const quick = tool("quick", () => Promise.resolve({ content: [], isError: false }));
    const { turn, entries } = bench([{ calls: names.map((name) => call(name, name, {})) }], {
      tools: [slow, quick],
    });
    const end = turn();
    for (let i = 0; i < 20; i++) await tick();
    expect(results(entries).map(({ toolName }) => toolName)).toEqual(["quick"]);
    release();
    await end;
    expect(results(entries).map(({ toolName }) => toolName)).toEqual(["quick", "slow"]);
    checkAnswered(entries);
  });

  it("writes results of calls that share an id in source order", async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = tool("slow", () => gate.then(() => ({ content: [], isError: false })));
    const { turn, entries } = bench([{ calls: [call("x", "slow", {}), call("x")] }], { tools: [slow] });
    const end = turn();
    for (let i = 0; i < 20; i++) await tick();
    expect(results(entries)).toEqual([]);
    release();
    await end;
    expect(results(entries).map(({ toolName }) => toolName)).toEqual(["slow", "echo"]);
  });

  it("answers unknown tools, bad arguments, cut arguments and throwing tools as errors", async () => {
    const bad = tool("throws", () => Promise.reject(new Error("kaputt")));
    const worse = tool("throws_at_once", () => {
      throw new Error("kaputt at once");
    });
    const { turn, entries, requests } = bench(
      [
        {
          calls: [
            call("a", "nope"),
            call("b", "echo", { bad: 1 }),
            call("d", "throws"),
            call("e", "throws_at_once"),
            { ...call("c"), argumentsError: "cut" },
          ],
        },
      ],
      { tools: [bad, worse] },
    );
    expect(await turn()).toEqual({ status: "done" });
    expect(requests()).toBe(2);
    checkAnswered(entries);
    const said = new Map(results(entries).map((result) => [String(result.toolCallId), textOf(result)]));
    expect(said.get("a")).toContain("Tool nope not found");
    expect(said.get("b")).toContain("bad must not be");
    expect(said.get("c")).toContain("It was not run");
    expect(said.get("d")).toContain("kaputt");
    expect(said.get("e")).toContain("kaputt at once");
    expect(results(entries).every(({ isError }) => isError)).toBe(true);
  });

  it("runs no call of an answer that was cut by its limit, and tells the model", async () => {
    let ran = 0;
    const count = tool("count", () => Promise.resolve({ content: [], isError: ran++ > 0 }));
    const { turn, entries, requests } = bench(
      [{ calls: [call("a", "count", {})], stopReason: "length" }, { text: "ok" }],
      {
        tools: [count],
      },
    );
    expect(await turn()).toEqual({ status: "done" });
    expect(ran).toBe(0);
    expect(requests()).toBe(2);
    expect(textOf(results(entries)[0])).toContain("output limit");
    checkAnswered(entries);
  });

  it("blocks a call when the hook says so or fails, and starts the others at once", async () => {
    const hooks: Hooks = {
      ...allow,
      beforeToolCall: ({ call: { id } }) => {
        if (id === "b") return Promise.resolve({ block: true, reason: "denied by the user" });
        return id === "c" ? Promise.reject(new Error("hook broke")) : Promise.resolve({ block: false });
      },
    };
    const { turn, entries } = bench([{ calls: [call("a"), call("b"), call("c")] }], { hooks });
    await turn();
    const said = new Map(results(entries).map((result) => [String(result.toolCallId), textOf(result)]));
    expect(said.get("a")).toContain("a");
    expect(said.get("b")).toContain("denied by the user");
    expect(said.get("c")).toContain("hook broke");
    checkAnswered(entries);
  });

  it("retries an overloaded server and takes the failed attempt out of the context", async () => {
    const { turn, entries } = bench([
      { text: "par", stopReason: "error", problem: overloaded },
      { text: "whole" },
    ]);
    expect(await turn()).toEqual({ status: "done" });
    expect(entries.map(({ type }) => type)).toEqual(["message", "context_edit", "message"]);
    expect(entries[1]).toMatchObject({ targetId: "e0", replacement: null });
  });

  it("ends as failed when waiting does not mend it, with the words in the file", async () => {
    const problem: Problem = { code: "provider_auth", message: "no key" };
    const { turn, entries } = bench([{ stopReason: "error", problem, calls: [call("a")] }]);
    expect(await turn()).toEqual({ status: "failed", problem });
    expect(entries[0]).toMatchObject({ message: { stopReason: "error", errorMessage: "no key" } });
    checkAnswered(entries);
  });

  it("steers after the whole batch and follows up after the run", async () => {
    const { turn, entries, queue } = bench([
      { calls: [call("a"), call("b"), call("c")] },
      { text: "one" },
      { text: "two" },
    ]);
    queue.add({ id: "1", run, kind: "follow_up", text: "later", images: [] });
    queue.add({ id: "2", run, kind: "steer", text: "now", images: [] });
    expect(await turn()).toEqual({ status: "done" });
    const roles = entries.map((entry) => (entry.type === "message" ? entry.message.role : entry.type));
    expect(roles).toEqual([
      "assistant",
      "toolResult",
      "toolResult",
      "toolResult",
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(queue.items).toEqual([]);
  });

  it("stops with every call answered, also while a tool does not end", async () => {
    const stop = new AbortController();
    const stuck = tool("stuck", () => new Promise(() => undefined));
    const { turn, entries } = bench([{ calls: [call("a", "stuck", {}), call("b")] }], { tools: [stuck] });
    const end = turn(stop.signal);
    for (let i = 0; i < 10; i++) await tick();
    stop.abort();
    expect(await end).toEqual({ status: "aborted" });
    checkAnswered(entries);
  });

  it("goes no further when the disk refuses, and says why", async () => {
    const { turn, entries, requests } = bench([{ calls: [call("a")] }], {
      commit: (count) => {
        if (count === 1) throw new ProblemError("disk_full", "No space left.");
      },
    });
    expect(await turn()).toEqual({
      status: "failed",
      problem: { code: "disk_full", message: "No space left." },
    });
    expect(entries.length).toBe(1);
    expect(requests()).toBe(1);
  });

  it("leaves no call open whatever the script and whenever it is stopped", async () => {
    const step = fc.record({
      calls: fc.array(
        fc.record({ id: fc.constantFrom("x", "y", "z"), name: fc.constantFrom("echo", "late", "nope") }),
        {
          maxLength: 4,
        },
      ),
      stopReason: fc.constantFrom("stop" as const, "toolUse" as const, "length" as const, "error" as const),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 5 }), fc.nat(60), async (script, when) => {
        const stop = new AbortController();
        const late = tool("late", async () => {
          await tick();
          return { content: [], isError: false };
        });
        const steps = script.map(({ calls, stopReason }) => ({
          calls: calls.map(({ id, name }) => call(id, name, {})),
          stopReason,
          ...(stopReason === "error" ? { problem: overloaded } : {}),
        }));
        const { turn, entries } = bench(steps, { tools: [late] });
        const end = turn(stop.signal);
        for (let i = 0; i < when; i++) await tick();
        stop.abort();
        await end;
        checkAnswered(entries);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("making room", () => {
  const overflow: FakeStep = {
    stopReason: "error",
    problem: { code: "provider_overflow", message: "prompt is too long" },
  };

  it("is asked for before every request and after the last answer, never in between", async () => {
    const { turn, rooms, requests } = bench([{ calls: [call("a", "echo")] }, { text: "done" }]);
    expect(await turn()).toEqual({ status: "done" });
    expect(requests()).toBe(2);
    expect(rooms).toEqual(["threshold", "threshold", "threshold"]);
  });

  it("follows a request that was too long, which is asked again once", async () => {
    const { turn, rooms, entries, requests } = bench([overflow, { text: "fits" }], { room: () => true });
    expect(await turn()).toEqual({ status: "done" });
    expect(requests()).toBe(2);
    expect(rooms).toContain("overflow");
    expect(entries.map(({ type }) => type)).toEqual(["message", "message"]);
  });

  it("that gives nothing ends the run with the provider's words", async () => {
    const { turn, requests, entries } = bench([overflow], { room: () => false });
    expect(await turn()).toMatchObject({ status: "failed", problem: { code: "provider_overflow" } });
    expect(requests()).toBe(1);
    expect(entries.map(({ type }) => type)).toEqual(["message"]);
  });

  it("is tried once: a request that is still too long ends the run", async () => {
    const { turn, requests, rooms } = bench([overflow, overflow], {
      room: (reason) => reason === "overflow",
    });
    expect(await turn()).toMatchObject({ status: "failed", problem: { code: "provider_overflow" } });
    expect(requests()).toBe(2);
    expect(rooms.filter((reason) => reason === "overflow")).toHaveLength(1);
  });

  it("stops with the run", async () => {
    const stop = new AbortController();
    const { turn, requests } = bench([overflow, { text: "never" }], {
      room: (reason) => {
        if (reason === "overflow") stop.abort();
        return true;
      },
    });
    await turn(stop.signal);
    expect(requests()).toBe(1);
  });
});
