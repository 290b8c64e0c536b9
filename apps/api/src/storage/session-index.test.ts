import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SessionInfo } from "@espalier/protocol";
import fc from "fast-check";
import type Libsql from "libsql";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import type { SessionIndex } from "./session-index.ts";
import {
  answer,
  byPath,
  dbPath,
  fileOf,
  folder,
  header,
  make,
  result,
  stamp,
  text,
  user,
  words,
  write,
} from "./session-index-rig.case.ts";

const Database = createRequire(import.meta.url)("libsql") as typeof Libsql;

describe("what the index knows of a session", () => {
  it("is its list entry with totals, and follows every append", async () => {
    const path = write("a", header("s1"), user("u1", null, "plant a pear"), answer("a1", "u1", text("done")));
    const { index } = make();
    expect(await index.list()).toMatchObject([
      { id: "s1", cwd: "/w", firstMessage: "plant a pear", messageCount: 2 },
    ]);
    await index.settled();
    const totals = { entries: 2, branches: 1, tokens: 10, cost: 0.25, damaged: 0, model: "p/m" };
    expect((await index.list())[0]?.totals).toEqual(totals);
    appendFileSync(path, user("u2", "u1", "or an apple", 9));
    expect((await index.list())[0]).toMatchObject({
      messageCount: 3,
      modified: stamp(9),
      totals: { entries: 3, branches: 2 },
    });
    appendFileSync(path, "{not json}\n");
    expect((await index.list())[0]?.totals).toMatchObject({ entries: 3, damaged: 1 });
  });

  it("outlives the process, and only the tail of a grown file is read", async () => {
    const path = write(
      "a",
      header("s1"),
      ...Array.from({ length: 3000 }, (_, at) =>
        user(`u${at}`, at === 0 ? null : `u${at - 1}`, "pears ".repeat(20)),
      ),
    );
    const first = make();
    await first.index.settled();
    await first.index.close();
    appendFileSync(path, user("last", "u2999", "quince"));
    const { index, fs } = make();
    await index.settled();
    expect(await words(index, "quince")).toEqual(["last"]);
    expect((await index.list())[0]?.totals?.entries).toBe(3001);
    expect(fs.done.filter((operation) => operation === "read").length).toBeLessThan(20);
  });

  it("says that the list has changed once it was filled in, and is quiet then", async () => {
    write("a", header("s1"), user("u1", null, "plum"));
    let told = 0;
    const { index } = make(dbPath(), () => {
      told += 1;
    });
    await index.list();
    await index.settled();
    await vi.waitFor(() => expect(told).toBe(1), 5000);
    await index.list();
    await index.settled();
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(told).toBe(1);
  });

  it("gives the first seen of two files with one id that id for good", async () => {
    write("b", header("same"), user("u", null, "first"));
    const { index } = make();
    await index.settled();
    await index.close();
    write("a", header("same"), user("u", null, "second"));
    const again = make();
    const [a, b] = byPath(await again.index.list());
    expect(b?.id).toBe("same");
    expect(a?.id).toMatch(/^same~[0-9a-f]{16}$/);
    expect((await again.store.open("same" as SessionInfo["id"])).path).toBe(fileOf("b"));
  });

  it("leaves files out that are no sessions, and lists what cannot be read with the reason", async () => {
    write("notes", "hello\n");
    write("2026-01-01T00-00-00-000Z_abc", header("abc"), user("u", null, "x"));
    const { index, fs, store } = make();
    fs.set({ at: 1, only: ["open"], kind: "EACCES", persistent: true });
    expect((await index.list()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("may not be"),
    ]);
    expect((await store.list()).map(({ problem }) => problem)).toEqual([
      expect.stringContaining("may not be"),
    ]);
  });
});

