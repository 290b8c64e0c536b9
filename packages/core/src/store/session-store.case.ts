import { entryId, type SessionHeader, sessionId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { leafAtOpen } from "../session/leaf.ts";
import { readEntry } from "../session/read-entry.ts";
import { assistant, chain, contextEdit, entry, result, user } from "../testing/make-entries.ts";
import type { AnyEntry, SessionStore, StoredSession } from "./session-store.ts";

/** A store to test, empty, with a look at what it keeps. */
export interface StoreUnderTest {
  readonly store: SessionStore;
  /** The bytes of a session as they are kept now. */
  bytes(id: string): Promise<Uint8Array>;
  dispose?(): Promise<void>;
}

const header = (id: string, more: Partial<SessionHeader> = {}): SessionHeader => ({
  type: "session",
  version: 3,
  id,
  timestamp: "2026-01-02T03:04:05.678Z",
  cwd: "/work/space",
  ...more,
});

const textOf = async (under: StoreUnderTest, id: string): Promise<string> =>
  new TextDecoder().decode(await under.bytes(id));

const code = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "nothing thrown",
    (error: { code?: unknown }) => error.code ?? error,
  );

/** Completes all rows of a session. */
const fillAll = async (session: StoredSession): Promise<void> => {
  while ((await session.fill()).length > 0);
};

