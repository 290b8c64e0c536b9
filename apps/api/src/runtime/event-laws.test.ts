import {
  applyEvent,
  emptyState,
  isOpen,
  parseJsonl,
  type SessionState,
  SessionTree,
  stateOfSnapshot,
} from "@espalier/core";
import { fakeModel } from "@espalier/core/testing";
import {
  type EventFrame,
  runId,
  type SessionEvent,
  type SessionId,
  type Snapshot,
  sessionId,
} from "@espalier/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import { EventLog } from "./event-log.ts";
import { call, probe } from "./service-probe.case.ts";
import { makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

/** What a page shows of a state; runs that are over and notices belong to who was there. */
const shown = (state: SessionState) => ({
  rev: state.rev,
  rows: [...state.tree.rows],
  leafId: state.leafId,
  runs: [...state.runs.values()].filter(isOpen),
  partials: [...state.partials],
  tools: [...state.tools],
  approvals: state.approvals,
  queue: state.queue,
  damage: state.damage,
});

interface Recording {
  readonly id: SessionId;
  readonly frames: readonly EventFrame[];
  readonly snapshots: readonly Snapshot[];
}

/** A run with tools, steering, an approval and a move, and snapshots taken all along. */
const record = async (): Promise<Recording> => {
  const id = await make();
  await prompt(id, "before");
  rig.script(
    {
      thinking: "hm ".repeat(40),
      text: "many words ".repeat(60),
      calls: [call("a", "look", "wait"), call("b", "act", "x"), call("c", "look", "y")],
    },
    { text: "end ".repeat(80) },
  );
  const snapshots: Snapshot[] = [await rig.service.snapshot(id, {})];
  let over = false;
  const watching = (async () => {
    while (!over) {
      snapshots.push(await rig.service.snapshot(id, {}));
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  const from = rig.log.seq;
  await send(id, { type: "prompt", text: "go" });
  await until(() => rig.gates.reached("wait"));
  await send(id, { type: "steer", text: "and this" });
  const [root] = await rig.entries(id);
  await send(id, { type: "navigate", target: root?.id ?? null });
  await until(async () => (await rig.service.snapshot(id, {})).approvals.length > 0);
  const [approval] = (await rig.service.snapshot(id, {})).approvals;
  await send(id, { type: "answer", approval: approval?.id ?? "", decision: "once" });
  rig.gates.open("wait");
  await rig.idle(id);
  await send(id, { type: "rename", name: "named" });
  over = true;
  await watching;
  snapshots.push(await rig.service.snapshot(id, {}));
  const frames = (rig.log.after(from, 100_000) ?? [])
    .map(({ frame }) => frame)
    .filter(({ session }) => session === id);
  return { id, frames, snapshots };
};

const fold = (state: SessionState, frames: readonly EventFrame[]): SessionState =>
  frames.reduce(
    (at, { rev, event }) => (rev === at.rev + 1 ? applyEvent(at, event as SessionEvent) : at),
    state,
  );

/** A page: applies what comes next, drops what it knows, and reads a snapshot of any later moment on a gap. */
const page = (
  { frames, snapshots }: Recording,
  came: readonly number[],
  pick: (most: number) => number,
): SessionState => {
  let state = stateOfSnapshot(snapshots[0] as Snapshot);
  for (const index of came) {
    const frame = frames[index % frames.length] as EventFrame;
    if (frame.rev <= state.rev) continue;
    if (frame.rev === state.rev + 1) {
      state = applyEvent(state, frame.event as SessionEvent);
      continue;
    }
    const later = snapshots.filter(({ rev }) => rev >= frame.rev);
    state = stateOfSnapshot(later[pick(later.length)] as Snapshot);
  }
  // The stream comes back: everything after the last event it had.
  return fold(state, frames);
};

describe("any page ends in the same state", () => {
  it("whatever was lost, doubled, out of order, or read anew from a snapshot", async () => {
    const recording = await record();
    const { frames, snapshots, id } = recording;
    const first = stateOfSnapshot(snapshots[0] as Snapshot);
    const undisturbed = shown(fold(first, frames));
    expect(undisturbed.rev).toBe(frames.at(-1)?.rev);
    expect(new Set(snapshots.map(({ rev }) => rev)).size).toBeGreaterThan(5);
    for (const snapshot of snapshots)
      expect(shown(fold(stateOfSnapshot(snapshot), frames))).toEqual(undisturbed);
    fc.assert(
      fc.property(
        fc.array(fc.nat(frames.length - 1), { maxLength: 200 }),
        fc.infiniteStream(fc.nat()),
        (came, picks) => {
          const near = came.flatMap((index, at) => [Math.min(at * 2, frames.length - 1), index]);
          for (const schedule of [came, near]) {
            const pick = (most: number): number => (picks.next().value ?? 0) % most;
            expect(shown(page(recording, schedule, pick))).toEqual(undisturbed);
          }
        },
      ),
      { numRuns: runs(60) },
    );
    const parsed = parseJsonl(await rig.bytes(id));
    expect(undisturbed.rows).toEqual(parsed?.rows);
    const reopened = await rig.restarted().service.snapshot(id, {});
    expect(reopened.rows).toEqual(undisturbed.rows);
    expect(reopened.leafId).toBe(undisturbed.leafId);
    const last = snapshots.at(-1) as Snapshot;
    expect(reopened.items).toEqual(last.items);
    expect(reopened.keys).toEqual(last.keys);
  });

  it("with a snapshot whose items belong to its leaf, however often it is taken", async () => {
    const { snapshots } = await record();
    for (const { leafId, keys, rows, items } of snapshots) {
      if (leafId === null) continue;
      const known = new Set(rows.map(({ id }) => id));
      expect(keys.every((key) => known.has(key))).toBe(true);
      const tail = items.flatMap((item) => [
        item.id,
        ...(item.kind === "step"
          ? item.groups.flatMap((group) => (group.kind === "complete" ? [group.result.entryId] : []))
          : []),
      ]);
      expect(tail).toContain(leafId);
    }
  });
});

const piece = fc.oneof(
  fc.record({
    type: fc.constant("delta" as const),
    run: fc.constantFrom(runId("r1"), runId("r2")),
    index: fc.nat(2),
    kind: fc.constant("text" as const),
    text: fc.string({ maxLength: 700, unit: "grapheme" }),
  }),
  fc.record({ type: fc.constant("leaf" as const), leafId: fc.constant(null) }),
  fc.record({ type: fc.constant("partial_end" as const), run: fc.constantFrom(runId("r1"), runId("r2")) }),
);

describe("pieces that are joined", () => {
  it("keep their order and their text", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (events) => {
        const sent: SessionEvent[] = [];
        const joiner = new DeltaJoiner((event) => sent.push(event));
        for (const event of events) joiner.push(event);
        joiner.flush();
        expect(sent.length).toBeLessThanOrEqual(events.length);
        const state = (list: readonly SessionEvent[]) => {
          const steps = [emptyState(sessionId("s"), new SessionTree(), null)];
          for (const event of list) {
            const next = applyEvent(steps.at(-1) as SessionState, event);
            if (event.type === "delta") steps[steps.length - 1] = next;
            else steps.push(next);
          }
          return steps.map(({ partials }) => Object.fromEntries(partials));
        };
        expect(state(sent)).toEqual(state(events));
      }),
      { numRuns: runs(200) },
    );
  });

  it("cost at most ten times their text on the wire", async () => {
    const id = await make();
    const text = "abcd".repeat(50_000);
    rig.models.answer = async function* (request, signal) {
      for (let at = 0; at < 50_000; at++) {
        yield { type: "text_delta", index: 0, text: "abcd" };
        if (at % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      for await (const event of fakeModel([{ text }])(request, signal)) if (event.type === "end") yield event;
    };
    await prompt(id, "much");
    const sent = rig.log.after(0, 100_000) ?? [];
    const bytes = sent.reduce((sum, { json }) => sum + json.length, 0);
    expect(sent.map(({ frame }) => (frame.event.type === "delta" ? frame.event.text : "")).join("")).toBe(
      text,
    );
    expect(bytes).toBeLessThan(10 * text.length);
  });
});

describe("two sessions at once", () => {
  it("never mix, in files or on the wire", async () => {
    rig.models.answer = (request, signal) => {
      const marker = /marker-\w+-\d+/.exec(JSON.stringify(request.messages.at(-1)))?.[0] ?? "none";
      const asked = request.messages.at(-1)?.role === "user";
      const answer = asked ? { text: marker, calls: [call("c", "look", marker)] } : { text: "over" };
      return fakeModel([answer])(request, signal);
    };
    const [a, b] = [await make(), await make()];
    const times = runs(50);
    const work = async (id: SessionId, name: string) => {
      for (let at = 0; at < times; at++) await prompt(id, `marker-${name}-${at}`);
    };
    await Promise.all([work(a, "left"), work(b, "right")]);
    const of = async (id: SessionId) =>
      new TextDecoder().decode(await rig.bytes(id)) + JSON.stringify(rig.events(id));
    const [left, right] = [await of(a), await of(b)];
    expect(left).not.toContain("marker-right");
    expect(right).not.toContain("marker-left");
    expect(left).toContain(`look marker-left-${times - 1}`);
    expect((await rig.entries(a)).length).toBe((await rig.entries(b)).length);
  });
});

describe("the event log", () => {
  it("never waits for a reader and says when events are gone", async () => {
    const log = new EventLog();
    const id = sessionId("s");
    for (let at = 0; at < 10_000; at++) log.append(id, { type: "leaf", leafId: null });
    expect(log.after(0, 10)).toBeNull();
    expect(log.after(log.seq + 1, 10)).toBeNull();
    expect(log.after(log.seq, 10)).toEqual([]);
    expect(log.after(log.seq - 3, 2)?.map(({ frame }) => frame.seq)).toEqual([9998, 9999]);
    expect(log.rev(id)).toBe(10_000);
    const gone = new AbortController();
    const waits = log.next(gone.signal, 60_000);
    gone.abort();
    await waits;
  });

  it("holds at most so many characters", () => {
    const log = new EventLog();
    const text = "x".repeat(1024 * 1024);
    for (let at = 0; at < 40; at++) log.append(sessionId("s"), { type: "notice", level: "info", text });
    expect(log.after(0, 100)).toBeNull();
    expect((log.after(log.seq - 10, 100) ?? []).length).toBe(10);
  });
});
