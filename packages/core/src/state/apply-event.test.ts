import {
  entryId,
  type Row,
  type RunInfo,
  runId,
  type SessionEvent,
  sessionId,
  toolCallId,
} from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { SessionTree } from "../session/session-tree.ts";
import { applyEvent, OUTPUT_TAIL } from "./apply-event.ts";
import { emptyState, runAt, type SessionState, toolKey } from "./session-state.ts";

const row = (id: string, parent: string | null): Row => ({
  id: entryId(id),
  parentId: parent === null ? null : entryId(parent),
  type: "message",
  time: 0,
  tokens: 0,
});
const run = runId("r1");
const info = (more: Partial<RunInfo> = {}): RunInfo => ({
  id: run,
  status: "running",
  tip: entryId("a"),
  model: { provider: "demo", modelId: "gardener" },
  step: 1,
  startedAt: 1,
  ...more,
});
const fold = (...events: SessionEvent[]): SessionState =>
  events.reduce(applyEvent, emptyState(sessionId("s"), new SessionTree([row("a", null)]), entryId("a")));

describe("applyEvent", () => {
  it("counts every event and appends rows once", () => {
    const entries: SessionEvent = {
      type: "entries",
      rows: [row("b", "a")],
      entries: [],
      leafId: entryId("b"),
      source: "run",
    };
    const state = fold(entries, entries);
    expect(state.rev).toBe(2);
    expect(state.tree.rows.map(({ id }) => id)).toEqual(["a", "b"]);
    expect(state.leafId).toBe("b");
  });

  it("builds the streaming message from deltas and drops it when told", () => {
    const deltas: SessionEvent[] = [
      { type: "delta", run, index: 0, kind: "thinking", text: "hm" },
      { type: "delta", run, index: 1, kind: "text", text: "Hel" },
      { type: "delta", run, index: 1, kind: "text", text: "lo" },
      { type: "delta", run, index: 3, kind: "toolCall", text: "{", name: "read" },
    ];
    expect(fold(...deltas).partials.get(run)).toEqual([
      { kind: "thinking", text: "hm" },
      { kind: "text", text: "Hello" },
      { kind: "text", text: "" },
      { kind: "toolCall", text: "{", name: "read" },
    ]);
    expect(fold(...deltas, { type: "partial_end", run }).partials.size).toBe(0);
  });

  it("keeps a tail of a call's output and its whole length", () => {
    const place = { run, entryId: entryId("a"), index: 0 };
    const state = fold(
      { type: "tool", ...place, toolCallId: toolCallId("t"), status: "running", at: 5 },
      { type: "tool_output", ...place, text: "x".repeat(OUTPUT_TAIL), total: OUTPUT_TAIL },
      { type: "tool_output", ...place, text: "end", total: OUTPUT_TAIL + 3 },
    );
    const tool = state.tools.get(toolKey(entryId("a"), 0));
    expect(tool?.output.length).toBe(OUTPUT_TAIL);
    expect(tool?.output.endsWith("end")).toBe(true);
    expect(tool?.total).toBe(OUTPUT_TAIL + 3);
  });

  it("clears what belonged to a run when it ends, and finds the open run at the leaf", () => {
    const started = fold(
      { type: "run", run: info() },
      { type: "delta", run, index: 0, kind: "text", text: "x" },
    );
    expect(runAt(started, entryId("a"))?.id).toBe(run);
    const ended = applyEvent(started, { type: "run", run: info({ status: "done", endedAt: 2 }) });
    expect(ended.partials.size).toBe(0);
    expect(runAt(ended, entryId("a"))).toBeNull();
    expect(ended.runs.get(run)?.status).toBe("done");
  });
});
