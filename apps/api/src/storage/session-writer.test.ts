import { appendFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { user } from "@espalier/core/testing";
import type { SessionHeader } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultyFs } from "./faulty-fs.ts";
import { diskFs } from "./fs.ts";
import { JsonlSession } from "./jsonl-session.ts";
import { JsonlStore } from "./jsonl-store.ts";
import type { Later } from "./later.ts";
import { placeOfFile } from "./session-paths.ts";
import { watchFile } from "./watch-file.ts";

/** A clock that only goes when it is told to. */
class HandClock {
  now = 0;
  #due: { at: number; work: () => void }[] = [];

  readonly later: Later = (ms, work) => {
    const one = { at: this.now + ms, work };
    this.#due.push(one);
    return () => {
      this.#due = this.#due.filter((other) => other !== one);
    };
  };

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.now = next.at;
      next.work();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    this.now = end;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const header: SessionHeader = {
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd: "/work",
};
let folder: string;
let clock: HandClock;
let fs: FaultyFs;
let session: JsonlSession;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "espalier-writer-"));
  clock = new HandClock();
  fs = new FaultyFs(diskFs);
  const store = new JsonlStore({ sessions: folder, piSessions: join(folder, "pi") });
  const made = await store.create(header, [user("u1", null)]);
  await made.close();
  session = await JsonlSession.open(placeOfFile(made.path), fs, null, clock.later);
});
afterEach(async () => {
  fs.set(null);
  await session.close();
  await rm(folder, { recursive: true, force: true });
});

const syncs = (): number => fs.done.filter((operation) => operation === "datasync").length;
const held = async (): Promise<number> => {
  const links = await readdir("/proc/self/fd");
  const { readlinkSync } = await import("node:fs");
  return links.filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(session.path);
    } catch {
      return false;
    }
  }).length;
};

describe("what was written", () => {
  it("is on the disk 200 ms after the first byte at the latest, however many follow", async () => {
    await session.append([user("u2", "u1")]);
    await clock.pass(150);
    await session.append([user("u3", "u2")]);
    expect(syncs()).toBe(0);
    await clock.pass(50);
    expect(syncs()).toBe(1);
    await clock.pass(5000);
    expect(syncs()).toBe(1);
  });

  it("is made safe at once when somebody asks, and then not again", async () => {
    await session.append([user("u2", "u1")]);
    await session.sync();
    await session.sync();
    await clock.pass(1000);
    expect(syncs()).toBe(1);
  });

  it("is one write a commit", async () => {
    await session.append([user("u2", "u1"), user("u3", "u2"), user("u4", "u3")]);
    expect(fs.done.filter((operation) => operation === "write")).toHaveLength(1);
  });

  it("says that a sync nobody waited for has failed, to the next who asks", async () => {
    await session.append([user("u2", "u1")]);
    fs.set({ at: 1, only: ["datasync"], kind: "EIO" });
    await clock.pass(200);
    fs.set(null);
    await expect(session.sync()).rejects.toMatchObject({ code: "io" });
    await session.sync();
    expect((await readFile(session.path, "utf8")).split("\n")).toHaveLength(4);
  });

  it("is made safe when the session is closed", async () => {
    await session.append([user("u2", "u1")]);
    await session.close();
    expect(syncs()).toBe(1);
  });
});

describe.skipIf(process.platform !== "linux")("descriptors", () => {
  it("are given back by a session that nobody uses, and opened again on demand", async () => {
    await session.append([user("u2", "u1")]);
    expect(await held()).toBe(2);
    await clock.pass(200_000);
    expect(await held()).toBe(0);
    expect((await session.read(session.tree.rows.map(({ id }) => id))).map(({ id }) => id)).toEqual([
      "u1",
      "u2",
    ]);
    await session.append([user("u3", "u2")]);
    expect(await held()).toBe(2);
  });

  it("are held while the session is watched", async () => {
    const unwatch = session.watch(() => undefined);
    await clock.pass(300_000);
    expect(await held()).toBe(1);
    unwatch();
    await clock.pass(300_000);
    expect(await held()).toBe(0);
  });

  it("are not opened again on another file of the same name", async () => {
    await clock.pass(200_000);
    await writeFile(`${session.path}.new`, await readFile(session.path));
    await rename(`${session.path}.new`, session.path);
    await expect(session.append([user("u2", "u1")])).rejects.toMatchObject({ code: "session_changed" });
    await expect(session.read([session.tree.rows[0]?.id as never])).rejects.toMatchObject({
      code: "session_changed",
    });
  });
});

describe("watching a file", () => {
  it("tells once of a burst, also where the system says nothing", async () => {
    const deaf = { ...diskFs, watch: () => () => undefined };
    let told = 0;
    const unwatch = watchFile(session.path, deaf, () => void (told += 1), clock.later);
    await clock.pass(10_000);
    expect(told).toBe(0);
    await appendFile(session.path, "x\n");
    await appendFile(session.path, "y\n");
    await clock.pass(2100);
    expect(told).toBe(1);
    await rm(session.path);
    await clock.pass(2100);
    expect(told).toBe(2);
    unwatch();
    await clock.pass(10_000);
    expect(told).toBe(2);
  });
});
