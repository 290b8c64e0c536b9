import { createHash } from "node:crypto";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AnyEntry, leafAtOpen, type StoredSession } from "@espalier/core";
import { sessionStoreCase } from "@espalier/core/store-case";
import { assistant, chain, entry, user } from "@espalier/core/testing";
import { entryId, type SessionHeader, sessionId } from "@espalier/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { type Fault, FaultyFs } from "./faulty-fs.ts";
import { diskFs, type Fs, type OpenFile } from "./fs.ts";
import { JsonlStore } from "./jsonl-store.ts";

const made: string[] = [];
const opened: OpenFile[] = [];
/** The disk, with every descriptor closed after the test. */
const tracked: Fs = {
  ...diskFs,
  async open(path, mode) {
    const file = await diskFs.open(path, mode);
    opened.push(file);
    return file;
  },
};
const tempFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "espalier-store-"));
  made.push(folder);
  return folder;
};
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close().catch(() => undefined);
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

const foldersIn = (folder: string): { sessions: string; piSessions: string } => ({
  sessions: join(folder, "data/sessions"),
  piSessions: join(folder, "pi/sessions"),
});

sessionStoreCase("JSONL files", async () => {
  const store = new JsonlStore(foldersIn(await tempFolder()), tracked);
  const bytes = async (id: string): Promise<Uint8Array> => {
    const info = (await store.list()).find((each) => each.id === id);
    return info === undefined ? new Uint8Array() : readFile(info.path);
  };
  return { store, bytes };
});

const header = (id = "s1", cwd = "/work/space"): SessionHeader => ({
  type: "session",
  version: 3,
  id,
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd,
});
const first = (): AnyEntry[] => [user("u1", null, "hello")];
const hash = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
const code = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "nothing thrown",
    (error: { code?: unknown }) => error.code ?? error,
  );
const ids = (session: StoredSession): string[] => session.tree.rows.map(({ id }) => id);

const setUp = async (fault: Fault | null = null) => {
  const folder = await tempFolder();
  const fs = new FaultyFs(tracked);
  const store = new JsonlStore(foldersIn(folder), fs);
  const session = await store.create(header(), first());
  fs.set(fault);
  return { folder, fs, store, session, path: session.path };
};

