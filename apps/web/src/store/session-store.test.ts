import { joinPath, leafThrough, pathToLeaf, rowOf, SessionTree } from "@espalier/core";
import {
  type Command,
  type Entry,
  type EntryId,
  type EventFrame,
  entryId,
  type PathWindow,
  type RunInfo,
  type SessionEvent,
  type Snapshot,
  sessionId,
} from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import type { StreamFrame } from "../client/event-stream.ts";
import { sessionActions } from "./session-actions.ts";
import { type Choice, SessionClient } from "./session-store.ts";

const ID = sessionId("s");
const usage = {
  input: 1,
  output: 1,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 2,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

const entry = (id: string, parent: string | null, message: Record<string, unknown>): Entry =>
  ({
    type: "message",
    id,
    parentId: parent,
    timestamp: "2026-11-30T20:00:00.000Z",
    message: { timestamp: 1, ...message },
  }) as unknown as Entry;
const user = (id: string, parent: string | null) => entry(id, parent, { role: "user", content: id });
const answer = (id: string, parent: string, calls: readonly string[] = []) =>
  entry(id, parent, {
    role: "assistant",
    content: [
      { type: "text", text: id },
      ...calls.map((call) => ({ type: "toolCall", id: call, name: "read", arguments: {} })),
    ],
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: calls.length > 0 ? "toolUse" : "stop",
  });
const result = (id: string, parent: string, call: string) =>
  entry(id, parent, {
    role: "toolResult",
    toolCallId: call,
    toolName: "read",
    content: [{ type: "text", text: "r" }],
    isError: false,
  });

/** A server with one session, as far as a page can tell. */
const server = (entries: Entry[]) => {
  const listeners = new Set<(frames: readonly StreamFrame[]) => void>();
  const held = [...entries];
  const state = {
    rev: 0,
    seq: 0,
    leaf: held.at(-1)?.id ?? null,
    snapshots: 0,
    commands: [] as Command[],
    fail: 0,
    limit: 60,
  };
  const tree = () => new SessionTree(held.map(rowOf));
  const items = (leaf: EntryId | null) => {
    const byId = new Map(held.map((each) => [each.id, each]));
    return joinPath(pathToLeaf(tree(), leaf).flatMap((id) => byId.get(id) ?? []));
  };
  const window = (leaf: EntryId | null, from: number, to: number): PathWindow => {
    const all = items(leaf);
    return { leafId: leaf, keys: all.map(({ id }) => id), from, items: all.slice(from, to) };
  };
  const api = {
    snapshot: async (_: typeof ID, at?: EntryId): Promise<Snapshot> => {
      state.snapshots += 1;
      const leaf = at === undefined ? state.leaf : leafThrough(tree(), at, state.leaf);
      const count = items(leaf).length;
      return {
        id: ID,
        epoch: "e",
        seq: state.seq,
        rev: state.rev,
        path: "/f",
        root: "espalier",
        header: { type: "session", id: "s", timestamp: "", cwd: "/w" },
        stored: true,
        rows: held.map(rowOf),
        ...window(leaf, Math.max(0, count - state.limit), count),
        leafId: state.leaf,
        run: null,
        runs: [],
        partials: {},
        tools: [],
        approvals: [],
        queue: [],
        damage: [],
        model: null,
        thinkingLevel: "off",
        context: { tokens: 0, window: 100, system: 0, summary: 0, user: 0, assistant: 0, toolResults: 0 },
        folder: { cwd: "/w", missing: false },
      };
    },
    items: async (_: typeof ID, leaf: EntryId, from: number, to: number) => window(leaf, from, to),
    command: async (_: typeof ID, command: Command) => {
      state.commands.push(command);
      if (state.fail > 0) {
        state.fail -= 1;
        const { ProblemError } = await import("@espalier/core");
        throw new ProblemError("io", "gone");
      }
      return { ok: true as const, seq: state.seq };
    },
  };
  const frame = (event: EventFrame["event"], rev: number): StreamFrame => ({
    id: `e.${state.seq}`,
    frame: { seq: state.seq, session: ID, rev, event },
  });
  const send = (frames: readonly StreamFrame[]) => {
    for (const listener of listeners) listener(frames);
  };
  const make = (event: SessionEvent): StreamFrame => {
    state.rev += 1;
    state.seq += 1;
    return frame(event, state.rev);
  };
  const append = (added: Entry[], leaf: EntryId | null = added.at(-1)?.id ?? null): StreamFrame => {
    held.push(...added);
    state.leaf = leaf;
    return make({ type: "entries", rows: added.map(rowOf), entries: added, leafId: leaf, source: "run" });
  };
  const feed = {
    onFrames: (listener: (frames: readonly StreamFrame[]) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const open = (tellChoice?: (choice: Choice) => void) =>
    new SessionClient(ID, api, feed, (flush) => flush(), tellChoice);
  return { state, api, send, make, append, open, held };
};

const keys = (client: SessionClient) => client.store.getState().view.keys;
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("a session in the page", () => {
  it("joins what arrives to the path that is read", async () => {
    const { open, send, append } = server([user("u1", null), answer("a1", "u1")]);
    const client = open();
    await client.load();
    send([
      append([user("u2", "a1")]),
      append([answer("a2", "u2", ["c", "d"])]),
      append([result("r1", "a2", "d")]),
    ]);
    const { view } = client.store.getState();
    expect(view.keys).toEqual(["u1", "a1", "u2", "a2"]);
    const last = view.items.at(-1);
    expect(last?.kind === "step" && last.groups.map(({ kind }) => kind)).toEqual([
      "missing_results",
      "complete",
    ]);
    send([append([result("r2", "r1", "c")])]);
    const now = client.store.getState().view.items.at(-1);
    expect(now?.kind === "step" && now.groups.map(({ kind }) => kind)).toEqual(["complete", "complete"]);
  });

  it("drops what the snapshot holds already, waits with what comes before it, and reads it again on a gap", async () => {
    const { open, send, append, make, state } = server([user("u1", null)]);
    const client = open();
    const early = append([answer("a1", "u1")]);
    const loading = client.load();
    send([early, append([user("u2", "a1")])]);
    await loading;
    await settle();
    expect(keys(client)).toEqual(["u1", "a1", "u2"]);
    send([early]);
    expect(keys(client)).toEqual(["u1", "a1", "u2"]);
    make({ type: "queue", queue: [] });
    send([append([answer("a2", "u2")])]);
    await settle();
    expect(state.snapshots).toBe(2);
    expect(keys(client)).toEqual(["u1", "a1", "u2", "a2"]);
  });

  it("ends alike whatever is repeated, and whenever the connection broke", async () => {
    const events = (make: ReturnType<typeof server>) => [
      make.append([user("u2", "a1")]),
      make.append([answer("a2", "u2", ["c"])]),
      make.append([result("r", "a2", "c")]),
      make.append([answer("a3", "r")]),
    ];
    for (let lost = 0; lost < 4; lost += 1) {
      const made = server([user("u1", null), answer("a1", "u1")]);
      const client = made.open();
      await client.load();
      const frames = events(made);
      const [before, after] = [frames.slice(0, lost), frames.slice(lost + 1)];
      made.send([...before, ...before]);
      made.send(after);
      await settle();
      if (after.length === 0) await client.load();
      expect(keys(client)).toEqual(["u1", "a1", "u2", "a2", "a3"]);
    }
  });

  it("reads another path without following it, and comes back to the leaf", async () => {
    const { open, send, append } = server([
      user("u1", null),
      answer("a1", "u1"),
      user("x", "a1"),
      user("u2", "a1"),
      answer("a2", "u2"),
    ]);
    const client = open();
    await client.load();
    await client.read(entryId("x"));
    expect(keys(client)).toEqual(["u1", "a1", "x"]);
    send([append([user("u3", "a2")])]);
    expect(keys(client)).toEqual(["u1", "a1", "x"]);
    await client.read(null);
    expect(keys(client)).toEqual(["u1", "a1", "u2", "a2", "u3"]);
  });

  it("shows the path that was asked for last, whenever the one before arrives", async () => {
    const { open, api } = server([user("u1", null), answer("a1", "u1"), user("x", "a1"), user("u2", "a1")]);
    const client = open();
    await client.load();
    const { items } = api;
    for (const held of [0, 1]) {
      let late = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        late = resolve;
      });
      // First the keys come late, then the bodies.
      let calls = 0;
      api.items = async (...asked) => {
        if (calls++ >= held) await gate;
        return items(...asked);
      };
      const other = client.read(entryId("x"));
      await settle();
      const back = client.read(null);
      late();
      await Promise.all([other, back]);
      expect(keys(client)).toEqual(["u1", "a1", "u2"]);
      expect(client.store.getState().reading).toBe(false);
    }
  });

  it("does what is asked at the end of the path that is read, and nothing more at the current place", async () => {
    const { state, open } = server([user("u1", null), answer("a1", "u1"), user("x", "a1"), user("u2", "a1")]);
    const client = open();
    await client.load();
    const actions = sessionActions(client);
    await actions.compact("");
    expect(state.commands.map(({ type }) => type)).toEqual(["compact"]);
    await client.read(entryId("x"));
    await actions.clone();
    await actions.prompt("on");
    expect(state.commands.slice(1)).toMatchObject([
      { type: "fork", entryId: "x", position: "at" },
      { type: "prompt", at: "x" },
    ]);
    await client.read(entryId("x"));
    await actions.compact("short");
    expect(state.commands.slice(3)).toMatchObject([
      { type: "navigate", target: "x" },
      { type: "compact", instructions: "short" },
    ]);
  });

  it("cuts the path when the leaf moves up, and grows a branch from there", async () => {
    const { open, send, append, make, state } = server([
      user("u1", null),
      answer("a1", "u1"),
      user("u2", "a1"),
      answer("a2", "u2"),
    ]);
    const client = open();
    await client.load();
    state.leaf = entryId("a1");
    send([make({ type: "leaf", leafId: entryId("a1") })]);
    expect(keys(client)).toEqual(["u1", "a1"]);
    send([append([user("b", "a1")])]);
    expect(keys(client)).toEqual(["u1", "a1", "b"]);
    state.leaf = null;
    send([make({ type: "leaf", leafId: null })]);
    expect(keys(client)).toEqual([]);
  });

  it("leaves asides out of the path and hangs what follows at what they hang at", async () => {
    const { open, send, append } = server([user("u1", null), answer("a1", "u1")]);
    const client = open();
    await client.load();
    const label = {
      type: "label",
      id: "l",
      parentId: "a1",
      timestamp: "",
      targetId: "u1",
      label: "start",
    } as unknown as Entry;
    send([append([label], entryId("a1")), append([user("u2", "l")])]);
    expect(keys(client)).toEqual(["u1", "a1", "u2"]);
    expect(client.store.getState().session?.tree.labels.get(entryId("u1"))).toBe("start");
  });

  it("reads the window before and after what it holds", async () => {
    const long = Array.from({ length: 200 }, (_, at) => user(`m${at}`, at === 0 ? null : `m${at - 1}`));
    const { open } = server(long);
    const client = open();
    await client.load();
    expect(client.store.getState().view).toMatchObject({ from: 140 });
    await client.extend("earlier");
    expect(client.store.getState().view).toMatchObject({ from: 80 });
    expect(client.store.getState().view.items).toHaveLength(120);
    await client.read(entryId("m10"));
    const { view } = client.store.getState();
    expect(view.items.some(({ id }) => id === "m10")).toBe(true);
    await client.extend("later");
    expect(client.store.getState().view.items.length).toBeGreaterThan(view.items.length);
  });

  it("opens at the leaf when the entry of the address is not there", async () => {
    const { ProblemError } = await import("@espalier/core");
    const made = server([user("u1", null), answer("a1", "u1")]);
    const { snapshot } = made.api;
    made.api.snapshot = async (id, at) => {
      if (at !== undefined) throw new ProblemError("not_found", "no such entry");
      return snapshot(id);
    };
    const client = made.open();
    await client.load(entryId("gone"));
    expect(client.store.getState()).toMatchObject({ phase: "ready", at: "gone" });
    expect(keys(client)).toEqual(["u1", "a1"]);
    made.send([made.append([user("u2", "a1")])]);
    expect(keys(client)).toEqual(["u1", "a1", "u2"]);
  });

  it("sends a command again under the same id when its answer was lost", async () => {
    const { open, state } = server([user("u1", null)]);
    const client = open();
    await client.load();
    state.fail = 1;
    await client.send({ type: "prompt", text: "hello" });
    expect(state.commands).toHaveLength(2);
    expect(state.commands[0]?.commandId).toBe(state.commands[1]?.commandId);
  });

  it("keeps the streaming answer apart from the path until it is an entry", async () => {
    const { open, send, make, append } = server([user("u1", null)]);
    const client = open();
    await client.load();
    const run = {
      id: "r",
      status: "running",
      tip: "u1",
      model: { provider: "p", modelId: "m" },
      step: 1,
      startedAt: 0,
    } as unknown as RunInfo;
    send([
      make({ type: "run", run }),
      make({ type: "delta", run: run.id, index: 0, kind: "text", text: "Hel" }),
      make({ type: "delta", run: run.id, index: 0, kind: "text", text: "lo" }),
    ]);
    expect(client.store.getState().session?.partials.get(run.id)).toEqual([{ kind: "text", text: "Hello" }]);
    expect(keys(client)).toEqual(["u1"]);
    send([append([answer("a1", "u1")]), make({ type: "partial_end", run: run.id })]);
    expect(client.store.getState().session?.partials.size).toBe(0);
    expect(keys(client)).toEqual(["u1", "a1"]);
  });

  it("shows what was chosen in another tab, and tells the others once of its own choice", async () => {
    const { open } = server([user("u1", null)]);
    const told: Choice[] = [];
    const other = open((choice) => told.push(choice));
    const client = open((choice) => {
      told.push(choice);
      other.hearChoice(choice);
    });
    await Promise.all([client.load(), other.load()]);
    const choice = { model: { provider: "p", modelId: "m2" }, window: 5_000 };
    client.chose(choice);
    expect(told).toEqual([choice]);
    for (const each of [client, other])
      expect(each.store.getState().facts).toMatchObject({ model: choice.model, context: { window: 5_000 } });
  });
});
