import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { AnyEntry } from "@espalier/core";
import { entryId, type SessionHeader, type SessionId, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { code, kindOf, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, type StoreKind } from "./service-rig.case.ts";

/** What every session service does with files that it copies instead of changing them. */
export const sessionCopiesCase = (kind: StoreKind): void => {
  describe(`copies of a session service over ${kind}`, () => {
    let rig: Rig;
    const { make, send, prompt, kinds, snapshot, lastOf } = probe(() => rig);
    beforeEach(() => {
      rig = makeRig(kind);
    });
    afterEach(async () => {
      await checkAll(rig);
      await rig.dispose();
    });

    describe("copies", () => {
      const talk = async () => {
        const id = await make();
        await prompt(id, "one");
        await prompt(id, "two");
        return { id, two: await lastOf(id, "user"), bytes: await rig.bytes(id) };
      };
      const userTexts = async (id: SessionId) =>
        (await rig.entries(id)).filter((one) => kindOf(one) === "user").map(textOf);

      it("fork at and before an entry, the source untouched", async () => {
        const { id, two, bytes } = await talk();
        const at = await send(id, { type: "fork", entryId: two.id });
        const before = await send(id, { type: "fork", entryId: two.id, position: "before" });
        const [a, b] = [sessionId(at.session ?? ""), sessionId(before.session ?? "")];
        expect(await userTexts(a)).toHaveLength(2);
        expect(await userTexts(b)).toHaveLength(1);
        expect((await snapshot(a)).leafId).toBe(two.id);
        expect((await snapshot(a)).header.parentSession).toBe((await snapshot(id)).path);
        expect(await rig.bytes(id)).toEqual(bytes);
        await prompt(a, "in the fork");
        expect(await rig.bytes(id)).toEqual(bytes);
      });

      it("clone the path to the leaf", async () => {
        const { id, bytes } = await talk();
        const clone = sessionId((await send(id, { type: "clone" })).session ?? "");
        expect(await kinds(clone)).toEqual(await kinds(id));
        expect(await rig.bytes(id)).toEqual(bytes);
      });

      it("bring a file in byte for byte, under another id where its own is taken", async () => {
        const { bytes } = await talk();
        const text = new TextDecoder().decode(bytes);
        const other = text.replace(/"id":"[^"]+"/, '"id":"brought-in"');
        const a = await rig.service.import({ name: "x.jsonl", text: other });
        expect(a.id).toBe("brought-in");
        expect(new TextDecoder().decode(await rig.bytes(a.id))).toBe(other);
        const b = await rig.service.import({ name: "x.jsonl", text: other });
        expect(b.id).not.toBe(a.id);
        expect((await rig.entries(b.id)).length).toBe((await rig.entries(a.id)).length);
        expect(await code(rig.service.import({ name: "x", text: "hello" }))).toBe("not_a_session");
        expect(await code(rig.service.import({ name: "x", text: "" }))).toBe("not_a_session");
      });
    });

    describe("old files", () => {
      const old = async (version: 1 | 2): Promise<SessionId> => {
        const header = {
          type: "session",
          version,
          id: `old-${version}`,
          timestamp: "2025-01-01T00:00:00.000Z",
          cwd: rig.workspace,
        };
        const message = (role: string, text: string) => ({
          role,
          content: [{ type: "text", text }],
          timestamp: 1,
        });
        const lines = [
          {
            type: "message",
            id: "aaaaaaa1",
            parentId: null,
            timestamp: "2025-01-01T00:00:01.000Z",
            message: message("user", "old one"),
          },
          {
            type: "message",
            id: "aaaaaaa2",
            parentId: "aaaaaaa1",
            timestamp: "2025-01-01T00:00:02.000Z",
            message: message("user", "old two"),
          },
        ].map((entry) => (version === 1 ? { ...entry, id: undefined, parentId: undefined } : entry));
        const stored = await rig.store.create(header as SessionHeader, lines as unknown as AnyEntry[]);
        await stored.close();
        return stored.id;
      };

      it.each([1, 2] as const)(
        "of version %i are left as they are: the first writing goes to a copy",
        async (version) => {
          const id = await old(version);
          const bytes = await rig.bytes(id);
          await send(id, { type: "set_model", model: "fake/two" });
          expect(await code(send(id, { type: "prompt", text: "x", model: "no/such" }))).toBe("no_model");
          expect((await rig.service.list()).sessions).toHaveLength(1);
          const answer = await prompt(id, "new");
          const copy = sessionId(answer.session ?? "");
          expect(copy).not.toBe(id);
          await rig.idle(copy);
          expect(await rig.bytes(id)).toEqual(bytes);
          const shot = await snapshot(copy);
          expect(shot.header).toMatchObject({
            version: 3,
            cwd: rig.workspace,
            parentSession: (await snapshot(id)).path,
          });
          expect(shot.model).toEqual({ provider: "fake", modelId: "two" });
          expect(JSON.stringify(await rig.entries(copy))).toContain("old two");
          expect(rig.events(id)).toContainEqual({ type: "moved", session: copy });
          // Whoever still holds the old id is led to the same copy.
          const label = await send(id, {
            type: "label",
            entryId: shot.leafId ?? entryId("x"),
            label: "here",
          });
          expect(label.session).toBe(copy);
          expect((await rig.service.list()).sessions).toHaveLength(2);
          expect(await rig.bytes(id)).toEqual(bytes);
        },
      );
    });

    describe("a folder that is gone", () => {
      const homeless = async (): Promise<SessionId> => {
        const cwd = join(rig.folder, "gone");
        mkdirSync(cwd);
        const { id } = await rig.service.create({ cwd });
        await prompt(id, "hi");
        rmSync(cwd, { recursive: true });
        return id;
      };

      it("asks, works here when told so, and leaves the header alone", async () => {
        const id = await homeless();
        const bytes = await rig.bytes(id);
        expect((await snapshot(id)).folder.missing).toBe(true);
        expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("folder_missing");
        expect(await code(send(id, { type: "continue" }))).not.toBe("nothing thrown");
        await send(id, { type: "folder", choice: "cancel" });
        expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("folder_missing");
        expect(await rig.bytes(id)).toEqual(bytes);
        await send(id, { type: "folder", choice: "here" });
        expect((await snapshot(id)).folder).toEqual({ cwd: rig.workspace, missing: false });
        expect((await rig.restarted().service.snapshot(id, {})).folder.missing).toBe(false);
        await prompt(id, "x");
        expect((await rig.bytes(id)).subarray(0, bytes.length)).toEqual(bytes);
      });

      it("may be left for a copy in this one", async () => {
        const id = await homeless();
        const bytes = await rig.bytes(id);
        const copy = sessionId((await send(id, { type: "folder", choice: "fork" })).session ?? "");
        expect((await snapshot(copy)).folder).toEqual({ cwd: rig.workspace, missing: false });
        await prompt(copy, "x");
        expect(await rig.bytes(id)).toEqual(bytes);
      });
    });
  });
};