/** What every session store does, whatever it keeps sessions in. */
export const sessionStoreCase = (name: string, make: () => Promise<StoreUnderTest>): void => {
  const withStore = async (test: (under: StoreUnderTest) => Promise<void>): Promise<void> => {
    const under = await make();
    try {
      await test(under);
    } finally {
      await under.dispose?.();
    }
  };
  const first = (): AnyEntry[] =>
    chain(
      (p) => entry("m1", p, { type: "model_change", provider: "p", modelId: "m" }),
      (p) => user("u1", p, "hello there"),
    );

  describe(`session store: ${name}`, () => {
    it("takes a whole file in as it is, damage included", () =>
      withStore(async (under) => {
        const lines = [
          JSON.stringify({ ...header("s9"), extra: 1 }),
          "{ no json",
          '{"type":"odd", "id":"o1","parentId":null}',
        ];
        const text = `${lines.join("\n")}\n`;
        const made = await under.store.createFrom(header("s9"), text);
        expect(made.id).toBe("s9");
        expect(await textOf(under, "s9")).toBe(text);
        expect(made.damage).toMatchObject([{ kind: "malformed" }]);
        expect(await code(under.store.createFrom(header("s9"), text))).toBe("conflict");
        await made.append(
          first().map((one) => (one.parentId === null ? { ...one, parentId: entryId("o1") } : one)),
        );
        expect((await textOf(under, "s9")).startsWith(text)).toBe(true);
      }));

    it("publishes a session whole, lists it and opens it again", () =>
      withStore(async (under) => {
        const made = await under.store.create(header("s1"), first());
        expect(made.id).toBe("s1");
        expect(made.tree.rows.map(({ id }) => id)).toEqual(["m1", "u1"]);
        // Totals may be told by who has them.
        const listed = (await under.store.list()).map(({ totals: _totals, ...info }) => info);
        expect(listed).toEqual([
          {
            id: "s1",
            path: made.path,
            root: "espalier",
            cwd: "/work/space",
            firstMessage: "hello there",
            created: "2026-01-02T03:04:05.678Z",
            modified: expect.stringMatching(/^2026-01-01T/),
            messageCount: 1,
          },
        ]);
        const opened = await under.store.open(sessionId("s1"));
        expect(opened.header).toEqual(header("s1"));
        expect(opened.version).toBe(3);
        expect(opened.readOnly).toBeNull();
        expect(opened.damage).toEqual([]);
        await fillAll(opened);
        expect(opened.tree.rows).toEqual(made.tree.rows);
        await opened.close();
        await made.close();
      }));

    it("appends without changing an earlier byte, and reads back what was written", () =>
      withStore(async (under) => {
        const session = await under.store.create(header("s1"), first());
        const before = await textOf(under, "s1");
        const more = chain(
          () => assistant("a1", "u1", { text: "hm", calls: ["t1"] }),
          (p) => result("r1", p, "t1"),
          (p) => contextEdit("e1", p, "r1"),
        );
        await session.append(more);
        await session.sync();
        const after = await textOf(under, "s1");
        expect(after.startsWith(before)).toBe(true);
        expect(after.endsWith("\n")).toBe(true);
        expect(
          after
            .slice(before.length)
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        ).toEqual(more);
        const ids = ["r1", "m1", "a1"].map(entryId);
        const again = await under.store.open(sessionId("s1"));
        for (const each of [session, again]) {
          expect((await each.read(ids)).map(({ id }) => id)).toEqual(ids);
          expect(leafAtOpen(each.tree)).toBe("e1");
        }
        await fillAll(again);
        expect(again.tree.rows).toEqual(session.tree.rows);
        await again.close();
        await session.close();
      }));

    it("keeps what it does not know byte for byte, and mends half characters", () =>
      withStore(async (under) => {
        const line = '{"type":"hologram","id":"h","parentId":null,"timestamp":"x","n":1.0,"s":"\\u0041"}';
        const strange = readEntry(JSON.parse(line) as Record<string, unknown>, "h", line);
        const session = await under.store.create(header("s1", { branch: "of ours" } as object), [strange]);
        await session.append([user("u1", "h", "half \ud83d of it")]);
        const lines = (await textOf(under, "s1")).split("\n");
        expect(lines[0]).toContain('"branch":"of ours"');
        expect(lines[1]).toBe(line);
        expect(lines[2]).toContain("half \uFFFD of it");
        expect((await session.read([entryId("u1")]))[0]).toMatchObject({
          message: { content: "half \uFFFD of it" },
        });
        await session.close();
      }));

    it("names, counts and dates a session by its entries", () =>
      withStore(async (under) => {
        const session = await under.store.create(
          header("s1", { parentSession: "/elsewhere.jsonl" }),
          first(),
        );
        await session.append(
          chain(
            () => ({ ...assistant("a1", "u1", { text: "x" }), timestamp: "2030-01-01T00:00:00.000Z" }),
            (p) => entry("n1", p, { type: "session_info", name: "old" }),
            (p) => entry("n2", p, { type: "session_info", name: "new" }),
            (p) => user("u2", p),
          ),
        );
        expect((await under.store.list())[0]).toMatchObject({
          name: "new",
          messageCount: 3,
          firstMessage: "hello there",
          modified: "2030-01-01T00:00:00.000Z",
          parent: "/elsewhere.jsonl",
        });
        await session.append([entry("n3", "u2", { type: "session_info", name: "" })]);
        expect((await under.store.list())[0]).not.toHaveProperty("name");
        await session.close();
      }));

    it("refuses an id that is taken, changing nothing", () =>
      withStore(async (under) => {
        const session = await under.store.create(header("s1"), first());
        const before = await textOf(under, "s1");
        expect(await code(session.append([user("u1", "m1")]))).toBe("conflict");
        expect(await code(session.append([user("x", "u1"), user("x", "u1")]))).toBe("conflict");
        expect(await textOf(under, "s1")).toBe(before);
        expect(session.tree.version).toBe(2);
        await session.append([user("x", "u1")]);
        expect(session.tree.version).toBe(3);
        await session.close();
      }));

    it("answers with a code for what is not there or there already", () =>
      withStore(async (under) => {
        const session = await under.store.create(header("s1"), first());
        const before = await textOf(under, "s1");
        expect(await code(under.store.create(header("s1"), []))).toBe("conflict");
        expect(await code(under.store.open(sessionId("nobody")))).toBe("not_found");
        expect(await code(session.read([entryId("nobody")]))).toBe("not_found");
        expect(await textOf(under, "s1")).toBe(before);
        await session.close();
      }));

    it("keeps the order of appends that do not wait for each other", () =>
      withStore(async (under) => {
        const session = await under.store.create(header("s1"), first());
        const ids = Array.from({ length: 20 }, (_, at) => `q${at}`);
        await Promise.all(ids.map((id) => session.append([user(id, "u1")])));
        const again = await under.store.open(sessionId("s1"));
        expect(again.tree.rows.slice(2).map(({ id }) => id)).toEqual(ids);
        await again.close();
        await session.close();
      }));

    it("does not read versions it could not write", () =>
      withStore(async (under) => {
        const old = await under.store.create(header("s1", { version: 2 }), [user("u1", null)]);
        const before = await textOf(under, "s1");
        expect(old.version).toBe(2);
        expect(old.readOnly).toContain("version 2");
        expect(await code(old.append([user("u2", "u1")]))).toBe("read_only");
        expect(await textOf(under, "s1")).toBe(before);
        await old.close();
      }));
  });
};
