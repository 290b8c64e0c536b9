import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, kinds, snapshot, leafOf } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

const line = (id: string, parentId: string | null, text = "theirs"): string => {
  const message = { role: "user", content: [{ type: "text", text }], timestamp: 1 };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message })}\n`;
};
const notices = (id: SessionId, wanted: string) =>
  rig.events(id).filter((event) => event.type === "notice" && event.code === wanted);
const damage = (id: SessionId) => rig.events(id).findLast((event) => event.type === "damage");

/** A session with one turn, followed by a page. */
const followed = async (): Promise<{ id: SessionId; path: string }> => {
  const id = await make();
  await prompt(id, "hi");
  rig.log.follow("page", new Set([id]));
  return { id, path: (await snapshot(id)).path };
};

describe("a session that is followed while another program writes to it", () => {
  it("shows a burst live, told once with its count, with the place kept", async () => {
    const { id, path } = await followed();
    const leaf = await leafOf(id);
    for (let at = 0; at < 12; at += 1) appendFileSync(path, line(`f${at}`, at === 0 ? leaf : `f${at - 1}`));
    await until(() => rig.events(id).some((event) => event.type === "entries" && event.source === "foreign"));
    expect(notices(id, "foreign_entries")).toMatchObject([
      { level: "info", text: "12 new entries written by another program." },
    ]);
    expect(await leafOf(id)).toBe(leaf);
    expect((await snapshot(id)).rows.map((row) => String(row.id))).toContain("f11");
  });

  it("waits for a line that is half written, touches it not, and forgets the report when it is whole", async () => {
    const { id, path } = await followed();
    const whole = line("half", await leafOf(id));
    appendFileSync(path, whole.slice(0, 50));
    await until(() => damage(id)?.damage[0]?.kind === "torn");
    const before = readFileSync(path);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(readFileSync(path).equals(before)).toBe(true);
    appendFileSync(path, whole.slice(50));
    await until(() => damage(id)?.damage.length === 0);
    await until(() => notices(id, "foreign_entries").length === 1);
    expect((await snapshot(id)).rows.map((row) => String(row.id))).toContain("half");
  });

  it("lets a line that is being written end before ours is written behind it", async () => {
    const { id, path } = await followed();
    const whole = line("half", await leafOf(id), "late half");
    appendFileSync(path, whole.slice(0, 50));
    await until(() => damage(id)?.damage[0]?.kind === "torn");
    const named = send(id, { type: "rename", name: "ours" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    appendFileSync(path, whole.slice(50));
    await named;
    const shot = await snapshot(id);
    expect(shot.rows.map((row) => String(row.id))).toContain("half");
    expect(shot.damage).toEqual([]);
    await checkAll(rig);
  });

  it("writes behind a line that was left half written", async () => {
    const { id, path } = await followed();
    appendFileSync(path, line("half", await leafOf(id)).slice(0, 50));
    await until(() => damage(id)?.damage[0]?.kind === "torn");
    await send(id, { type: "rename", name: "ours" });
    expect((await snapshot(id)).damage).toMatchObject([{ kind: "malformed" }]);
    expect((await rig.service.list()).sessions[0]?.name).toBe("ours");
  });

  it("is not watched any more when nobody follows it, and is again while a run works on it", async () => {
    const { id, path } = await followed();
    rig.log.follow("page", undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    appendFileSync(path, line("quiet", null));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(notices(id, "foreign_entries")).toEqual([]);
    rig.script({ calls: [call("a", "look", "wait")] }, { text: "end" });
    await send(id, { type: "prompt", text: "go" });
    await until(() => rig.gates.reached("wait"));
    appendFileSync(path, line("seen", "quiet"));
    await until(() => notices(id, "foreign_entries").length === 2);
    rig.gates.open("wait");
    await rig.idle(id);
    await checkAll(rig);
  });
});

const takeAway: Readonly<Record<string, (path: string) => void>> = {
  replaced: (path) => {
    writeFileSync(`${path}.new`, readFileSync(path, "utf8").split("\n").slice(0, 2).join("\n"));
    renameSync(`${path}.new`, path);
  },
  deleted: (path) => rmSync(path),
  cut: (path) => truncateSync(path, 500),
};

describe.each(Object.entries(takeAway))("a file that is %s under us", (how, act) => {
  it("is told at once to who follows, and everything that can be read is saved as a new session", async () => {
    const { id, path } = await followed();
    await prompt(id, "the second thing that was said");
    const { rows } = await snapshot(id);
    act(path);
    await until(() => notices(id, "session_changed").length > 0);
    expect(notices(id, "session_changed")[0]).toMatchObject({ level: "error" });
    const left = how === "deleted" ? null : readFileSync(path);
    expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("session_changed");
    const { session, note } = await send(id, { type: "save_copy" });
    const copy = await snapshot(session as SessionId);
    expect(copy.header.parentSession).toBe(path);
    expect(copy.damage).toEqual([]);
    const entries = await rig.entries(session as SessionId);
    // What was read before is known by heart; the rest of a cut file is gone, and counted.
    if (note === undefined) expect(copy.rows.map((row) => row.id)).toEqual(rows.map((row) => row.id));
    else expect(note).toMatch(new RegExp(`^${rows.length - copy.rows.length} of ${rows.length} entries`));
    if (how !== "cut") expect(entries.some((entry) => textOf(entry).includes("the second thing"))).toBe(true);
    if (left !== null) expect(readFileSync(path).equals(left)).toBe(true);
    await prompt(session as SessionId, "and on");
    await checkAll(rig);
  });

  it("ends a run with what it cannot write said, and nothing written into the wrong file", async () => {
    const { id, path } = await followed();
    rig.script({ calls: [call("a", "look", "wait")] });
    await send(id, { type: "prompt", text: "go" });
    await until(() => rig.gates.reached("wait"));
    act(path);
    const left = how === "deleted" ? null : readFileSync(path);
    rig.gates.open("wait");
    await rig.idle(id);
    expect(rig.events(id).findLast((event) => event.type === "run")).toMatchObject({
      run: { status: "failed", problem: { code: "session_changed" } },
    });
    if (left !== null) expect(readFileSync(path).equals(left)).toBe(true);
  });
});

describe("a file that is replaced and opened anew", () => {
  it("can still be saved as it was before", async () => {
    const { id, path } = await followed();
    await prompt(id, "only before");
    takeAway.replaced?.(path);
    expect((await snapshot(id)).rows).toHaveLength(1);
    const { session } = await send(id, { type: "save_copy" });
    expect((await kinds(session as SessionId)).filter((kind) => kind === "user")).toHaveLength(2);
  });
});

describe("a fork into another folder", () => {
  it("is refused for a folder that is not there, and works there when it is", async () => {
    const { id } = await followed();
    const [row] = (await snapshot(id)).rows.slice(-1);
    const fork = (cwd: string) => send(id, { type: "fork", entryId: row?.id as never, cwd });
    expect(await code(fork("/nowhere/at/all"))).toBe("folder_missing");
    const { session } = await fork(join(rig.folder, "pi"));
    expect((await snapshot(session as SessionId)).header.cwd).toBe(join(rig.folder, "pi"));
  });
});
