import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Approval, SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, probe } from "./service-probe.case.ts";
import { makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, snapshot } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

const asked = async (id: SessionId): Promise<Approval> => {
  await until(async () => (await snapshot(id)).approvals.length > 0);
  return (await snapshot(id)).approvals[0] as Approval;
};
const answer = async (id: SessionId, decision: "once" | "workspace" | "deny") =>
  send(id, { type: "answer", approval: (await asked(id)).id, decision });
const results = async (id: SessionId): Promise<string[]> =>
  (await rig.entries(id))
    .map((entry) => JSON.stringify(entry))
    .filter((text) => text.includes('"toolResult"'));
const acts = (...paths: string[]) => ({ calls: paths.map((path, at) => call(`c${at}`, "act", path)) });
const start = async (...paths: string[]): Promise<SessionId> => {
  const id = await make();
  rig.script(acts(...paths), { text: "end" }, acts("again"), { text: "end" });
  await send(id, { type: "prompt", text: "go" });
  return id;
};

describe("asking before a tool acts", () => {
  it("shows the very arguments, waits, and runs once when allowed once", async () => {
    const id = await start("one");
    const approval = await asked(id);
    expect(approval).toMatchObject({
      toolName: "act",
      effect: "write",
      subject: "one",
      arguments: { path: "one" },
    });
    expect((await snapshot(id)).run?.status).toBe("waiting");
    expect(await results(id)).toEqual([]);
    await answer(id, "once");
    await rig.idle(id);
    expect((await results(id))[0]).toContain("act one");
    expect(await code(send(id, { type: "answer", approval: approval.id, decision: "once" }))).toBe(
      "conflict",
    );
    await send(id, { type: "prompt", text: "more" });
    await asked(id);
    await answer(id, "deny");
    await rig.idle(id);
    expect((await results(id))[1]).toContain("did not allow");
  });

  it("is over for a tool in a workspace once the person says so, also after a restart, and only there", async () => {
    const id = await start("one", "two");
    await answer(id, "workspace");
    await rig.idle(id);
    expect((await results(id)).join()).toContain("act two");
    const later = rig.restarted();
    later.script(acts("three"), { text: "end" });
    await later.service.command(id, { type: "prompt", text: "go" });
    await later.idle(id);
    expect((await results(id)).join()).toContain("act three");
    await later.service.close(100);
    const other = join(rig.folder, "other");
    mkdirSync(other);
    const elsewhere = (await rig.service.create({ cwd: other })).id;
    rig.script(acts("four"), { text: "end" });
    await send(elsewhere, { type: "prompt", text: "go" });
    expect((await asked(elsewhere)).subject).toBe("four");
    await answer(elsewhere, "deny");
    await rig.idle(elsewhere);
  });

  it("ends with Stop: nothing runs, every call is answered, and a late answer is refused", async () => {
    const id = await start("one", "two");
    const approval = await asked(id);
    await send(id, { type: "abort" });
    await rig.idle(id);
    expect(await results(id)).toHaveLength(2);
    expect((await results(id)).every((text) => text.includes("stopped by the user"))).toBe(true);
    expect((await snapshot(id)).approvals).toEqual([]);
    expect(await code(send(id, { type: "answer", approval: approval.id, decision: "workspace" }))).toBe(
      "conflict",
    );
    expect((await rig.process.local.allowed(rig.workspace)).size).toBe(0);
  });

  it("holds for the arguments that were shown: changed ones do not run", async () => {
    const id = await make();
    const runtime = await rig.service.runtime(id);
    const args: Record<string, unknown> = { path: "shown" };
    const tool = rig.process.tools().get("act");
    if (!tool) throw new Error("no tool");
    const pending = {
      entryId: "e",
      index: 0,
      call: call("c", "act", "shown"),
      tool,
      args,
    } as unknown as Parameters<typeof runtime.approvals.ask>[2];
    const verdict = runtime.approvals.ask("r" as never, rig.workspace, pending, new AbortController().signal);
    await until(() => runtime.journal.state.approvals.length > 0);
    args.path = "another";
    runtime.approvals.answer(runtime.journal.state.approvals[0]?.id ?? "", "once");
    expect(await verdict).toMatchObject({ block: true });
  });

  it("never asks for reading", async () => {
    const id = await make();
    rig.script({ calls: [call("c", "look", "x")] }, { text: "end" });
    await send(id, { type: "prompt", text: "go" });
    await rig.idle(id);
    expect(rig.events(id).some(({ type }) => type === "approval")).toBe(false);
  });
});
