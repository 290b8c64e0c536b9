import type { SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, probe } from "./service-probe.case.ts";
import { makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, kinds, snapshot } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

/** What was done to the disk since, writes and syncs only. */
const since = (from: number): string =>
  rig.fs.done
    .slice(from)
    .filter((operation) => operation === "write" || operation === "datasync")
    .map((operation) => (operation === "write" ? "w" : "s"))
    .join("");

/** A turn of two steps, one of them with a tool, and what it did to the disk. */
const turn = async (
  durability: "turn" | "step" | "entry" | undefined,
): Promise<{ id: SessionId; did: string }> => {
  if (durability !== undefined) await rig.process.settings.write({ durability });
  const id = await make();
  await prompt(id, "hi");
  rig.script({ calls: [call("a", "look", "x")] }, { text: "end" });
  const from = rig.fs.done.length;
  await send(id, { type: "prompt", text: "go" });
  await rig.idle(id);
  return { id, did: since(from) };
};

describe("when a turn is on the disk itself", () => {
  it("step, unless set otherwise: before the model is asked, before tools run, after them, at the end", async () => {
    // User, then sync; answer with a call, sync; result, sync; answer, sync.
    expect((await turn(undefined)).did).toBe("wswswsws");
  });

  it("turn: at its end, or within the time of a group", async () => {
    const { did } = await turn("turn");
    expect(did.replaceAll(/s(?!$)/g, "")).toBe("wwwws");
  });

  it("entry: each before it is said to be there", async () => {
    const { id } = await turn("entry");
    const from = rig.fs.done.length;
    await send(id, { type: "rename", name: "x" });
    expect(since(from)).toBe("ws");
    rig.fs.set({ at: 1, only: ["datasync"], kind: "EIO", persistent: true });
    expect(await code(send(id, { type: "rename", name: "y" }))).toBe("io");
    rig.fs.set(null);
  });

  it("a sync that fails has the run wait, and nothing is asked of a model before", async () => {
    const id = await make();
    await prompt(id, "hi");
    const model = rig.script({ text: "answer" });
    rig.fs.set({ at: 1, only: ["datasync"], kind: "EIO" });
    await send(id, { type: "prompt", text: "go" });
    await until(() =>
      rig.events(id).some((event) => event.type === "run" && event.run.problem?.code === "io"),
    );
    expect(model.requests).toEqual([]);
    await rig.idle(id);
    expect(model.requests).toHaveLength(1);
    expect((await kinds(id)).filter((kind) => kind === "user")).toHaveLength(2);
    expect((await snapshot(id)).damage).toEqual([]);
  });
});
