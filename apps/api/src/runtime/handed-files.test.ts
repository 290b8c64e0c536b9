import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildContext, type ContextMessage } from "@espalier/core";
import { entryId, type SessionHeader, sessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";
import { kindOf, probe } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, snapshot } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

/** One letter for each kind of message, as the recorded contexts have them. */
const LETTERS: Readonly<Record<ContextMessage["role"], string>> = {
  system: "S",
  user: "U",
  assistant: "A",
  toolResult: "T",
  bashExecution: "X",
  custom: "M",
  branchSummary: "B",
  compactionSummary: "C",
};

const data = dataFolder();
const folder = join(data ?? "", "sessions/pi");
const files = data === null ? [] : readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(data === null)("a session that pi wrote", () => {
  it.each(files)("%s is opened, moved about in, and goes on with every byte kept", async (name) => {
    mkdirSync(join(rig.folder, "pi/sessions/--x--"), { recursive: true });
    const path = join(rig.folder, "pi/sessions/--x--", name);
    copyFileSync(join(folder, name), path);
    const before = readFileSync(path, "utf8");
    const [info] = (await rig.service.list()).sessions;
    const id = sessionId(info?.id ?? "");
    const shot = await snapshot(id);
    expect(shot.items.length).toBeGreaterThan(0);
    for (const row of shot.rows.filter((_, at) => at % 40 === 0))
      await rig.service.snapshot(id, { at: row.id, limit: 20 });
    expect(readFileSync(path, "utf8")).toBe(before);
    if (shot.folder.missing) await send(id, { type: "folder", choice: "here" });
    const target = shot.rows[Math.floor(shot.rows.length / 2)]?.id ?? null;
    const moved = await send(id, { type: "navigate", target });
    const there = sessionId(moved.session ?? id);
    const answer = await prompt(there, "go on", { model: "fake/one" });
    const after = await rig.service.snapshot(there, {});
    expect(after.keys).toContain(answer.entryId);
    expect(readFileSync(path, "utf8").startsWith(before)).toBe(true);
    if (there !== id) expect(readFileSync(path, "utf8")).toBe(before);
    expect(kindOf((await rig.entries(there)).at(-1) as never)).toBe("assistant");
    const fork = await send(there, { type: "clone" });
    expect((await rig.service.snapshot(sessionId(fork.session ?? ""), {})).keys).toEqual(
      after.keys.filter((key) => after.rows.find((row) => row.id === key)?.type !== "label"),
    );
  });

  it.each(files.filter((name) => readdirSync(folder).includes(name.replace(".jsonl", ".context.json"))))(
    "%s says the same to a model at every end, in whatever order one goes there",
    async (name) => {
      interface Golden {
        leaves: { leafId: string; contextEntryIds: string[]; roleSequence: string }[];
      }
      const golden = JSON.parse(
        readFileSync(join(folder, name.replace(".jsonl", ".context.json")), "utf8"),
      ) as Golden;
      const text = readFileSync(join(folder, name), "utf8");
      const { id } = await rig.service.import({ name, text });
      const runtime = await rig.service.runtime(id);
      const check = async (leaf: Golden["leaves"][number]): Promise<void> => {
        const { leafId } = runtime.journal.state;
        const { messages } = buildContext(await runtime.path(leafId));
        expect(messages.map(({ message }) => LETTERS[message.role]).join("")).toBe(leaf.roleSequence);
        const said = new Set<string>(messages.map(({ entryId: one }) => one));
        expect(leaf.contextEntryIds.filter((one) => said.has(one))).toEqual([...said]);
      };
      const there = golden.leaves.filter(({ leafId }) => runtime.journal.state.tree.has(entryId(leafId)));
      expect(there.length).toBe(golden.leaves.length);
      for (const leaf of [...there, ...there.toReversed()]) {
        await send(id, { type: "navigate", target: entryId(leaf.leafId) });
        await check(leaf);
      }
      // Told of another branch, it is all there was before and the summary.
      const [first, last] = [there[0], there.at(-1)];
      if (first === undefined || last === undefined) return;
      await send(id, { type: "navigate", target: entryId(last.leafId) });
      const before = await rig.bytes(id);
      await send(id, { type: "navigate", target: entryId(first.leafId), summary: true });
      await rig.idle(id);
      const { messages } = buildContext(await runtime.path(runtime.journal.state.leafId));
      const told = first.leafId === last.leafId ? "" : "B";
      expect(messages.map(({ message }) => LETTERS[message.role]).join("")).toBe(first.roleSequence + told);
      expect((await rig.bytes(id)).subarray(0, before.length)).toEqual(before);
    },
  );

  it.each(files)("%s is brought in byte for byte", async (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    const { id } = await rig.service.import({ name, text });
    const header = JSON.parse(text.slice(0, text.indexOf("\n"))) as SessionHeader;
    if ((header.version ?? 1) < 3) return;
    expect(new TextDecoder().decode(await rig.bytes(id))).toBe(text);
  });
});

describe("a very long session", () => {
  it("of 200,000 entries in one chain is opened and goes on", { timeout: 120_000 }, async () => {
    mkdirSync(join(rig.folder, "data/sessions/--x--"), { recursive: true });
    const stamp = "2026-01-01T00:00:00.000Z";
    const lines = [
      JSON.stringify({ type: "session", version: 3, id: "long", timestamp: stamp, cwd: rig.workspace }),
    ];
    for (let at = 0; at < 200_000; at++) {
      const parentId = at === 0 ? null : `e${at - 1}`;
      const message = { role: "user", content: `words ${at}`, timestamp: at };
      lines.push(JSON.stringify({ type: "message", id: `e${at}`, parentId, timestamp: stamp, message }));
    }
    writeFileSync(join(rig.folder, "data/sessions/--x--/2026_long.jsonl"), `${lines.join("\n")}\n`);
    const id = sessionId("long");
    const shot = await snapshot(id);
    expect(shot.keys).toHaveLength(200_000);
    expect(shot.items).toHaveLength(60);
    const middle = await rig.service.snapshot(id, { at: entryId("e1000"), limit: 10 });
    expect(middle.items.map((item) => item.id)).toContain("e1000");
    await prompt(id, "on");
    expect((await snapshot(id)).leafId).not.toBe(shot.leafId);
  });
});

describe("sessions with one id in both folders", () => {
  it("are two: ours keeps the id, each is worked on where it lies", async () => {
    const id = await make();
    await prompt(id, "ours");
    const [info] = (await rig.service.list()).sessions;
    const theirs = join(rig.folder, "pi/sessions/--x--/2026_same.jsonl");
    mkdirSync(join(rig.folder, "pi/sessions/--x--"), { recursive: true });
    copyFileSync(info?.path ?? "", theirs);
    const before = await rig.bytes(id);
    const list = (await rig.service.list()).sessions;
    expect(list).toHaveLength(2);
    const other = sessionId(list.find(({ path }) => path === theirs)?.id ?? "");
    expect(other).toMatch(new RegExp(`^${id}~[0-9a-f]{16}$`));
    await prompt(other, "theirs");
    expect(await rig.bytes(id)).toEqual(before);
    expect(readFileSync(theirs, "utf8")).toContain("theirs");
    await checkAll(rig);
  });
});
