import type { AnyEntry } from "@espalier/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, kindOf, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, type StoreKind, until } from "./service-rig.case.ts";

/** What every session service does with runs. */
export const sessionRunsCase = (kind: StoreKind): void => {
  describe(`runs of a session service over ${kind}`, () => {
    let rig: Rig;
    const { make, send, prompt, kinds, snapshot, leafOf, lastOf } = probe(() => rig);
    beforeEach(() => {
      rig = makeRig(kind);
    });
    afterEach(async () => {
      await checkAll(rig);
      await rig.dispose();
    });

    describe("runs", () => {
      /** A run that waits inside a tool. */
      const working = async () => {
        const id = await make();
        const model = rig.script({
          text: "t",
          calls: [call("w", "look", "wait"), call("f", "look", "fast")],
        });
        const answer = await send(id, { type: "prompt", text: "go" });
        await until(() => rig.gates.reached("wait"));
        await until(async () => (await kinds(id)).includes("toolResult"));
        return { id, model, run: answer.run };
      };

      it("are refused where one works already, and welcome elsewhere", async () => {
        const { id } = await working();
        const bytes = await rig.bytes(id);
        expect(await code(send(id, { type: "prompt", text: "me too" }))).toBe("busy");
        expect(await rig.bytes(id)).toEqual(bytes);
        const first = (await rig.entries(id)).find((entry) => kindOf(entry) === "user") as AnyEntry;
        const other = await send(id, { type: "prompt", text: "elsewhere", at: first.parentId });
        expect((await snapshot(id)).runs).toHaveLength(2);
        rig.gates.open("wait");
        await rig.idle(id);
        const sibling = (await rig.entries(id)).find((entry) => entry.id === other.entryId);
        expect(sibling?.parentId).toBe(first.parentId);
      });

      it("take steering after the batch and follow-ups after the answer, as they were edited", async () => {
        const { id, model } = await working();
        await send(id, { type: "steer", text: "steer 1" });
        await send(id, { type: "follow_up", text: "follow 1" });
        await send(id, { type: "follow_up", text: "gone" });
        await send(id, { type: "steer", text: "steer 2" });
        const { queue } = await snapshot(id);
        expect(queue.map(({ text }) => text)).toEqual(["steer 1", "follow 1", "gone", "steer 2"]);
        await send(id, { type: "queue_remove", item: queue[2]?.id ?? "" });
        await send(id, { type: "queue_update", item: queue[3]?.id ?? "", text: "steer first", index: 0 });
        rig.gates.open("wait");
        await rig.idle(id);
        const users = (await rig.entries(id)).filter((entry) => kindOf(entry) === "user").map(textOf);
        expect(users.map((text) => /go|steer first|steer 1|follow 1/.exec(text)?.[0])).toEqual([
          "go",
          "steer first",
          "steer 1",
          "follow 1",
        ]);
        expect(model.requests).toHaveLength(4);
        expect((await snapshot(id)).queue).toEqual([]);
      });

      it("are stopped with every call answered, and what waited comes back", async () => {
        const { id, run } = await working();
        await send(id, { type: "follow_up", text: "later" });
        await send(id, { type: "abort" });
        await code(send(id, { type: "abort" }));
        await rig.idle(id);
        expect((await kinds(id)).filter((one) => one === "toolResult")).toHaveLength(2);
        const step = (await snapshot(id)).items.find((item) => item.kind === "step");
        expect(step?.kind === "step" && step.groups.every((group) => group.kind === "complete")).toBe(true);
        const events = rig.events(id);
        expect(events.filter((event) => event.type === "returned")).toMatchObject([{ texts: ["later"] }]);
        const ends = events.flatMap((event) =>
          event.type === "run" && event.run.id === run ? [event.run.status] : [],
        );
        expect(ends.at(-1)).toBe("aborted");
        expect((await send(id, { type: "continue" })).run).toBeDefined();
        await rig.idle(id);
        expect(kindOf((await rig.entries(id)).at(-1) as AnyEntry)).toBe("assistant");
      });

      it("are stopped in the middle of an answer, which is kept", async () => {
        const id = await make();
        rig.script({ text: "partly", until: new Promise(() => undefined) });
        await send(id, { type: "prompt", text: "go" });
        await until(async () => JSON.stringify((await snapshot(id)).partials).includes("partly"));
        await send(id, { type: "abort" });
        await rig.idle(id);
        expect(await lastOf(id, "assistant")).toMatchObject({ message: { stopReason: "aborted" } });
        expect(textOf(await lastOf(id, "assistant"))).toContain("partly");
        expect((await snapshot(id)).partials).toEqual({});
      });

      it("leave a person where they went, and remember that place at the end", async () => {
        const { id } = await working();
        const user = await lastOf(id, "user");
        await send(id, { type: "navigate", target: user.parentId });
        expect(await kinds(id)).not.toContain("custom");
        rig.gates.open("wait");
        await rig.idle(id);
        await until(async () => (await kinds(id)).includes("custom"));
        expect(await leafOf(id)).toBe(user.parentId);
        expect((await rig.entries(id)).at(-1)).toMatchObject({
          customType: "espalier.position",
          parentId: user.parentId,
        });
      });

      it("tell a model's failure, and go on from it", async () => {
        const id = await make();
        rig.script(
          { text: "pa", stopReason: "error", problem: { code: "provider_rejected", message: "No." } },
          { text: "better" },
        );
        await prompt(id, "go");
        expect(await lastOf(id, "assistant")).toMatchObject({
          message: { stopReason: "error", errorMessage: "No." },
        });
        await send(id, { type: "continue" });
        await rig.idle(id);
        expect(textOf(await lastOf(id, "assistant"))).toContain("better");
      });

      it("never stand in the way of a command the person types, nor that in the way of Stop", async () => {
        const { id } = await working();
        const typed = send(id, { type: "bash", command: "pwd" });
        await until(async () => (await Promise.race([typed, Promise.resolve("open")])) === "open");
        await send(id, { type: "steer", text: "meanwhile" });
        await send(id, { type: "abort" });
        const answer = await typed;
        await rig.idle(id);
        expect(kindOf((await rig.entries(id)).at(-1) as AnyEntry)).toBe("bashExecution");
        expect((await rig.entries(id)).at(-1)?.id).toBe(answer.entryId);
        const long = send(id, { type: "bash", command: "wait for ever" });
        await until(() => rig.gates.reached("wait for ever"));
        await send(id, { type: "abort" });
        await long;
        expect((await rig.entries(id)).at(-1)).toMatchObject({ message: { cancelled: true } });
      });

      it("summarise the older part with compact", async () => {
        const id = await make();
        await rig.process.settings.write({ compaction: { keepRecentTokens: 10 } });
        await prompt(id, "word ".repeat(300));
        await prompt(id, "more ".repeat(300));
        const summary =
          "## Goal\nThe summary\n## Progress\n## Next Steps\n## Original Request\n## Early Progress";
        rig.script({ text: summary }, { text: summary });
        const answer = await send(id, { type: "compact" });
        expect(answer.run).toBeDefined();
        await rig.idle(id);
        const made = await lastOf(id, "compaction");
        expect(textOf(made)).toContain("The summary");
        expect(await leafOf(id)).toBe(made.id);
        const bytes = await rig.bytes(id);
        rig.script({ text: "", stopReason: "error", problem: { code: "provider_rejected", message: "No." } });
        await prompt(id, "x ".repeat(300)).catch(() => undefined);
        const later = await rig.bytes(id);
        rig.script({
          text: "half",
          stopReason: "error",
          problem: { code: "provider_rejected", message: "No." },
        });
        await send(id, { type: "compact" });
        await rig.idle(id);
        expect(await rig.bytes(id)).toEqual(later);
        expect(bytes.length).toBeLessThan(later.length);
      });
    });
  });
};
