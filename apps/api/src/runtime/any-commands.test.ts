import { isOpen, ProblemError } from "@espalier/core";
import { type FakeAnswer, fakeModel } from "@espalier/core/testing";
import type { Command, EntryId, SessionId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { call } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, type StoreKind, until } from "./service-rig.case.ts";

type Step = readonly [what: string, pick: number, pause: number];

const WHAT = [
  ...[
    "prompt",
    "prompt",
    "prompt at",
    "prompt at",
    "steer",
    "follow_up",
    "abort",
    "abort",
    "navigate",
    "navigate",
    "root",
    "leave",
    "leave",
    "carry",
  ],
  ...[
    "label",
    "outcome",
    "rename",
    "fork",
    "clone",
    "set_model",
    "answer",
    "answer",
    "bash",
    "compact",
    "continue",
    "open",
    "look",
  ],
] as const;

/** What goes wrong by a person's own doing; anything else is a fault of ours. */
const EXPECTED = new Set(["busy", "conflict", "nothing_to_do", "not_found", "bad_command"]);

const answers: readonly FakeAnswer[] = [
  { text: "words" },
  { thinking: "hm", text: "two", calls: [call("a", "look", "x"), call("b", "look", "y")] },
  { calls: [call("a", "look", "wait"), call("a", "look", "same id")] },
  { calls: [call("a", "act", "x"), call("b", "nope", "x"), call("c", "act", "y")] },
  { text: "cut", calls: [call("a", "look", "x")], stopReason: "length" },
  { text: "bad", stopReason: "error", problem: { code: "provider_rejected", message: "No." } },
  {
    text: "over",
    stopReason: "error",
    problem: { code: "provider_overloaded", message: "Later." },
    retryAfterMs: 1,
  },
  { calls: [call("d", "look", "z")] },
];

const commandOf = (
  rig: Rig,
  id: SessionId,
  [what, pick]: Step,
  ids: readonly EntryId[],
  approval: string,
): Command | null => {
  const entry = ids[pick % Math.max(1, ids.length)];
  switch (what) {
    case "prompt":
      return { type: "prompt", text: `words ${pick}` };
    case "prompt at":
      return { type: "prompt", text: `words ${pick}`, at: entry ?? null };
    case "steer":
    case "follow_up":
      return { type: what, text: `later ${pick}` };
    case "abort":
    case "clone":
    case "continue":
    case "compact":
      return { type: what };
    case "navigate":
    case "root":
      return { type: "navigate", target: what === "root" ? null : (entry ?? null) };
    case "leave":
      return { type: "navigate", target: pick % 5 === 0 ? null : (entry ?? null), summary: true };
    case "carry":
      return entry === undefined
        ? null
        : { type: "carry_over", from: entry, ...(pick % 2 === 0 ? {} : { entries: ids.slice(-3) }) };
    case "label":
      return entry === undefined ? null : { type: "label", entryId: entry, label: `l${pick % 3}` };
    case "outcome":
      return entry === undefined
        ? null
        : {
            type: "outcome",
            entryId: entry,
            ...(pick % 4 === 0
              ? {}
              : { outcome: (["worked", "failed", "abandoned"] as const)[pick % 3] ?? "worked", note: "n" }),
          };
    case "rename":
      return { type: "rename", name: `name ${pick}` };
    case "fork":
      return entry === undefined
        ? null
        : { type: "fork", entryId: entry, position: pick % 2 === 0 ? "at" : "before" };
    case "set_model":
      return { type: "set_model", model: pick % 2 === 0 ? "fake/one" : "fake/two" };
    case "answer":
      return { type: "answer", approval, decision: (["once", "deny", "once"] as const)[pick % 3] ?? "once" };
    case "bash":
      return { type: "bash", command: pick % 3 === 0 ? "wait" : "pwd" };
    case "open":
      rig.gates.open("wait");
      return null;
    default:
      void rig.service.snapshot(id, { limit: 5 });
      return null;
  }
};

const work = async (kind: StoreKind, steps: readonly Step[], turns: readonly number[]): Promise<void> => {
  const rig = makeRig(kind);
  let asked = 0;
  rig.models.answer = (request, signal) => {
    const turn = turns[asked++ % turns.length] ?? 0;
    return fakeModel([answers[turn % answers.length] ?? {}])(request, signal);
  };
  try {
    await rig.process.settings.write({ retry: { baseDelayMs: 1 }, compaction: { keepRecentTokens: 20 } });
    const { id } = await rig.service.create({});
    const open: Promise<unknown>[] = [];
    const faults: unknown[] = [];
    const runtime = await rig.service.runtime(id);
    for (const step of steps) {
      const ids = runtime.journal.state.tree.rows.map((row) => row.id);
      const command = commandOf(rig, id, step, ids, runtime.journal.state.approvals[0]?.id ?? "none");
      if (command) {
        open.push(
          rig.service.command(id, command).catch((error: unknown) => {
            if (!(error instanceof ProblemError) || !EXPECTED.has(error.code)) faults.push(error);
          }),
        );
      }
      for (let at = 0; at < step[2]; at++) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(async () => {
      rig.gates.open("wait");
      for (const run of runtime.openRuns) runtime.stop(run.id);
      runtime.stopShells();
      const all = Promise.all(open).then(() => "done");
      const now = new Promise((resolve) => setTimeout(() => resolve("open"), 5));
      return (await Promise.race([all, now])) === "done" && runtime.openRuns.length === 0;
    }, "the end of everything");
    await rig.idle(id);
    await runtime.journal.rememberPlace();
    expect(faults).toEqual([]);
    await checkAll(rig);
    const { state } = runtime.journal;
    expect([...state.runs.values()].filter(isOpen)).toEqual([]);
    expect([state.partials.size, state.tools.size, state.approvals.length, state.queue.length]).toEqual([
      0, 0, 0, 0,
    ]);
    if (runtime.journal.stored) {
      const shot = await rig.service.snapshot(id, { limit: 1000 });
      const again = await rig.restarted().service.snapshot(id, { limit: 1000 });
      for (const key of ["rows", "leafId", "keys", "items", "context", "model", "damage"] as const) {
        // What was chosen and not used yet is in no file.
        if (key !== "model") expect(again[key]).toEqual(shot[key]);
      }
      const open = shot.items.filter((item) => item.kind === "orphan");
      expect(open).toEqual([]);
    }
  } finally {
    await rig.dispose();
  }
};

describe.each(["jsonl", "memory"] as const)("any commands in any order over %s", (kind) => {
  it("end in a whole file that says what the page says", { timeout: 120_000 }, async () => {
    const step = fc.tuple(fc.constantFrom(...WHAT), fc.nat(1000), fc.oneof(fc.constant(0), fc.nat(12)));
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
        (steps, turns) => work(kind, steps, turns),
      ),
      { numRuns: runs(40) },
    );
  });
});