describe("where sessions lie", () => {
  it("names folders and files as pi does", async () => {
    const { folder, session } = await setUp();
    expect(session.path).toBe(join(folder, "data/sessions/--work-space--/2026-01-02T03-04-05-678Z_s1.jsonl"));
    const [line, entryLine] = (await readFile(session.path, "utf8")).split("\n");
    expect(line).toBe(
      '{"type":"session","version":3,"id":"s1","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/work/space"}',
    );
    expect(entryLine).toMatch(
      /^\{"type":"message","id":"u1","parentId":null,"timestamp":"[^"]+","message":\{"role":"user",/,
    );
  });

  it("tells sessions apart whose folders share one name", async () => {
    const { store } = await setUp();
    await store.create(header("one", "/w/a-b/c"), first());
    await store.create(header("two", "/w/a/b-c"), first());
    const list = await store.list();
    const byId = (id: string) => list.find((info) => info.id === id);
    expect(dirname(byId("one")?.path ?? "")).toBe(dirname(byId("two")?.path ?? ""));
    expect([byId("one")?.cwd, byId("two")?.cwd]).toEqual(["/w/a-b/c", "/w/a/b-c"]);
  });

  it("lists pi's sessions, gives a second file with one id a name of its own, and never a path", async () => {
    const { folder, store, session } = await setUp();
    const pi = join(folder, "pi/sessions/--x--");
    await mkdir(pi, { recursive: true });
    await writeFile(join(pi, "a_s1.jsonl"), await readFile(session.path));
    await writeFile(
      join(pi, "b.jsonl"),
      (await readFile(session.path, "utf8")).replace('"id":"s1"', '"id":"../../etc"'),
    );
    await writeFile(join(pi, "no.jsonl"), "nothing here\n");
    await writeFile(join(pi, ".b.jsonl.staging-00ff"), "half");
    const list = await store.list();
    expect(list.map(({ id, root }) => [root, id.replace(/~[0-9a-f]{16}$/, "~hash")])).toEqual([
      ["espalier", "s1"],
      ["pi", "s1~hash"],
      ["pi", "session~hash"],
    ]);
    const copy = await store.open(sessionId(list[1]?.id ?? ""));
    expect(copy.root).toBe("pi");
    await copy.append([user("u2", "u1")]);
    expect(await readFile(join(pi, "a_s1.jsonl"), "utf8")).toContain('"u2"');
    expect(await readFile(session.path, "utf8")).not.toContain('"u2"');
  });

  it("opens by name without reading other files", async () => {
    const { folder, fs } = await setUp();
    const other = new JsonlStore(foldersIn(folder), fs);
    expect((await other.open(sessionId("s1"))).id).toBe("s1");
    expect(await code(other.open(sessionId("..%2f..%2fetc%2fpasswd")))).toBe("not_found");
  });

  it("refuses to open what is no session, leaving it as it is", async () => {
    const { folder, store } = await setUp();
    const path = join(folder, "pi/sessions/x.jsonl");
    await mkdir(dirname(path), { recursive: true });
    for (const text of ["", "garbage\n", '{"type":"user","uuid":"1"}\n']) {
      await writeFile(path, text);
      expect(await code(store.openFile(path))).toBe("not_a_session");
      expect(await readFile(path, "utf8")).toBe(text);
    }
  });

  it("removes what a crash left half made, once it is old", async () => {
    const { folder, store, session } = await setUp();
    const stale = join(dirname(session.path), ".x.jsonl.staging-00ff");
    await writeFile(stale, "half");
    await store.removeStale(Date.now());
    expect(await readdir(dirname(session.path))).toContain(".x.jsonl.staging-00ff");
    await store.removeStale(Date.now() + 2 * 60 * 60 * 1000);
    expect(await readdir(dirname(session.path))).toEqual([
      session.path.slice(dirname(session.path).length + 1),
    ]);
    expect(folder).toBeDefined();
  });
});

