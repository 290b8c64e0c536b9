import { createHash } from "node:crypto";
import {
  type AnyEntry,
  copyForWriting,
  forkPath,
  leafAtOpen,
  makeEntry,
  parseJsonl,
  repairJsonl,
  type StoredSession,
  serializeEntry,
  serializeHeader,
} from "@espalier/core";
import { assistant, chain, compaction, result, user } from "@espalier/core/testing";
import { entryId, type SessionHeader, sessionId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { CrashFs } from "./crash-fs.ts";
import { type Fault, FaultyFs, type FsOperation } from "./faulty-fs.ts";
import type { Fs } from "./fs.ts";
import { JsonlStore } from "./jsonl-store.ts";
import { publishFile } from "./publish-file.ts";

const FOLDERS = { sessions: "/data/sessions", piSessions: "/pi/sessions" };
const SOURCE = "s1";
const header = (id: string): SessionHeader => ({
  type: "session",
  version: 3,
  id,
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd: "/work",
});
const base = (): AnyEntry[] =>
  chain(
    (p) => user("u1", p, "hello"),
    (p) => assistant("a1", p, { text: "x", calls: ["t1"] }),
    (p) => result("r1", p, "t1"),
  );
const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const storeOn = (fs: Fs): JsonlStore => new JsonlStore(FOLDERS, fs);

/** What is being done when the disk fails. `session` is the source, open. Says what it knows to be safe as it goes on. */
interface Scenario {
  readonly name: string;
  /** Whether its bytes go to the end of the source rather than into a new file. */
  readonly appends: boolean;
  readonly act: (
    on: { store: JsonlStore; session: StoredSession; fs: Fs },
    safe: (id: string) => void,
  ) => Promise<void>;
}

const append = async (
  session: StoredSession,
  entries: readonly AnyEntry[],
  safe: (id: string) => void,
): Promise<void> => {
  await session.append(entries);
  await session.sync();
  for (const { id } of entries) safe(id);
};

const everything = (session: StoredSession): Promise<AnyEntry[]> =>
  session.read(session.tree.rows.map(({ id }) => id));

const stamp = { id: "copy", time: 0, parentSession: "/data/x.jsonl" };
const SCENARIOS: readonly Scenario[] = [
  {
    name: "an entry is appended, its text of many bytes a character",
    appends: true,
    act: ({ session }, safe) => append(session, [user("u2", "r1", "é\u2028😀")], safe),
  },
  {
    name: "entries are appended one after another before they are made safe",
    appends: true,
    act: async ({ session }, safe) => {
      await session.append([user("u2", "r1", "two")]);
      await session.append([user("u3", "u2", "drei 😀")]);
      await append(session, [user("u4", "u3")], safe);
      safe("u2");
      safe("u3");
    },
  },
  {
    name: "several entries are appended in one write",
    appends: true,
    act: ({ session }, safe) =>
      append(
        session,
        [assistant("a2", "r1", { text: "y", calls: ["t2"] }), result("r2", "a2", "t2"), user("u2", "r2")],
        safe,
      ),
  },
  {
    name: "a compaction is committed",
    appends: true,
    act: ({ session }, safe) => append(session, [compaction("c1", "r1", "u1")], safe),
  },
  {
    name: "the place is moved",
    appends: true,
    act: ({ session }, safe) => {
      const draft = { type: "custom", customType: "espalier.position", data: { v: 1, at: "u1" } } as const;
      return append(
        session,
        [makeEntry(draft, { id: entryId("p1"), parentId: entryId("u1"), time: 0 })],
        safe,
      );
    },
  },
  {
    name: "a path is forked",
    appends: false,
    act: async ({ store, session }) => {
      const { header, entries } = forkPath(session.header, await everything(session), [], stamp);
      await store.create(header, entries);
    },
  },
  {
    name: "a session is copied into another folder",
    appends: false,
    act: async ({ store, session }) => {
      const moved = { ...stamp, cwd: "/elsewhere" };
      const copy = copyForWriting(session.header, await everything(session), moved);
      await store.create(copy.header, copy.entries);
    },
  },
  {
    name: "a file is imported",
    appends: false,
    act: async ({ store }) => {
      const entries = base().map(serializeEntry).join("");
      await store.createFrom(header("copy"), serializeHeader(header("copy")) + entries);
    },
  },
  {
    name: "a repaired copy is written",
    appends: false,
    act: async ({ session, fs }) => {
      const text = serializeHeader(session.header) + (await everything(session)).map(serializeEntry).join("");
      const repaired = repairJsonl(Buffer.from(`${text}{ broken\n`));
      await publishFile(fs, "/data/sessions/copy.jsonl", Buffer.from(repaired?.text ?? ""));
    },
  },
];

/** A disk with the source on it, all of it safe, and the source opened through `wrap`. */
const setUp = async (wrap: (disk: CrashFs) => Fs = (disk) => disk) => {
  const disk = new CrashFs();
  const made = await storeOn(disk).create(header(SOURCE), base());
  await made.close();
  disk.settle();
  const fs = wrap(disk);
  const store = storeOn(fs);
  const session = await store.openFile(made.path);
  disk.count = 0;
  return { disk, fs, store, session, path: made.path, before: disk.bytes(made.path) };
};

/** Everything that must be so on any disk that is found after a crash. */
const checkImage = async (
  image: CrashFs,
  {
    path,
    before,
    safe,
    appends,
  }: { path: string; before: Uint8Array; safe: ReadonlySet<string>; appends: boolean },
): Promise<void> => {
  const found = image.bytes(path);
  expect(hash(found.subarray(0, before.length))).toBe(hash(before));
  if (!appends) expect(found.length).toBe(before.length);
  const store = storeOn(image);
  const session = await store.openFile(path);
  const lines = session.damage.filter(({ kind }) => kind === "malformed" || kind === "torn");
  expect(lines.length).toBeLessThanOrEqual(1);
  for (const id of safe) expect(session.tree.has(entryId(id))).toBe(true);
  for (const info of await store.list()) {
    // A new session is whole or not there.
    if (info.path !== path) expect(parseJsonl(image.bytes(info.path))?.rows.length).toBeGreaterThanOrEqual(3);
    if (info.path !== path) expect(parseJsonl(image.bytes(info.path))?.damage).toEqual([]);
  }
  const leaf = leafAtOpen(session.tree);
  await session.append([user("next", leaf)]);
  await session.sync();
  const again = await storeOn(image).openFile(path);
  expect(again.tree.rows).toEqual(session.tree.rows);
  expect(again.tree.get(entryId("next"))?.parentId).toBe(leaf);
  expect(again.damage.length).toBe(session.damage.length);
  expect(hash(image.bytes(path).subarray(0, found.length))).toBe(hash(found));
  await session.close();
  await again.close();
};

describe.each(SCENARIOS)("when the machine stops while $name", ({ act, appends }) => {
  it("at any operation, with what was not safe lost, torn, or replaced by zeros, nothing that was safe is lost", async () => {
    for (let at = 1, done = false; !done; at += 1) {
      const { disk, path, before, ...on } = await setUp();
      const safe = new Set<string>(["u1", "a1", "r1"]);
      disk.crashAt = at;
      done = await act(on, (id) => safe.add(id)).then(
        () => disk.count < at,
        () => false,
      );
      for (const { name, fs } of disk.images(appends)) {
        await checkImage(fs, { path, before, safe, appends }).catch((cause: unknown) => {
          throw new Error(`operation ${at}, ${name}`, { cause });
        });
      }
      await on.session.close();
      expect(at).toBeLessThan(100);
    }
  });
});

const KINDS = ["ENOSPC", "EIO", "EACCES"] as const;

describe.each(SCENARIOS)("when the disk refuses while $name", ({ act, appends }) => {
  it.each(
    KINDS.flatMap(
      (kind) =>
        [
          [kind, false],
          [kind, true],
        ] as const,
    ),
  )(
    "with %s at the n-th operation for all n (from there on: %s), nothing wrong is acknowledged",
    async (kind, persistent) => {
      for (let at = 1, hit = true; hit; at += 1) {
        let faulty: FaultyFs | null = null;
        const { disk, path, before, ...on } = await setUp((inner) => {
          faulty = new FaultyFs(inner);
          return faulty;
        });
        const fs = faulty as unknown as FaultyFs;
        const known = on.session.tree.rows.length;
        const leaf = leafAtOpen(on.session.tree);
        fs.set({ at, kind, persistent });
        const from = fs.done.length;
        const failed = await act(on, () => undefined).then(
          () => false,
          () => true,
        );
        hit = fs.done.length - from >= at;
        fs.set(null);
        const now = disk.bytes(path);
        if (!appends) expect(hash(now)).toBe(hash(before));
        // What failed at its write left file and memory as they were; what failed at its sync is in both.
        if (failed && on.session.tree.rows.length === known) {
          expect(hash(now)).toBe(hash(before));
          expect(leafAtOpen(on.session.tree)).toBe(leaf);
        }
        const fresh = await storeOn(disk).openFile(path);
        expect(fresh.tree.rows).toEqual(on.session.tree.rows);
        expect(fresh.damage).toEqual([]);
        // Tried again on a disk that works, it works; a new file that could not be taken back is whole, and in the way.
        const there = (await storeOn(disk).list()).length === 2;
        const inTheWay = there && persistent;
        if (failed && on.session.tree.rows.length === known && !inTheWay) await act(on, () => undefined);
        await on.session.sync().catch(() => undefined);
        await on.session.sync();
        expect((await storeOn(disk).list()).length).toBe(appends ? 1 : 2);
        await on.session.close();
        await fresh.close();
        expect(at).toBeLessThan(100);
      }
    },
  );
});

describe("a write that breaks off", () => {
  const entries = [user("u2", "r1", "é\u2028😀"), user("u3", "u2")];
  const length = Buffer.byteLength(entries.map(serializeEntry).join(""));

  it("at any byte leaves nothing in memory, and the next line is whole (a last line torn, a character cut)", async () => {
    for (let torn = 0; torn < length; torn += 1) {
      let faulty: FaultyFs | null = null;
      const { disk, path, before, session } = await setUp((inner) => {
        faulty = new FaultyFs(inner);
        return faulty;
      });
      (faulty as unknown as FaultyFs).set({ at: 1, only: ["write"], kind: "ENOSPC", torn });
      const leaf = leafAtOpen(session.tree);
      await expect(session.append(entries)).rejects.toMatchObject({ code: "disk_full" });
      expect(session.tree.rows).toHaveLength(3);
      expect(leafAtOpen(session.tree)).toBe(leaf);
      await session.append([user("next", "r1")]);
      const fresh = await storeOn(disk).openFile(path);
      expect(fresh.tree.rows).toEqual(session.tree.rows);
      expect(fresh.damage.map(({ line, kind }) => [line, kind])).toEqual(
        session.damage.map(({ line, kind }) => [line, kind]),
      );
      expect(fresh.damage.length).toBeLessThanOrEqual(1);
      expect(hash(disk.bytes(path).subarray(0, before.length))).toBe(hash(before));
      await session.close();
      await fresh.close();
    }
  });

  it("is written on when the system took a part of it", async () => {
    for (const short of [1, 7, length - 1]) {
      let faulty: FaultyFs | null = null;
      const { disk, path, session } = await setUp((inner) => {
        faulty = new FaultyFs(inner);
        return faulty;
      });
      (faulty as unknown as FaultyFs).set({ at: 1, only: ["write"], kind: "EIO", short });
      await session.append(entries);
      const fresh = await storeOn(disk).openFile(path);
      expect(fresh.damage).toEqual([]);
      expect(fresh.tree.rows).toEqual(session.tree.rows);
      await session.close();
      await fresh.close();
    }
  });
});

describe("a sync that failed", () => {
  const failing = async (fault: Fault = { at: 1, only: ["datasync"], kind: "EIO" }) => {
    let faulty: FaultyFs | null = null;
    const all = await setUp((inner) => {
      faulty = new FaultyFs(inner);
      return faulty;
    });
    const fs = faulty as unknown as FaultyFs;
    await all.session.append([user("u2", "r1")]);
    fs.set(fault);
    await expect(all.session.sync()).rejects.toMatchObject({ code: "io" });
    fs.set(null);
    return { ...all, faulty: fs };
  };
  const since = (fs: FaultyFs, from: number): FsOperation[] => fs.done.slice(from);

  it("is never simply tried again: the descriptor is dropped, the file opened anew and compared first", async () => {
    const { faulty, session } = await failing();
    const from = faulty.done.length;
    await session.sync();
    expect(since(faulty, from)).toEqual(["open", "read", "datasync"]);
    await session.close();
  });

  it("stops writing for good when the file lost what was written", async () => {
    const { disk, session, path, before } = await failing();
    const [image] = [...disk.images(false)];
    expect(hash(image?.fs.bytes(path) ?? new Uint8Array())).toBe(hash(before));
    const swapped = disk.loseUnsynced(path);
    expect(swapped).toBe(true);
    await expect(session.append([user("u3", "u2")])).rejects.toMatchObject({ code: "session_changed" });
    await expect(session.sync()).rejects.toMatchObject({ code: "session_changed" });
    expect(hash(disk.bytes(path))).toBe(hash(before));
    await session.close();
  });
});

describe("names", () => {
  it("a target that is there is refused, and nothing is written over it", async () => {
    const { disk, store, path, before } = await setUp();
    await expect(store.create(header(SOURCE), [user("other", null)])).rejects.toMatchObject({
      code: "conflict",
    });
    expect(hash(disk.bytes(path))).toBe(hash(before));
    expect((await disk.readdir("/data/sessions/--work--")).map(({ name }) => name)).toHaveLength(1);
  });
});

describe("clocks and counting", () => {
  it("a clock that steps backwards changes no order: it is the file's", async () => {
    const { disk, session, path } = await setUp();
    await session.append([{ ...user("late", "r1"), timestamp: "2001-01-01T00:00:00.000Z" }]);
    const fresh = await storeOn(disk).openFile(path);
    expect(fresh.tree.rows.map(({ id }) => id)).toEqual(["u1", "a1", "r1", "late"]);
    expect(leafAtOpen(fresh.tree)).toBe("late");
    expect(leafAtOpen((await storeOn(disk).open(sessionId(SOURCE))).tree)).toBe("late");
  });
});
