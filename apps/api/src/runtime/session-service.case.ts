import { join } from "node:path";
import type { AnyEntry } from "@espalier/core";
import { type Command, commandId, entryId, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, kindOf, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, type StoreKind, until } from "./service-rig.case.ts";

/** What every session service does with sessions and places, whatever it keeps them in. */
export const sessionServiceCase = (kind: StoreKind): void => {
  describe(`session service over ${kind}`, () => {
    let rig: Rig;
    const { make, send, prompt, kinds, snapshot, leafOf } = probe(() => rig);
    beforeEach(() => {
      rig = makeRig(kind);
    });
    afterEach(async () => {
      await checkAll(rig);
      await rig.dispose();
    });

    describe("trash and search", () => {
      it("a deleted session is gone until it is brought back, byte for byte", async () => {
        const id = await make();
        await prompt(id, "plant a quince");
        const before = await rig.bytes(id);
        const { ticket } = await rig.service.discard(id);
        expect((await rig.service.list()).sessions).toEqual([]);
        expect((await rig.service.discarded()).sessions).toMatchObject([
          { ticket, id, name: "plant a quince" },
        ]);
        expect(await code(snapshot(id))).toBe("not_found");
        expect(await rig.service.restore(ticket)).toEqual({ id });
        expect(await rig.bytes(id)).toEqual(before);
        expect((await snapshot(id)).rows.length).toBeGreaterThan(0);
        expect((await rig.service.discarded()).sessions).toEqual([]);
        expect(await code(rig.service.restore(ticket))).toBe("not_found");
        expect(await code(rig.service.restore("../x"))).toBe("not_found");
        expect(await code(rig.service.discard(await make()))).toBe("not_found");
      });

      it("a session with a run at work is not deleted", async () => {
        const id = await make();
        rig.script({ calls: [call("c", "look", "wait")] }, { text: "done" });
        await send(id, { type: "prompt", text: "go" });
        await until(() => rig.gates.reached("wait"));
        expect(await code(rig.service.discard(id))).toBe("busy");
        rig.gates.open("wait");
        await rig.idle(id);
        expect((await rig.service.list()).sessions).toHaveLength(1);
      });

      it("words are found in all sessions, or in one", async () => {
        const id = await make();
        await prompt(id, "plant a quince");
        await prompt(await make(), "quince jelly");
        const all = await rig.service.search({ text: "quince", limit: 10, session: null });
        expect(all.hits.map(({ session }) => session).sort()).toHaveLength(2);
        const { hits } = await rig.service.search({ text: "plant quince", limit: 10, session: id });
        expect(hits.map(({ session }) => session)).toEqual([id]);
        expect(hits[0]?.parts.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(["plant", "quince"]);
      });
    });

    describe("comparing", () => {
      it("tells what two branches came to since they parted", async () => {
        const id = await make();
        await prompt(id, "plant a quince");
        const fork = await leafOf(id);
        rig.script({ calls: [call("c1", "look", "a")] }, { text: "it grew" });
        await prompt(id, "water it");
        const a = (await leafOf(id)) ?? entryId("none");
        await prompt(id, "leave it dry", { at: fork });
        const b = (await leafOf(id)) ?? entryId("none");
        const before = await rig.bytes(id);
        const { last, ...both } = await rig.service.compare(id, { a, b });
        expect(both).toMatchObject({
          fork,
          a: { end: a, turns: 1, calls: 1, failed: 0, files: [], turnStarts: [0] },
          b: { end: b, turns: 1, calls: 0, entries: 2, items: 2 },
        });
        expect([last.a?.id, last.b?.id]).toEqual([a, b]);
        const back = await rig.service.compare(id, { a: b, b: a });
        expect([back.a, back.b, back.fork]).toEqual([both.b, both.a, fork]);
        expect(await code(rig.service.compare(id, { a, b: entryId("nobody") }))).toBe("not_found");
        expect(await rig.bytes(id)).toEqual(before);
      });
    });

    describe("new sessions", () => {
      it("have no file until the first message", async () => {
        const id = await make();
        expect((await rig.service.list()).sessions).toEqual([]);
        const shot = await snapshot(id);
        expect(shot).toMatchObject({ id, stored: false, rows: [], leafId: null, keys: [], run: null });
        expect(shot.folder).toEqual({ cwd: rig.workspace, missing: false });
        expect(shot.model).toEqual({ provider: "fake", modelId: "one" });
        expect(await code(rig.service.create({ cwd: join(rig.folder, "nowhere") }))).toBe("folder_missing");
      });

      it("are whole on disk before the model is asked", async () => {
        const id = await make();
        let there: string[] = [];
        rig.models.answer = async function* (_request, _signal) {
          there = await kinds(id);
          yield* rig.script({ text: "hello" })(_request, _signal);
        };
        await prompt(id, "hi");
        expect(there).toEqual(["model_change", "thinking_level_change", "system", "user"]);
        expect(await kinds(id)).toEqual([...there, "assistant"]);
        const [info] = (await rig.service.list()).sessions;
        expect(info).toMatchObject({ id, firstMessage: "hi", messageCount: 3, cwd: rig.workspace });
        const chain = await rig.entries(id);
        expect(chain.map(({ parentId }) => parentId)).toEqual([
          null,
          ...chain.slice(0, -1).map((one) => one.id),
        ]);
      });

      it("cannot be labelled, compacted or cloned into a file before", async () => {
        const id = await make();
        expect(await code(send(id, { type: "rename", name: "x" }))).toBe("nothing_to_do");
        expect(await code(send(id, { type: "compact" }))).toBe("nothing_to_do");
        expect(await code(send(id, { type: "continue" }))).toBe("nothing_to_do");
        expect(await code(send(id, { type: "prompt", text: "  " }))).toBe("bad_command");
        const clone = await send(id, { type: "clone" });
        expect(clone.session).not.toBe(id);
        expect((await rig.service.list()).sessions).toEqual([]);
      });

      it("take the chosen model and thinking level with the next message only", async () => {
        const id = await make();
        await prompt(id, "one");
        const before = await rig.bytes(id);
        await send(id, { type: "set_model", model: "fake/two" });
        await send(id, { type: "set_thinking", level: "high" });
        expect(await rig.bytes(id)).toEqual(before);
        expect(await snapshot(id)).toMatchObject({ model: { modelId: "two" }, thinkingLevel: "high" });
        await prompt(id, "two");
        expect((await kinds(id)).slice(5)).toEqual([
          "model_change",
          "thinking_level_change",
          "user",
          "assistant",
        ]);
        expect(await code(send(id, { type: "set_model", model: "no/such" }))).toBe("no_model");
        expect(await code(send(id, { type: "prompt", text: "x", model: "no/such" }))).toBe("no_model");
      });
    });

    describe("reading", () => {
      it("gives windows, entries and blocks", async () => {
        const id = await make();
        rig.script({ thinking: "hm", text: "look", calls: [call("c1", "look", "a")] }, { text: "end" });
        await prompt(id, "hi");
        const shot = await snapshot(id);
        expect(shot.items.map((item) => item.kind)).toEqual([
          "mark",
          "mark",
          "system",
          "user",
          "step",
          "step",
        ]);
        expect(shot.keys).toEqual(shot.items.map((item) => item.id));
        const some = await rig.service.items(id, { leaf: shot.leafId, from: 3, to: 5 });
        expect(some).toMatchObject({ from: 3, keys: shot.keys });
        expect(some.items.map((item) => item.kind)).toEqual(["user", "step"]);
        expect((await rig.service.items(id, { leaf: null, from: 0, to: 9 })).items).toEqual([]);
        const step = some.items[1];
        if (step?.kind !== "step") throw new Error("no step");
        expect(step.groups).toMatchObject([{ kind: "complete", toolCallId: "c1" }]);
        expect((await rig.service.entry(id, step.id)).entry).toEqual(step.entry);
        expect(await rig.service.block(id, step.id, 0)).toEqual({ kind: "text", text: "hm" });
        expect(await rig.service.block(id, step.id, 1)).toEqual({ kind: "text", text: "look" });
        expect(await rig.service.block(id, step.id, 2)).toMatchObject({ kind: "text" });
        expect(await code(rig.service.block(id, step.id, 3))).toBe("not_found");
        expect(await code(rig.service.block(id, step.id, -1))).toBe("not_found");
      });

      it("gives images by their bytes", async () => {
        const id = await make();
        const data = Buffer.from([1, 2, 3]).toString("base64");
        const answer = await prompt(id, "see", { images: [{ type: "image", mimeType: "image/png", data }] });
        const user = entryId(answer.entryId ?? "");
        expect(await rig.service.block(id, user, 1)).toMatchObject({ kind: "image", mimeType: "image/png" });
        const item = (await snapshot(id)).items.find((one) => one.id === user);
        expect(textOf(item?.entry as AnyEntry)).not.toContain(data);
      });

      it("writes nothing, and says what is not there", async () => {
        const id = await make();
        await prompt(id, "hi");
        const [bytes, leaf] = [await rig.bytes(id), await leafOf(id)];
        const first = (await rig.entries(id))[3] as AnyEntry;
        await rig.service.snapshot(id, { at: first.id });
        await rig.service.snapshot(id, { at: first.id, limit: 1 });
        const gone = entryId("ffffffff");
        const nobody = sessionId("nobody");
        expect(await code(rig.service.snapshot(nobody, {}))).toBe("not_found");
        expect(await code(rig.service.snapshot(id, { at: gone }))).toBe("not_found");
        expect(await code(rig.service.items(id, { leaf: gone, from: 0, to: 1 }))).toBe("not_found");
        expect(await code(rig.service.entry(id, gone))).toBe("not_found");
        expect(await code(rig.service.entry(nobody, gone))).toBe("not_found");
        expect(await code(send(nobody, { type: "prompt", text: "x" }))).toBe("not_found");
        expect(await code(send(id, { type: "prompt", text: "x", at: gone }))).toBe("not_found");
        expect(await code(send(id, { type: "navigate", target: gone }))).toBe("not_found");
        expect(await code(send(id, { type: "label", entryId: gone, label: "x" }))).toBe("not_found");
        expect(await code(send(id, { type: "fork", entryId: gone }))).toBe("not_found");
        expect(await code(send(id, { type: "abort" }))).toBe("conflict");
        expect(await code(send(id, { type: "steer", text: "x" }))).toBe("conflict");
        expect(await code(send(id, { type: "answer", approval: "x", decision: "once" }))).toBe("conflict");
        expect(await code(send(id, { type: "queue_remove", item: "x" }))).toBe("conflict");
        expect(await code(send(id, { type: "continue" }))).toBe("nothing_to_do");
        expect(await rig.bytes(id)).toEqual(bytes);
        expect(await leafOf(id)).toBe(leaf);
      });

      it("does a repeated command once, and a failed one again", async () => {
        const id = await make();
        const command: Command = { type: "prompt", text: "hi", commandId: commandId("c-1") };
        const [a, b] = await Promise.all([send(id, command), send(id, command)]);
        expect(b).toEqual(a);
        await rig.idle(id);
        expect(await send(id, command)).toEqual(a);
        expect((await kinds(id)).filter((one) => one === "user")).toHaveLength(1);
        const bad: Command = { type: "prompt", text: "", commandId: commandId("c-2") };
        expect(await code(send(id, bad))).toBe("bad_command");
        expect((await send(id, { ...bad, text: "now" })).ok).toBe(true);
        await rig.idle(id);
      });
    });

    describe("places", () => {
      const talk = async () => {
        const id = await make();
        await prompt(id, "one");
        await prompt(id, "two");
        const [one, two] = (await rig.entries(id)).filter((entry) => kindOf(entry) === "user") as [
          AnyEntry,
          AnyEntry,
        ];
        return { id, one, two };
      };

      it("are remembered by one position entry under the target, and the next message hangs at the target", async () => {
        const { id, two } = await talk();
        const target = two.parentId;
        const answer = await send(id, { type: "navigate", target });
        expect(answer.entryId).toBe(target);
        const last = (await rig.entries(id)).at(-1) as AnyEntry;
        expect(last).toMatchObject({ type: "custom", customType: "espalier.position", parentId: target });
        expect(await leafOf(id)).toBe(target);
        const bytes = await rig.bytes(id);
        await send(id, { type: "navigate", target });
        expect(await rig.bytes(id)).toEqual(bytes);
        expect(await rig.restarted().service.snapshot(id, {})).toMatchObject({ leafId: target });
        const next = await prompt(id, "again");
        const user = (await rig.entries(id)).find((entry) => entry.id === next.entryId);
        expect(user?.parentId).toBe(target);
      });

      it("need no entry where the last line says it already", async () => {
        const { id } = await talk();
        const bytes = await rig.bytes(id);
        await send(id, { type: "navigate", target: await leafOf(id) });
        expect(await rig.bytes(id)).toEqual(bytes);
      });

      it("may be before the root, which the data dir remembers until one goes elsewhere", async () => {
        const { id, one } = await talk();
        const bytes = await rig.bytes(id);
        await send(id, { type: "navigate", target: null });
        expect(await rig.bytes(id)).toEqual(bytes);
        expect((await rig.restarted().service.snapshot(id, {})).leafId).toBeNull();
        await send(id, { type: "navigate", target: one.id });
        expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(one.id);
        await send(id, { type: "navigate", target: null });
        await prompt(id, "a new root");
        const roots = (await rig.entries(id)).filter(({ parentId }) => parentId === null);
        expect(roots).toHaveLength(2);
        expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(await leafOf(id));
      });

      it("are never inside a batch of calls", async () => {
        const id = await make();
        rig.script({ calls: [call("a", "look", "1"), call("b", "look", "2")] }, { text: "end" });
        await prompt(id, "go");
        const step = (await rig.entries(id)).find((entry) => kindOf(entry) === "assistant") as AnyEntry;
        const results = (await rig.entries(id)).filter((entry) => kindOf(entry) === "toolResult");
        const answer = await send(id, { type: "navigate", target: step.id });
        expect(answer.entryId).toBe(results.at(-1)?.id);
        expect(answer.note).toMatch(/batch/);
        const again = await prompt(id, "other way", { at: results[0]?.id ?? null });
        const user = (await rig.entries(id)).find((entry) => entry.id === again.entryId);
        expect(user?.parentId).toBe(results.at(-1)?.id);
      });

      it("do not move by labels and names, and the next message hangs under the leaf", async () => {
        const { id, one } = await talk();
        const leaf = await leafOf(id);
        await send(id, { type: "label", entryId: one.id, label: " start\n here " });
        await send(id, { type: "rename", name: "A name" });
        expect((await rig.entries(id)).slice(-2)).toMatchObject([
          { type: "label", targetId: one.id, label: "start here", parentId: leaf },
          { type: "session_info", name: "A name", parentId: leaf },
        ]);
        expect(await leafOf(id)).toBe(leaf);
        expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(leaf);
        expect((await rig.service.list()).sessions[0]?.name).toBe("A name");
        const next = await prompt(id, "next");
        expect((await rig.entries(id)).find((entry) => entry.id === next.entryId)?.parentId).toBe(leaf);
      });
    });
  });
};