describe("appending", () => {
  it("leaves an unfinished last line alone at open, and ends it before the next line", async () => {
    const { store, session, path } = await setUp();
    await session.close();
    await appendFile(path, '{"type":"message","id":"half');
    const before = await hash(path);
    const opened = await store.open(sessionId("s1"));
    expect(opened.damage.map(({ line, kind }) => [line, kind])).toEqual([[3, "torn"]]);
    expect(await hash(path)).toBe(before);
    await opened.append([user("u2", "u1")]);
    await opened.append([user("u3", "u2")]);
    const lines = (await readFile(path, "utf8")).split("\n");
    expect(lines[2]).toBe('{"type":"message","id":"half');
    const again = await store.open(sessionId("s1"));
    expect(ids(again)).toEqual(["u1", "u2", "u3"]);
    expect(again.damage.map(({ line, kind }) => [line, kind])).toEqual([[3, "malformed"]]);
    expect(await again.read([entryId("u3")])).toEqual(await opened.read([entryId("u3")]));
  });

  it("takes a whole last line without its end as an entry", async () => {
    const { store, session, path } = await setUp();
    const bytes = await readFile(path);
    await session.close();
    await truncate(path, bytes.length - 1);
    const opened = await store.open(sessionId("s1"));
    expect(ids(opened)).toEqual(["u1"]);
    await opened.append([user("u2", "u1")]);
    expect((await store.open(sessionId("s1"))).damage).toEqual([]);
    expect((await readFile(path)).subarray(0, bytes.length).equals(bytes)).toBe(true);
  });

  it("keeps both branches and every old byte when a session is opened and continued", async () => {
    const { store } = await setUp();
    const base = chain(
      (p) => user("u", p),
      (p) => assistant("a", p, { text: "x" }),
    );
    const branch = (name: string): AnyEntry[] =>
      chain(
        () => user(`${name}1`, "a"),
        (p) => assistant(`${name}2`, p, { text: "y" }),
        (p) => user(`${name}3`, p),
      );
    const session = await store.create(header("s2"), [...base, ...branch("b"), ...branch("c")]);
    const before = await readFile(session.path);
    await session.append([user("next", "b3")]);
    await session.close();
    const again = await store.open(sessionId("s2"));
    expect(again.tree.children(entryId("a"))).toEqual(["b1", "c1"]);
    expect(leafAtOpen(again.tree)).toBe("next");
    expect((await readFile(session.path)).subarray(0, before.length).equals(before)).toBe(true);
  });

  it("takes in what another program appended before it writes, and tells", async () => {
    const { session, path } = await setUp();
    const told: string[][] = [];
    const stop = session.onForeign((entries) => told.push(entries.map(({ id }) => id)));
    await session.append([user("u2", "u1")]);
    await appendFile(
      path,
      `${JSON.stringify(user("x1", "u1"))}\n${JSON.stringify(user("u2", "x1"))}\nbroken\n`,
    );
    await session.append([user("u3", "u2")]);
    expect(told).toEqual([["x1", "u2~2"]]);
    expect(ids(session)).toEqual(["u1", "u2", "x1", "u2~2", "u3"]);
    expect(session.damage.map(({ line, kind }) => [line, kind])).toEqual([
      [5, "duplicate_id"],
      [6, "malformed"],
    ]);
    expect((await session.read([entryId("u3"), entryId("u2~2")])).map(({ id }) => id)).toEqual([
      "u3",
      "u2~2",
    ]);
    await appendFile(path, JSON.stringify(user("x2", "u3")));
    await session.refresh();
    await appendFile(path, "\n");
    stop();
    await session.append([user("u4", "x2")]);
    expect(told).toHaveLength(2);
    expect(ids(session).slice(-2)).toEqual(["x2", "u4"]);
    expect(await code(session.append([user("x2", "u4")]))).toBe("conflict");
  });

  it("takes in a line that was half written when it was looked at", async () => {
    const { session, path } = await setUp();
    const line = JSON.stringify(user("x1", "u1"));
    await appendFile(path, line.slice(0, 20));
    await session.refresh();
    expect(session.damage.map(({ kind }) => kind)).toEqual(["torn"]);
    await appendFile(path, `${line.slice(20)}\n`);
    await session.append([user("u2", "x1")]);
    expect(ids(session)).toEqual(["u1", "x1", "u2"]);
    expect(session.damage).toEqual([]);
  });

  it("stops when the file was deleted, replaced, cut or written anew", async () => {
    const attempts: Readonly<Record<string, (path: string) => Promise<void>>> = {
      deleted: (path) => rm(path),
      replaced: async (path) => {
        await writeFile(`${path}.new`, await readFile(path));
        await rename(`${path}.new`, path);
      },
      cut: (path) => truncate(path, 50),
      anew: async (path) =>
        writeFile(path, (await readFile(path, "utf8")).replace("hello", "hello, world") + "\n"),
    };
    for (const attempt of Object.values(attempts)) {
      const { session, path } = await setUp();
      await attempt(path);
      const after = await hash(path).catch(() => "gone");
      expect(await code(session.append([user("u2", "u1")]))).toBe("session_changed");
      expect(await hash(path).catch(() => "gone")).toBe(after);
      expect(ids(session)).toEqual(["u1"]);
    }
  });

  it("writes on after a short write", async () => {
    const { store, session } = await setUp({ at: 1, only: ["write"], kind: "EIO", short: 7 });
    await session.append([user("u2", "u1"), user("u3", "u2")]);
    expect(ids(await store.open(sessionId("s1")))).toEqual(["u1", "u2", "u3"]);
  });

  it.each([
    ["ENOSPC", "disk_full"],
    ["EIO", "io"],
    ["EACCES", "read_only"],
  ] as const)(
    "changes nothing when a write fails with %s, and goes on when it works again",
    async (kind, expected) => {
      const { fs, store, session, path } = await setUp({ at: 1, only: ["write"], kind });
      const before = await hash(path);
      expect(await code(session.append([user("u2", "u1")]))).toBe(expected);
      expect(await hash(path)).toBe(before);
      expect(ids(session)).toEqual(["u1"]);
      fs.set(null);
      await session.append([user("u2", "u1")]);
      expect(ids(await store.open(sessionId("s1")))).toEqual(["u1", "u2"]);
    },
  );

  it("loses nothing that was acknowledged when a write breaks off at any byte", async () => {
    const entries = [user("u2", "u1", "é\u2028😀"), user("u3", "u2")];
    const total = Buffer.byteLength(entries.map((each) => `${JSON.stringify(each)}\n`).join(""));
    for (let torn = 0; torn <= total; torn += 3) {
      const { fs, store, session, path } = await setUp({ at: 1, only: ["write"], kind: "ENOSPC", torn });
      const before = await readFile(path);
      expect(await code(session.append(entries))).toBe("disk_full");
      expect(ids(session)).toEqual(["u1"]);
      fs.set(null);
      await session.append([user("next", "u1")]);
      const again = await store.open(sessionId("s1"));
      expect(again.tree.has(entryId("next"))).toBe(true);
      while ((await again.fill()).length > 0);
      expect(again.tree.rows).toEqual(session.tree.rows);
      expect((await readFile(path)).subarray(0, before.length).equals(before)).toBe(true);
      await session.close();
      await again.close();
    }
  });

  it("does not trust a descriptor whose sync failed", async () => {
    const { fs, session } = await setUp();
    await session.append([user("u2", "u1")]);
    fs.set({ at: 1, only: ["datasync"], kind: "EIO" });
    expect(await code(session.sync())).toBe("io");
    const opens = (): number => fs.done.filter((operation) => operation === "open").length;
    const before = opens();
    await session.sync();
    expect(opens()).toBe(before + 1);
  });
});