describe("search", () => {
  beforeEach(() => {
    write(
      "a",
      header("s1"),
      user("u1", null, 'Look at src/foo-bar.ts and parseJsonlFile, "please"'),
      answer("a1", "u1", [
        ...text("It is about über-pears."),
        { type: "toolCall", id: "c", name: "bash", arguments: { command: "grep -rn orchard lib/" } },
      ]),
      result("r1", "a1", "lib/x.ts:3: the orchard is large"),
      `${JSON.stringify({ type: "label", id: "l1", parentId: "r1", timestamp: stamp(5), targetId: "u1", label: "milestone" })}\n`,
    );
    write(
      "b",
      header("s2"),
      user("u1", null, "今天天气很好，我们去公园", 7),
      answer("a2", "u1", text("the orchard"), 8),
    );
  });

  it("finds words, beginnings, paths, names, phrases, Chinese, in what tools were given and gave", async () => {
    const { index } = make();
    await index.settled();
    for (const [query, ids] of [
      ["pears", ["a1"]],
      ["PEAR", ["a1"]],
      ["uber", ["a1"]],
      ["src/foo-bar.ts", ["u1"]],
      ["foo-b", ["u1"]],
      ["parseJsonlFile", ["u1"]],
      ["parseJsonl", ["u1"]],
      ["jsonl file", ["u1"]],
      ["天气", ["u1"]],
      ["我们去公园", ["u1"]],
      ["气天", []],
      ["milestone", ["u1"]],
      ["grep orchard", ["a1"]],
      ['"orchard is"', ["r1"]],
      ['"is orchard"', []],
      ["look nothing", []],
      ["orchard", ["a1", "a2", "r1"]],
      ["", []],
    ] as const) {
      expect([query, await words(index, query)]).toEqual([query, [...ids]]);
    }
  });

  it("ranks what was said above what tools did, marks the hits, and keeps to one session if asked", async () => {
    const { index } = make();
    await index.settled();
    const { hits, complete } = await index.search("orchard", 10, null);
    expect(complete).toBe(true);
    expect(hits[0]).toMatchObject({ session: "s2", entryId: "a2", role: "assistant" });
    expect(hits[0]?.parts).toEqual([
      { text: "the ", hit: false },
      { text: "orchard", hit: true },
    ]);
    const own = await index.search("orchard", 10, "s1" as SessionInfo["id"]);
    expect(own.hits.map(({ session }) => session)).toEqual(["s1", "s1"]);
  });

  it("takes any text as words", async () => {
    const { index } = make();
    await index.settled();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom("AND", "a* OR", "NEAR(", "said:x", '"', "-x ^y {", "*", "\u0000"),
        ),
        async (query) => {
          await index.search(query, 5, null);
          expect(index.state.problem).toBeNull();
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("finds the beginning and the end of a very long output", async () => {
    write(
      "long",
      header("s3"),
      user("u1", null, "x"),
      result("r9", "u1", `mirabelle ${"filler ".repeat(400_000)} greengage`),
    );
    const { index } = make();
    await index.settled();
    expect(await words(index, "mirabelle")).toEqual(["r9"]);
    expect(await words(index, "greengage")).toEqual(["r9"]);
    const [hit] = (await index.search("greengage", 1, null)).hits;
    expect(hit?.parts.map((part) => part.text).join("").length).toBeLessThan(400);
  });
});

describe("an index that cannot be used costs time and nothing else", () => {
  const expectRight = async (index: SessionIndex): Promise<void> => {
    expect(await index.list()).toMatchObject([{ id: "s1", firstMessage: "plum", messageCount: 1 }]);
  };
  beforeEach(() => {
    write("a", header("s1"), user("u1", null, "plum"));
  });

  it("deleted: before the start, and while it is open", async () => {
    const { index } = make();
    await index.settled();
    rmSync(dbPath());
    await expectRight(index);
    await index.settled();
    expect(await words(index, "plum")).toEqual(["u1"]);
    expect(statSync(dbPath()).size).toBeGreaterThan(0);
  });

  it("corrupted at any place", async () => {
    const { index } = make();
    await index.settled();
    await index.close();
    const sound = readFileSync(dbPath());
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sound.length - 1),
        fc.integer({ min: 1, max: 3000 }),
        fc.nat(255),
        async (at, length, byte) => {
          writeFileSync(dbPath(), Buffer.from(sound).fill(byte, at, Math.min(sound.length, at + length)));
          for (const end of ["-wal", "-shm"]) rmSync(`${dbPath()}${end}`, { force: true });
          const { index: again } = make();
          await expectRight(again);
          await again.search("plum", 5, null);
          await again.settled();
          await expectRight(again);
          await again.close();
        },
      ),
      { numRuns: runs(40) },
    );
    writeFileSync(dbPath(), "no database at all, but long enough to look like a file of something");
    const { index: last } = make();
    await last.settled();
    expect(await words(last, "plum")).toEqual(["u1"]);
  });

  it("corrupted while it is open", async () => {
    const { index } = make();
    await index.settled();
    const file = openSync(dbPath(), "r+");
    ftruncateSync(file, 0);
    writeSync(file, "x".repeat(20_000));
    closeSync(file);
    appendFileSync(fileOf("a"), user("u2", "u1", "damson"));
    expect(await index.list()).toMatchObject([{ id: "s1" }]);
    expect((await index.list())[0]?.messageCount).toBe(2);
  });

  it("locked by another process", async () => {
    const other = new Database(dbPath());
    other.exec("PRAGMA locking_mode = EXCLUSIVE; CREATE TABLE mine(x); BEGIN EXCLUSIVE;");
    const { index } = make();
    await expectRight(index);
    expect(await index.search("plum", 5, null)).toEqual({ hits: [], complete: false });
    other.exec("ROLLBACK");
    other.close();
    await index.settled();
    await expectRight(index);
    expect(await words(index, "plum")).toEqual(["u1"]);
  });

  it("locked while it is open: a write that fails breaks nothing", async () => {
    const { index } = make();
    await index.settled();
    const other = new Database(dbPath());
    other.exec("BEGIN IMMEDIATE");
    appendFileSync(fileOf("a"), user("u2", "u1", "damson"));
    expect((await index.list())[0]?.messageCount).toBe(2);
    other.exec("ROLLBACK");
    other.close();
    await index.settled();
    expect((await index.list())[0]).toMatchObject({ messageCount: 2, totals: { entries: 2 } });
    expect(await words(index, "damson")).toEqual(["u2"]);
  });

  it("a file that stops being readable is listed with the reason, and read again when it changes", async () => {
    const big = `${"filler ".repeat(30_000)}`;
    write("a", header("s1"), user("u1", null, "plum"), user("u2", "u1", big), user("u3", "u2", big));
    const { index, fs } = make();
    await index.list();
    fs.set({ at: 1, only: ["read"], kind: "EIO", persistent: true });
    await index.settled();
    const reads = fs.done.length;
    expect((await index.list())[0]).toMatchObject({ id: "s1", problem: expect.stringContaining("Reading") });
    expect(fs.done.slice(reads)).not.toContain("read");
    fs.set(null);
    appendFileSync(fileOf("a"), user("u4", "u3", "damson"));
    await index.settled();
    expect((await index.list())[0]).toMatchObject({ messageCount: 4, totals: { entries: 4 } });
    expect((await index.list())[0]?.problem).toBeUndefined();
  });

  it("of a later version", async () => {
    const other = new Database(dbPath());
    other.exec("PRAGMA application_id = 1165193324; PRAGMA user_version = 99; CREATE TABLE file(x);");
    other.close();
    const { index } = make();
    await expectRight(index);
    await index.settled();
    expect(await words(index, "plum")).toEqual(["u1"]);
  });

  it("in a folder that takes no files", async () => {
    const { index } = make(join(folder, "nowhere", "index.db"));
    await expectRight(index);
    expect(await index.search("plum", 5, null)).toEqual({ hits: [], complete: false });
    await index.settled();
    await expectRight(index);
  });
});
