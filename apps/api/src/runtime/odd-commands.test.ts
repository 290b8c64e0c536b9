import type { EntryId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { code, probe } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, snapshot } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

describe("commands that ask for nothing that is there", () => {
  it("are refused with the file as it was", async () => {
    const id = await make();
    await prompt(id, "hi");
    const [entry] = await rig.entries(id);
    const before = await rig.bytes(id);
    const nobody = "nobody" as EntryId;
    expect(
      await code(send(id, { type: "outcome", entryId: entry?.id as EntryId, note: "only a note" })),
    ).toBe("nothing_to_do");
    expect(await code(send(id, { type: "compact", firstKept: nobody }))).toBe("not_found");
    expect(await code(send(id, { type: "outcome", entryId: nobody, outcome: "worked" }))).toBe("not_found");
    expect(await rig.bytes(id)).toEqual(before);
  });

  it("a name loses characters that nobody can see", async () => {
    const id = await make();
    await prompt(id, "hi");
    await send(id, { type: "rename", name: " a\nb\u0000c\u001b[31m " });
    const { sessions } = await rig.service.list();
    expect(sessions.find((session) => session.id === id)?.name).toBe("a b c [31m");
    expect((await snapshot(id)).damage).toEqual([]);
    await checkAll(rig);
  });
});