describe("publishing", () => {
  it("gives a whole session or none when anything fails or stops on the way", async () => {
    const count = await (async () => {
      const { fs, store } = await setUp();
      const from = fs.done.length;
      await store.create(header("new"), first());
      return fs.done.slice(from).lastIndexOf("syncFolder") + 1;
    })();
    for (const kind of ["EIO", "crash"] as const) {
      for (let at = 1; at <= count; at += 1) {
        const { folder, store } = await setUp({ at, kind });
        await code(store.create(header("new"), first()));
        const fresh = new JsonlStore(foldersIn(folder), tracked);
        const list = await fresh.list();
        expect(list.every((info) => info.messageCount === 1)).toBe(true);
        expect(list.map(({ id }) => id)).toContain("s1");
        for (const info of list) expect((await fresh.open(info.id)).damage).toEqual([]);
      }
    }
  });

  it("makes a file in place where a file system has no second names, and never over another", async () => {
    const folder = await tempFolder();
    const noLinks = {
      ...diskFs,
      link: () => Promise.reject(Object.assign(new Error("no"), { code: "EPERM" })),
    };
    const store = new JsonlStore(foldersIn(folder), noLinks);
    const session = await store.create(header(), first());
    const before = await hash(session.path);
    expect(await code(store.create(header(), []))).toBe("conflict");
    expect(await hash(session.path)).toBe(before);
  });

  it("counts and names as a whole reading does, whatever order the keys have", async () => {
    const { store, session } = await setUp();
    await session.append([
      entry("n", "u1", { type: "session_info", name: "named" }),
      { ...assistant("a", "u1", { text: "}" }), extra: 1 } as AnyEntry,
    ]);
    await appendFile(
      session.path,
      '{"message":{"role":"user","content":"late"},"type":"message","id":"z","parentId":"a"}\n{"type":"message","id":"cut","parentId":null,"timestamp":"2031-01-01T00:00:00Z","message":{"role":"user"\n',
    );
    expect((await store.list())[0]).toMatchObject({ name: "named", messageCount: 3, firstMessage: "hello" });
  });
});
