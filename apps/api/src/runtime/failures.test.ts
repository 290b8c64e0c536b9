import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ProblemError, type StoredSession } from "@espalier/core";
import type { SessionId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { call, code, kindOf, probe, textOf } from "./service-probe.case.ts";
import { checkAll, makeRig, type Rig, until } from "./service-rig.case.ts";

let rig: Rig;
const { make, send, prompt, kinds, snapshot, leafOf } = probe(() => rig);
beforeEach(() => {
  rig = makeRig("jsonl");
});
afterEach(() => rig.dispose());

const fileOf = async (id: SessionId): Promise<string> => (await snapshot(id)).path;
const endOf = (id: SessionId) => rig.events(id).findLast((event) => event.type === "run");

describe("a disk that is full", () => {
  it("leaves nothing of a first message, which can be sent again", async () => {
    const id = await make();
    for (const only of ["write", "link", "mkdir", "datasync"] as const) {
      rig.fs.set({ at: 1, only: [only], kind: "ENOSPC", persistent: true });
      expect(await code(send(id, { type: "prompt", text: "hi" }))).toBe("disk_full");
      rig.fs.set(null);
      expect((await rig.service.list()).sessions).toEqual([]);
      expect(await snapshot(id)).toMatchObject({ stored: false, leafId: null, rows: [], runs: [] });
    }
    await prompt(id, "hi");
    expect(await kinds(id)).toContain("assistant");
    await checkAll(rig);
  });

  it("refuses a prompt, a label and a move with the file and the place as they were", async () => {
    const id = await make();
    await prompt(id, "hi");
    const [bytes, leaf] = [await rig.bytes(id), await leafOf(id)];
    const [first] = await rig.entries(id);
    rig.fs.set({ at: 1, only: ["write"], kind: "ENOSPC", persistent: true });
    expect(await code(send(id, { type: "prompt", text: "more" }))).toBe("disk_full");
    expect(await code(send(id, { type: "rename", name: "x" }))).toBe("disk_full");
    expect(await code(send(id, { type: "navigate", target: first?.id ?? null }))).toBe("disk_full");
    expect(await code(send(id, { type: "clone" }))).toBe("disk_full");
    rig.fs.set(null);
    expect(await rig.bytes(id)).toEqual(bytes);
    expect(await leafOf(id)).toBe(leaf);
    expect((await rig.restarted().service.snapshot(id, {})).leafId).toBe(leaf);
    await prompt(id, "more");
    await checkAll(rig);
  });

  /** A run that waits for the disk, a result of it in its hands; file and place as they were before. */
  const pausedRun = async (kind: "ENOSPC" | "EIO" | "EACCES") => {
    const id = await make();
    await prompt(id, "hi");
    rig.script({ calls: [call("a", "look", "wait"), call("b", "look", "fast")] }, { text: "the end" });
    await send(id, { type: "prompt", text: "go" });
    await until(async () => (await kinds(id)).includes("toolResult"));
    const [bytes, leaf] = [await rig.bytes(id), await leafOf(id)];
    rig.fs.set({ at: 1, only: ["write"], kind, persistent: true });
    rig.gates.open("wait");
    await until(() =>
      rig.events(id).some((event) => event.type === "run" && event.run.problem !== undefined),
    );
    return { id, bytes, leaf };
  };

  it.each([
    ["ENOSPC", "disk_full"],
    ["EIO", "io"],
    ["EACCES", "read_only"],
  ] as const)("has a run wait (%s), which goes on by itself and loses nothing", async (kind, code) => {
    const { id, bytes, leaf } = await pausedRun(kind);
    expect(endOf(id)).toMatchObject({ run: { status: "retrying", problem: { code } } });
    expect(rig.events(id).filter((event) => event.type === "notice")).toMatchObject([
      { level: "error", code, text: expect.stringContaining("goes on by itself") as string },
    ]);
    expect(await rig.bytes(id)).toEqual(bytes);
    expect(await leafOf(id)).toBe(leaf);
    rig.fs.set(null);
    await rig.idle(id);
    expect(endOf(id)).toMatchObject({ run: { status: "done" } });
    expect((endOf(id) as { run: object }).run).not.toHaveProperty("problem");
    expect((await kinds(id)).slice(-4)).toEqual(["assistant", "toolResult", "toolResult", "assistant"]);
    expect(rig.events(id).findLast((event) => event.type === "notice")).toMatchObject({ code: "disk_back" });
    await checkAll(rig);
  });

  it("can be stopped while it waits; what was cut off is answered when it goes on, and not run again", async () => {
    const { id, bytes, leaf } = await pausedRun("ENOSPC");
    await send(id, { type: "abort" });
    await rig.idle(id);
    rig.fs.set(null);
    expect(endOf(id)).toMatchObject({ run: { status: "failed", problem: { code: "disk_full" } } });
    expect(await rig.bytes(id)).toEqual(bytes);
    expect(await leafOf(id)).toBe(leaf);
    const model = rig.script({ text: "on" });
    await send(id, { type: "continue" });
    await rig.idle(id);
    const results = (await rig.entries(id)).filter((entry) => kindOf(entry) === "toolResult");
    expect(results).toMatchObject([
      { message: { toolCallId: "b", isError: false } },
      { message: { toolCallId: "a", isError: true } },
    ]);
    expect(textOf(results[1])).toContain("may have run");
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("may have run");
    await checkAll(rig);
  });

  it("keeps the text that was streamed in sight until it is written", async () => {
    const id = await make();
    await prompt(id, "hi");
    rig.script({ text: "half of the truth" });
    rig.fs.set({ at: 2, only: ["write"], kind: "ENOSPC", persistent: true });
    await send(id, { type: "prompt", text: "go" });
    await until(() =>
      rig.events(id).some((event) => event.type === "run" && event.run.problem !== undefined),
    );
    const { partials, keys } = await snapshot(id);
    expect(JSON.stringify(partials)).toContain("half of the truth");
    expect((await kinds(id)).at(-1)).toBe("user");
    rig.fs.set(null);
    await rig.idle(id);
    expect((await snapshot(id)).partials).toEqual({});
    expect((await snapshot(id)).keys).toHaveLength(keys.length + 1);
    await checkAll(rig);
  });

  it("has nothing twice when a write of several lines broke off in the middle", async () => {
    const id = await make();
    await prompt(id, "hi");
    // The model is cut: its answer and the results of its calls are one write.
    const calls = [call("a", "look", "x"), call("b", "look", "y")];
    const model = rig.script({ calls, stopReason: "length" }, { text: "the end" });
    const before = (await rig.entries(id)).length;
    const { length } = await rig.bytes(id);
    rig.fs.set({ at: 2, only: ["write"], kind: "ENOSPC", persistent: true, torn: 900 });
    await send(id, { type: "prompt", text: "go" });
    await until(() =>
      rig.events(id).some((event) => event.type === "run" && event.run.problem !== undefined),
    );
    expect((await rig.bytes(id)).length).toBeGreaterThan(length + 900);
    rig.fs.set(null);
    await rig.idle(id);
    expect(model.requests).toHaveLength(2);
    const added = (await rig.entries(id)).slice(before).map(kindOf);
    expect(added).toEqual(["user", "assistant", "toolResult", "toolResult", "assistant"]);
    expect(rig.events(id).some((event) => event.type === "notice" && event.code === "foreign_entries")).toBe(
      false,
    );
    expect((await snapshot(id)).rows).toHaveLength((await rig.entries(id)).length);
  });
});

describe("a crash after a tool ran and before its result was written", () => {
  it("is told as it is; going on answers the call, and runs nothing by itself", async () => {
    const id = await make();
    rig.script({ calls: [call("a", "act", "wait")] });
    await rig.process.local.allow(rig.workspace, "act");
    await send(id, { type: "prompt", text: "go" });
    await until(() => rig.gates.reached("wait"));
    const next = rig.restarted();
    const shot = await next.service.snapshot(id, {});
    const step = shot.items.find((item) => item.kind === "step");
    expect(step?.kind === "step" && step.groups.map(({ kind }) => kind)).toEqual(["missing_results"]);
    const bytes = await rig.bytes(id);
    next.script({ text: "on" });
    expect(await rig.bytes(id)).toEqual(bytes);
    await next.service.command(id, { type: "continue" });
    await next.idle(id);
    expect(next.gates.reached("wait")).toBe(false);
    const kindsNow = (await next.entries(id)).map(kindOf);
    expect(kindsNow.slice(-3)).toEqual(["assistant", "toolResult", "assistant"]);
    expect(textOf((await next.entries(id)).at(-2))).toContain("may have run");
    rig.gates.open("wait");
    await rig.idle(id);
  });
});

describe("an id that another program took", () => {
  it("is drawn again, once", async () => {
    const id = await make();
    await prompt(id, "hi");
    const stored = (await rig.service.runtime(id)).journal.stored as StoredSession;
    const append = stored.append.bind(stored);
    let refused = 0;
    stored.append = (entries) => {
      refused += 1;
      if (refused > 1) return append(entries);
      return Promise.reject(new ProblemError("conflict", "taken"));
    };
    await prompt(id, "more");
    expect((await kinds(id)).filter((kind) => kind === "user")).toHaveLength(2);
    stored.append = () => Promise.reject(new ProblemError("conflict", "taken"));
    expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("conflict");
  });
});

describe("another program at the same file", () => {
  const foreign = (parentId: string | null, id = "f0f0f0f0"): string =>
    `${JSON.stringify({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z", message: { role: "user", content: [{ type: "text", text: "theirs" }], timestamp: 1 } })}\n`;

  it("may append meanwhile: both survive, our place stays, and it is told", async () => {
    const id = await make();
    await prompt(id, "hi");
    const leaf = await leafOf(id);
    appendFileSync(await fileOf(id), foreign(leaf));
    const answer = await prompt(id, "ours");
    const entries = await rig.entries(id);
    expect(textOf(entries.find((entry) => entry.id === "f0f0f0f0"))).toContain("theirs");
    expect(entries.find((entry) => entry.id === answer.entryId)?.parentId).toBe(leaf);
    expect(rig.events(id).filter((event) => event.type === "notice")).toMatchObject([
      { code: "foreign_entries" },
    ]);
    appendFileSync(await fileOf(id), "{ torn");
    expect((await snapshot(id)).damage).toMatchObject([{ kind: "torn" }]);
    await prompt(id, "after");
    expect((await snapshot(id)).damage).toHaveLength(1);
    expect(kindOf((await rig.entries(id)).at(-1) as never)).toBe("assistant");
  });

  it("may append in the middle of a run, which goes on under its own tip", async () => {
    const id = await make();
    rig.script({ calls: [call("a", "look", "wait"), call("b", "look", "fast")] }, { text: "end" });
    const { entryId } = await send(id, { type: "prompt", text: "go" });
    await until(async () => (await kinds(id)).includes("toolResult"));
    const path = await fileOf(id);
    appendFileSync(path, foreign(await leafOf(id)));
    rig.gates.open("wait");
    await rig.idle(id);
    const shot = await snapshot(id);
    expect(shot.keys).toContain(entryId);
    expect(shot.keys).not.toContain("f0f0f0f0");
    const step = shot.items.find((item) => item.kind === "step");
    expect(step?.kind === "step" && step.groups.map((group) => group.kind)).toEqual(["complete", "complete"]);
    expect((await rig.entries(id)).map((entry) => String(entry.id))).toContain("f0f0f0f0");
    expect((await rig.restarted().service.snapshot(id, {})).keys).toEqual(shot.keys);
    await checkAll(rig);
  });

  it.each(["replaced", "cut"] as const)(
    "may leave the file %s: refused for writing, then read anew",
    async (how) => {
      const id = await make();
      await prompt(id, "one");
      await prompt(id, "two");
      const path = await fileOf(id);
      const lines = readFileSync(path, "utf8").trimEnd().split("\n");
      const less = `${lines.slice(0, 6).join("\n")}\n`;
      if (how === "replaced") {
        writeFileSync(`${path}.new`, less);
        renameSync(`${path}.new`, path);
      } else truncateSync(path, Buffer.byteLength(less));
      expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("session_changed");
      expect(readFileSync(path, "utf8")).toBe(less);
      const shot = await snapshot(id);
      expect(shot.rows).toHaveLength(5);
      expect(
        rig.events(id).some((event) => event.type === "notice" && event.code === "session_changed"),
      ).toBe(true);
      await prompt(id, "x");
      expect(readFileSync(path, "utf8").startsWith(less)).toBe(true);
      await checkAll(rig);
    },
  );

  it("may take the file away: what was read is still shown", async () => {
    const id = await make();
    await prompt(id, "one");
    const path = await fileOf(id);
    renameSync(path, `${path}.away`);
    const seen = await snapshot(id);
    expect(seen.items.length).toBeGreaterThan(3);
    // Said after the snapshot: whoever opens the session hears it.
    expect((await snapshot(id)).rev).toBeGreaterThan(seen.rev);
    expect(await code(send(id, { type: "prompt", text: "x" }))).toBe("session_changed");
    expect(existsSync(path)).toBe(false);
  });
});

describe("files beside the sessions that are broken", () => {
  it("settings that do not fit are said, not written over, and keep nobody from working", async () => {
    const id = await make();
    const path = join(rig.folder, "data/settings.json");
    writeFileSync(path, "{ broken");
    await prompt(id, "hi");
    expect((await snapshot(id)).rows.length).toBeGreaterThan(3);
    expect(await code(rig.process.settings.read())).toBe("bad_request");
    expect(await code(rig.process.settings.write({}))).toBe("bad_request");
    expect(readFileSync(path, "utf8")).toBe("{ broken");
  });

  it("what this machine remembers is set aside when it is broken, and asked for again", async () => {
    const id = await make();
    writeFileSync(join(rig.folder, "data/local.json"), "null null");
    await prompt(id, "hi");
    await rig.process.local.allow("/w", "act");
    expect(readFileSync(join(rig.folder, "data/local.json.damaged"), "utf8")).toBe("null null");
    expect(JSON.parse(readFileSync(join(rig.folder, "data/local.json"), "utf8"))).toEqual({
      allowed: { "/w": ["act"] },
    });
  });

  it.skipIf(process.getuid?.() === 0)("a folder that may not be written is named", async () => {
    const id = await make();
    chmodSync(join(rig.folder, "data"), 0o500);
    expect(await code(send(id, { type: "prompt", text: "hi" }))).toBe("read_only");
    chmodSync(join(rig.folder, "data"), 0o700);
  });
});

describe("a file that is brought in", () => {
  const text = (fields: object): string =>
    `${JSON.stringify({ type: "session", version: 3, id: "plain", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x", ...fields })}\n`;

  it.each([
    { id: "../../out" },
    { id: "a/b" },
    { timestamp: "../../../out" },
    { timestamp: "/tmp/out" },
    { cwd: "../../../out" },
    { cwd: "/../../out" },
    { id: "__proto__" },
  ])("lands in our folder whatever its header says: %j", async (fields) => {
    const { id } = await rig.service.import({ name: "../x", text: text(fields) });
    const sessions = join(rig.folder, "data/sessions");
    const path = (await rig.service.list()).sessions.find((one) => one.id === id)?.path ?? "";
    expect(dirname(dirname(path))).toBe(sessions);
    expect(readdirSync(rig.folder).sort()).toEqual(["data", "pi", "work"]);
  });
});

describe("new sessions", () => {
  it("have whole paths as their folders", async () => {
    mkdirSync(join(rig.workspace, "sub"));
    const { id } = await rig.service.create({ cwd: "sub" });
    expect((await snapshot(id)).header.cwd).toBe(join(rig.workspace, "sub"));
  });

  it("are refused, as all work is, when the server stops", async () => {
    const id = await make();
    await rig.service.close(10);
    expect(await code(send(id, { type: "prompt", text: "late" }))).toBe("conflict");
  });
});

describe("odd prompts", () => {
  it("lone surrogates and every control character come back as they went", async () => {
    const id = await make();
    const odd = "a\ud800b\u0000\u2028\u0085\r\n\t\u001b[31mred";
    const model = rig.script({ text: "ok" });
    await prompt(id, odd);
    const user = (await rig.entries(id)).find((entry) => kindOf(entry) === "user");
    expect(JSON.stringify(user)).toContain(JSON.stringify(odd.toWellFormed()));
    expect(JSON.stringify(model.requests[0]?.messages)).not.toContain("\\ud800");
    await checkAll(rig);
  });

  it("a megabyte of text is written whole and shown in part", async () => {
    const id = await make();
    const text = "word ".repeat(200_000);
    const { entryId } = await prompt(id, text);
    const item = (await snapshot(id)).items.find((one) => one.id === entryId);
    expect(JSON.stringify(item).length).toBeLessThan(50_000);
    expect(await rig.service.block(id, item?.id as never, 0)).toEqual({ kind: "text", text });
  });

  it("of two at once at one place one works and the other is told", async () => {
    const id = await make();
    rig.script({ text: "a", until: new Promise(() => undefined) });
    const both = await Promise.allSettled([
      send(id, { type: "prompt", text: "1" }),
      send(id, { type: "prompt", text: "2" }),
    ]);
    expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect((await kinds(id)).filter((kind) => kind === "user")).toHaveLength(1);
    await send(id, { type: "abort" });
    await rig.idle(id);
  });
});
