import { rowOf } from "@espalier/core";
import { user } from "@espalier/core/testing";
import { type Command, entryId, type Snapshot, sessionId } from "@espalier/protocol";
import { expect, it } from "vitest";
import { sessionActions } from "./session-actions.ts";
import { SessionClient } from "./session-store.ts";
import { uiStore } from "./ui-store.ts";

const ID = sessionId("s");

/** A session of ten messages in a row, v0 to v9, which stands at the last. */
const open = async () => {
  const entries = Array.from({ length: 10 }, (_, at) => user(`v${at}`, at === 0 ? null : `v${at - 1}`));
  const commands: Command[] = [];
  let leaf = entryId("v9");
  const snapshot = (): Snapshot => ({
    id: ID,
    epoch: "e",
    seq: 0,
    rev: 0,
    path: "/f",
    root: "espalier",
    header: { type: "session", id: "s", timestamp: "", cwd: "/w" },
    stored: true,
    rows: entries.map(rowOf),
    keys: [],
    from: 0,
    items: [],
    leafId: leaf,
    run: null,
    runs: [],
    partials: {},
    tools: [],
    approvals: [],
    queue: [],
    damage: [],
    model: null,
    thinkingLevel: "off",
    context: { tokens: 0, window: 0, system: 0, summary: 0, user: 0, assistant: 0, toolResults: 0 },
    folder: { cwd: "/w", missing: false },
  });
  const client: SessionClient = new SessionClient(
    ID,
    {
      snapshot: async () => snapshot(),
      items: async (_, leafId, from) => ({ leafId, keys: [], from, items: [] }),
      command: async (_, command) => {
        commands.push(command);
        if (command.type === "navigate" && command.target !== null) leaf = command.target;
        return { ok: true, seq: 0, entryId: leaf };
      },
    },
    { onFrames: () => () => undefined },
    (flush) => flush(),
  );
  await client.load();
  return { client, commands, actions: sessionActions(client) };
};

it("a branch is left at once; what was left is said, and gone back to", async () => {
  const { client, commands, actions } = await open();
  const move = await actions.goTo(entryId("v0"));
  expect(commands).toMatchObject([{ type: "navigate", target: "v0" }]);
  expect(commands[0]).not.toHaveProperty("summary");
  expect(move?.left).toEqual({ from: "v9", entries: 9 });
  expect(uiStore.getState().leaving).toEqual({ from: "v9", entries: 9, at: "v0", ask: true });
  await actions.goBack(entryId("v9"));
  expect(commands.at(-1)).toMatchObject({ type: "navigate", target: "v9" });
  expect(uiStore.getState().leaving).toBeNull();
  await client.load();
  await actions.goTo(entryId("v6"));
  expect(uiStore.getState().leaving).toMatchObject({ entries: 3, ask: false });
});

it("a choice for always is kept to: a summary with the move, or no question", async () => {
  const { client, commands, actions } = await open();
  uiStore.setState({ leaveWith: "summary" });
  await actions.goTo(entryId("v0"));
  expect(commands.at(-1)).toMatchObject({ type: "navigate", target: "v0", summary: true });
  expect(uiStore.getState().leaving).toBeNull();
  await actions.goBack(entryId("v9"));
  await client.load();
  uiStore.setState({ leaveWith: "nothing" });
  await actions.goTo(entryId("v0"));
  expect(commands.at(-1)).not.toHaveProperty("summary");
  expect(uiStore.getState().leaving).toMatchObject({ ask: false });
  uiStore.setState({ leaveWith: "ask", leaving: null });
});
