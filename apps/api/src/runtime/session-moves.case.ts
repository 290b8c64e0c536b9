import { type AnyEntry, ProblemError } from "@espalier/core";
import { type EntryId, type SessionId, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, kindOf, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, type StoreKind, until } from "./service-rig.case.ts";

const SUMMARY = "## Goal\nTried the red one\n## Progress\nDone\n## Next Steps\nNone";

/** What every session service does when somebody goes to another place of a session, or carries something there. */
export const sessionMovesCase = (kind: StoreKind): void => {
  describe(`moving in a session over ${kind}`, () => {
    let rig: Rig;
    const { make, send, prompt, kinds, snapshot, leafOf, lastOf } = probe(() => rig);
    beforeEach(() => {
      rig = makeRig(kind);
    });
    afterEach(async () => {
      await checkAll(rig);
      await rig.dispose();
    });

    const entryOf = async (id: SessionId, text: string): Promise<AnyEntry> => {
      const found = (await rig.entries(id)).find((entry) => textOf(entry).includes(text));
      if (!found) throw new ProblemError("not_found", text);
      return found;
    };

    /** "first", then "second" with its answer; the leaf is that answer. */
    const talk = async () => {
      const id = await make();
      await prompt(id, "first words");
      const target = (await leafOf(id)) as EntryId;
      await prompt(id, "second words");
      const left = (await leafOf(id)) as EntryId;
      return { id, target, left, bytes: await rig.bytes(id) };
    };

    describe("with a summary of what is left", () => {
      it("hangs it under the target, names the end that was left, and goes on from it", async () => {
        const { id, target, left, bytes } = await talk();
        const model = rig.script({ text: SUMMARY });
        const { run } = await send(id, {
          type: "navigate",
          target,
          summary: true,
          instructions: "the red one",
        });
        expect(run).toBeDefined();
        await rig.idle(id);
        const told = await lastOf(id, "branch_summary");
        expect(told).toMatchObject({
          parentId: target,
          fromId: left,
          details: { readFiles: [], modifiedFiles: [] },
        });
        expect(textOf(told)).toContain("Tried the red one");
        const asked = JSON.stringify(model.requests[0]?.messages);
        expect(asked).toContain("second words");
        expect(asked).not.toContain("first words");
        expect(asked).toContain("the red one");
        expect(await leafOf(id)).toBe(told.id);
        expect((await rig.bytes(id)).subarray(0, bytes.length)).toEqual(bytes);
        const seen = rig.script({ text: "on" });
        await prompt(id, "third words");
        const sent = JSON.stringify(seen.requests[0]?.messages);
        expect(sent).toContain("Tried the red one");
        expect(sent).not.toContain("second words");
        expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(await leafOf(id));
      });

      it("says so while it is made, and stopped moves nothing", async () => {
        const { id, target, left, bytes } = await talk();
        rig.script({ text: SUMMARY, until: new Promise(() => undefined) });
        await send(id, { type: "navigate", target, summary: true });
        const { runs } = await snapshot(id);
        expect(runs.find(({ status }) => status === "running")).toMatchObject({
          work: "branch_summary",
          tip: left,
        });
        await send(id, { type: "follow_up", text: "kept words" });
        await send(id, { type: "abort" });
        await rig.idle(id);
        expect(await rig.bytes(id)).toEqual(bytes);
        expect(await leafOf(id)).toBe(left);
        const returned = rig.events(id).filter((event) => event.type === "returned");
        expect(returned).toMatchObject([{ texts: ["kept words"] }]);
      });

      it("delivers what is sent meanwhile on the new branch, in order", async () => {
        const { id, target } = await talk();
        let open = (): void => undefined;
        const gate = new Promise<void>((resolve) => {
          open = resolve;
        });
        rig.script({ text: SUMMARY, until: gate }, { text: "yes" }, { text: "yes" });
        await send(id, { type: "navigate", target, summary: true });
        await send(id, { type: "prompt", text: "typed meanwhile" });
        await send(id, { type: "follow_up", text: "and this" });
        open();
        await until(async () => (await rig.entries(id)).filter((one) => kindOf(one) === "user").length === 4);
        await rig.idle(id);
        const told = await lastOf(id, "branch_summary");
        const { tree } = (await rig.service.runtime(id)).journal.state;
        const typed = await entryOf(id, "typed meanwhile");
        const above = tree.get(typed.parentId as EntryId);
        expect([above?.id, above?.parentId]).toContain(told.id);
        const keys = (await snapshot(id)).keys;
        expect(keys).toContain(typed.id);
        expect(keys).toContain((await entryOf(id, "and this")).id);
      });

      it("takes the branch's own words when the model fails, and says so", async () => {
        const { id, target } = await talk();
        for (const step of [
          { text: "## Goal\nhalf", stopReason: "length" as const },
          { text: "no headings" },
          {
            text: "",
            stopReason: "error" as const,
            problem: { code: "provider_rejected" as const, message: "No." },
          },
        ]) {
          await send(id, { type: "navigate", target: (await entryOf(id, "second words")).id });
          rig.script(step);
          await send(id, { type: "navigate", target, summary: true });
          await rig.idle(id);
          const told = await lastOf(id, "branch_summary");
          expect(told.parentId).toBe(target);
          expect(textOf(told)).toContain("second words");
          expect(textOf(told)).not.toContain("half");
          expect(rig.events(id)).toContainEqual(
            expect.objectContaining({ type: "notice", code: "extracted" }),
          );
          expect(await leafOf(id)).toBe(told.id);
        }
      });

      it("needs no model: the branch's own words are written at once", async () => {
        const { id, target, left } = await talk();
        rig.models.resolve = async () => ({ code: "no_model", message: "No model." });
        const done = await send(id, { type: "navigate", target, summary: true });
        expect(done.run).toBeUndefined();
        expect(await lastOf(id, "branch_summary")).toMatchObject({
          id: done.entryId,
          parentId: target,
          fromId: left,
        });
        expect(await leafOf(id)).toBe(done.entryId);
      });

      it("writes none when nothing is left behind, or nothing is said there", async () => {
        const { id, left } = await talk();
        await send(id, { type: "navigate", target: left, summary: true });
        expect(await kinds(id)).not.toContain("branch_summary");
        expect(await leafOf(id)).toBe(left);
      });

      it("does not wait for a run on the branch that is left, which goes on there", async () => {
        const id = await make();
        rig.script({ text: "t", calls: [call("w", "look", "wait")] });
        await send(id, { type: "prompt", text: "go" });
        await until(() => rig.gates.reached("wait"));
        await send(id, { type: "navigate", target: null, summary: true });
        expect(await kinds(id)).not.toContain("branch_summary");
        rig.gates.open("wait");
        await rig.idle(id);
        expect(await leafOf(id)).toBeNull();
      });
    });

    describe("to the start", () => {
      it("sends a message that is a root of its own, with a summary under no parent too", async () => {
        const { id, left } = await talk();
        await send(id, { type: "navigate", target: null });
        expect(await leafOf(id)).toBeNull();
        await prompt(id, "another start");
        const shot = await snapshot(id);
        const roots = shot.rows.filter((row) => row.parentId === null);
        expect(roots).toHaveLength(2);
        expect(shot.keys[0]).toBe(roots[1]?.id);
        expect(shot.keys).not.toContain(left);
        rig.script({ text: SUMMARY });
        await send(id, { type: "navigate", target: null, summary: true });
        await rig.idle(id);
        expect(await lastOf(id, "branch_summary")).toMatchObject({ parentId: null });
      });
    });

    describe("and branching", () => {
      it("changes no line that is there: ids, siblings and bytes stay", async () => {
        const { id, target, bytes } = await talk();
        await send(id, { type: "navigate", target });
        await prompt(id, "another way");
        const after = await rig.bytes(id);
        expect(after.subarray(0, bytes.length)).toEqual(bytes);
        const { tree } = (await rig.service.runtime(id)).journal.state;
        expect(tree.branches(target)).toHaveLength(2);
      });

      it("lets a run be where it is while its path and others are read", async () => {
        const { id, target } = await talk();
        rig.script({ text: "t", calls: [call("w", "look", "wait")] });
        await send(id, { type: "prompt", text: "go" });
        await until(() => rig.gates.reached("wait"));
        const before = await snapshot(id);
        await rig.service.snapshot(id, { at: target });
        await rig.service.items(id, { leaf: target, from: 0, to: 10 });
        expect((await snapshot(id)).leafId).toBe(before.leafId);
        expect((await snapshot(id)).runs).toEqual(before.runs);
        rig.gates.open("wait");
        await rig.idle(id);
      });
    });

    describe("carrying over", () => {
      /** Two branches below one answer: "red" with a call, and "blue", where the session stands. */
      const two = async () => {
        const id = await make();
        await prompt(id, "shared");
        const fork = (await leafOf(id)) as EntryId;
        rig.script({ text: "looks", calls: [call("c", "look", "red.txt")] }, { text: "red is done" });
        await prompt(id, "try red");
        const red = (await leafOf(id)) as EntryId;
        await prompt(id, "try blue", { at: fork });
        const blue = (await leafOf(id)) as EntryId;
        return { id, fork, red, blue, bytes: await rig.bytes(id) };
      };

      it("tells in short of the other branch, at the place one stands", async () => {
        const { id, red, blue, bytes } = await two();
        const model = rig.script({ text: SUMMARY });
        await send(id, { type: "carry_over", from: red });
        await rig.idle(id);
        const told = await lastOf(id, "branch_summary");
        expect(told).toMatchObject({ parentId: blue, fromId: red });
        const asked = JSON.stringify(model.requests[0]?.messages);
        expect(asked).toContain("try red");
        expect(asked).not.toContain("try blue");
        expect(asked).not.toContain("shared");
        expect(await leafOf(id)).toBe(told.id);
        await send(id, { type: "navigate", target: blue });
        expect(await leafOf(id)).toBe(blue);
        expect((await rig.bytes(id)).subarray(0, bytes.length)).toEqual(bytes);
      });

      it("tells it at another end when asked, and moves there", async () => {
        const { id, red, blue } = await two();
        rig.script({ text: SUMMARY });
        await send(id, { type: "carry_over", from: blue, to: red });
        await rig.idle(id);
        const told = await lastOf(id, "branch_summary");
        expect(told).toMatchObject({ parentId: red, fromId: blue });
        expect(await leafOf(id)).toBe(told.id);
      });

      it("tells it before the first message too: a root of its own", async () => {
        const { id, red } = await two();
        await send(id, { type: "navigate", target: null });
        rig.script({ text: SUMMARY });
        await send(id, { type: "carry_over", from: red });
        await rig.idle(id);
        const told = await lastOf(id, "branch_summary");
        expect(told).toMatchObject({ parentId: null, fromId: red });
        expect(await leafOf(id)).toBe(told.id);
        await prompt(id, "on");
        expect((await snapshot(id)).keys[0]).toBe(told.id);
      });

      it("brings chosen messages word for word, a step with the results of its calls", async () => {
        const { id, red, blue } = await two();
        const step = await entryOf(id, '"looks"');
        const { entryId } = await send(id, { type: "carry_over", from: red, entries: [step.id] });
        const told = await lastOf(id, "branch_summary");
        expect(told.id).toBe(entryId);
        expect(told.parentId).toBe(blue);
        expect(textOf(told)).toContain("look red.txt");
        expect(textOf(told)).not.toContain("red is done");
      });

      it("refuses what is not there or holds nothing new, with nothing written", async () => {
        const { id, red, blue, fork, bytes } = await two();
        const refused = (command: { from: EntryId; entries?: EntryId[]; files?: string[] }) =>
          code(send(id, { type: "carry_over", ...command }));
        expect(await refused({ from: "none" as EntryId })).toBe("not_found");
        expect(await refused({ from: blue })).toBe("nothing_to_do");
        expect(await refused({ from: fork })).toBe("nothing_to_do");
        expect(await refused({ from: red, files: ["no.ts"] })).toBe("nothing_to_do");
        expect(await refused({ from: red, entries: [blue] })).toBe("nothing_to_do");
        expect(await rig.bytes(id)).toEqual(bytes);
        expect(await leafOf(id)).toBe(blue);
      });
    });

    describe("into a new session", () => {
      const copyOf = async (id: SessionId, command: Parameters<typeof send>[1]): Promise<SessionId> =>
        sessionId((await send(id, command)).session ?? "");

      it("takes labels and outcome marks of the path along, as they hold", async () => {
        const { id, target, left } = await talk();
        await send(id, { type: "label", entryId: target, label: "here" });
        await send(id, { type: "outcome", entryId: target, outcome: "failed" });
        await send(id, { type: "outcome", entryId: left, outcome: "abandoned" });
        await prompt(id, "goes on");
        await send(id, { type: "outcome", entryId: target, outcome: "worked", note: "after all" });
        await send(id, { type: "outcome", entryId: left });
        const copy = await copyOf(id, { type: "clone" });
        const { tree } = (await rig.service.runtime(copy)).journal.state;
        expect([...tree.labels]).toEqual([[target, "here"]]);
        expect([...tree.outcomes]).toEqual([[target, { outcome: "worked", note: "after all" }]]);
        expect((await snapshot(copy)).leafId).toBe(await leafOf(id));
      });

      it("ends with the chosen entry, whatever is filtered or folded on a page", async () => {
        const { id, target } = await talk();
        const copy = await copyOf(id, { type: "fork", entryId: target });
        expect((await snapshot(copy)).keys.at(-1)).toBe(target);
      });

      it("has one header, also when there is no answer yet", async () => {
        const id = await make();
        rig.script({ text: "x", until: new Promise(() => undefined) });
        await send(id, { type: "prompt", text: "only this" });
        const user = await lastOf(id, "user");
        const copy = await copyOf(id, { type: "fork", entryId: user.id });
        await send(id, { type: "abort" });
        await rig.idle(id);
        rig.script({ text: "ok" });
        await prompt(copy, "on");
        const text = new TextDecoder().decode(await rig.bytes(copy));
        expect(text.split("\n").filter((line) => line.includes('"type":"session"'))).toHaveLength(1);
      });

      it("parts no batch: an open one stays behind, a whole one comes whole, and it is said", async () => {
        const id = await make();
        rig.script({ text: "t", calls: [call("w", "look", "wait"), call("f", "look", "fast")] });
        await send(id, { type: "prompt", text: "go" });
        await until(async () => (await kinds(id)).includes("toolResult"));
        const step = await lastOf(id, "assistant");
        const first = await lastOf(id, "toolResult");
        const openCopy = await copyOf(id, { type: "fork", entryId: step.id });
        expect(await kinds(openCopy)).not.toContain("assistant");
        rig.gates.open("wait");
        await rig.idle(id);
        const whole = await copyOf(id, { type: "fork", entryId: first.id });
        expect((await kinds(whole)).filter((one) => one === "toolResult")).toHaveLength(2);
        const { note } = await send(id, { type: "navigate", target: first.id });
        expect(note).toContain("batch");
      });

      it("of a compacted path says the same to a model", async () => {
        const id = await make();
        await rig.process.settings.write({ compaction: { keepRecentTokens: 10 } });
        await prompt(id, "word ".repeat(300));
        await prompt(id, "more ".repeat(300));
        const summary =
          "## Goal\nS\n## Progress\n## Next Steps\n## Original Request\n## Progress So Far\n## Context Needed to Continue";
        rig.script({ text: summary }, { text: summary });
        await send(id, { type: "compact" });
        await rig.idle(id);
        await prompt(id, "after");
        expect(await kinds(id)).toContain("compaction");
        const copy = await copyOf(id, { type: "clone" });
        const asked = async (session: SessionId) => {
          const model = rig.script({ text: "ok" });
          await prompt(session, "compare");
          return JSON.stringify(model.requests[0]?.messages.map(({ role, content }) => ({ role, content })));
        };
        const there = await asked(copy);
        expect(await asked(id)).toBe(there);
        expect(there).not.toContain("word word");
      });
    });
  });
};
