import type { Entry, EntryOf, SessionHeader } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { buildContext } from "../context/build-context.ts";
import { MemoryStore } from "../store/memory-store.ts";
import { assistant, chain, compaction, entry, user } from "../testing/make-entries.ts";
import { POSITION } from "./aside.ts";
import { copyForWriting, forkPath } from "./fork.ts";
import type { AnyEntry } from "./known-entry.ts";
import { holdingLabels } from "./labels.ts";
import { leafAtOpen } from "./leaf.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { pathToLeaf } from "./path-to-leaf.ts";
import { rowOf } from "./row.ts";
import { serializeEntry, serializeHeader } from "./serialize.ts";
import { SessionTree } from "./session-tree.ts";

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
};
const stamp = { id: "copy", time: 0, parentSession: "/sessions/s.jsonl" };
const label = (id: string, parent: string | null, target: string, text?: string): EntryOf<"label"> =>
  entry(id, parent, {
    type: "label",
    targetId: entryId(target),
    ...(text === undefined ? {} : { label: text }),
  });

const fork = (entries: readonly Entry[], at: string) => {
  const tree = new SessionTree(entries.map(rowOf));
  const byId = new Map<string, Entry>(entries.map((each) => [each.id, each]));
  const get = (ids: readonly string[]): Entry[] => ids.flatMap((id) => byId.get(id) ?? []);
  const labels = get(holdingLabels(tree)).flatMap((each) => (each.type === "label" ? [each] : []));
  const path = get(pathToLeaf(tree, entryId(at)));
  const copy = forkPath(HEADER, path, labels, stamp);
  const text = serializeHeader(copy.header) + copy.entries.map(serializeEntry).join("");
  const parsed = parseJsonl(new TextEncoder().encode(text));
  if (parsed === null) throw new Error("not a session");
  expect(parsed.damage).toEqual([]);
  expect(text.split("\n").filter((line) => line.includes('"type":"session"'))).toHaveLength(1);
  return { ...copy, path, tree: new SessionTree(parsed.rows) };
};
const links = (entries: readonly AnyEntry[]): string[] =>
  entries.map(({ id, parentId }) => `${parentId}>${id}`);

describe("forkPath", () => {
  it("takes labels out of the path without losing what hangs below them", () => {
    const { entries, header, tree } = fork(
      chain(
        (p) => user("u1", p),
        (p) => assistant("a1", p, { text: "x" }),
        (p) => label("L", p, "u1", "start"),
        (p) => user("u2", p),
        (p) => assistant("a2", p, { text: "y" }),
      ),
      "a2",
    );
    expect(links(entries)).toEqual(["null>u1", "u1>a1", "a1>u2", "u2>a2", "a2>L"]);
    expect(tree.labels.get(entryId("u1"))).toBe("start");
    expect(leafAtOpen(tree)).toBe("a2");
    expect(header).toEqual({
      type: "session",
      version: 3,
      id: "copy",
      timestamp: "1970-01-01T00:00:00.000Z",
      cwd: "/w",
      parentSession: "/sessions/s.jsonl",
    });
  });

  it("keeps only labels that hold and whose entries came along", () => {
    const base = chain(
      (p) => user("u1", p),
      (p) => user("u2", p),
      (p) => label("old", p, "u1", "old"),
      (p) => label("new", p, "u1", "new"),
      (p) => label("on", p, "u2", "set"),
      (p) => label("off", p, "u2"),
    );
    const side = [...base, user("side", "u1"), label("far", "off", "side", "far")];
    const { entries, tree } = fork(side, "u2");
    expect(links(entries)).toEqual(["null>u1", "u1>u2", "u2>new"]);
    expect([...tree.labels]).toEqual([["u1", "new"]]);
  });

  it("has one header also before any answer, and ends with the chosen entry", () => {
    expect(links(fork([user("u1", null), user("u2", "u1")], "u1").entries)).toEqual(["null>u1"]);
    const messages = chain(...["a", "b", "c", "d", "e"].map((id) => (p: string | null) => user(id, p)));
    expect(fork(messages, "c").entries.at(-1)?.id).toBe("c");
  });

  it("gives the context of the source, also when a label stood where a compaction begins to keep", () => {
    const source = chain(
      (p) => user("u1", p),
      (p) => assistant("a1", p, { text: "x" }),
      (p) => label("L", p, "u1", "start"),
      (p) => entry("pos", p, { type: "custom", customType: POSITION, data: { v: 1 } }),
      (p) => user("u2", p),
      (p) => compaction("k", p, "L"),
      (p) => user("u3", p),
    );
    const { entries, path } = fork(source, "u3");
    const context = buildContext(entries);
    expect(context.messages).toEqual(buildContext(path).messages);
    expect(entries.find(({ id }) => id === "k")).toMatchObject({ firstKeptEntryId: "u2" });
    expect(context.entryIds).toEqual(["k", "u2", "u3", "L"]);
  });

  it("copies lines it does not know byte for byte", () => {
    const line = '{"type":"hologram","id":"h","parentId":null,"n":1.50,"s":"\\u0041"}';
    const parsed = parseJsonl(new TextEncoder().encode(`${serializeHeader(HEADER)}${line}\n`));
    const strange = parsed?.read(entryId("h"));
    if (strange == null) throw new Error("not read");
    expect(forkPath(HEADER, [strange], [], stamp).entries.map(serializeEntry)).toEqual([`${line}\n`]);
  });
});

describe("copyForWriting", () => {
  it("makes a version 3 file of an older one, all branches, the source named", async () => {
    const old = [
      '{"type":"session","id":"o","timestamp":"2025-01-01T00:00:00Z","cwd":"/w","branchedFrom":"/p.jsonl"}',
      '{"type":"message","timestamp":"2025-01-01T00:00:01Z","message":{"role":"user","content":"one","timestamp":1}}',
      '{"type":"message","timestamp":"2025-01-01T00:00:02Z","message":{"role":"hookMessage","customType":"h","content":"x","timestamp":2}}',
      '{"type":"compaction","timestamp":"2025-01-01T00:00:03Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}',
    ];
    const parsed = parseJsonl(new TextEncoder().encode(`${old.join("\n")}\n`));
    if (parsed === null) throw new Error("not a session");
    const entries = parsed.rows.flatMap(({ id }) => parsed.read(id) ?? []);
    const copy = copyForWriting(parsed.header, entries, stamp);
    const store = new MemoryStore();
    const session = await store.create(copy.header, copy.entries);
    expect(session.readOnly).toBeNull();
    expect(session.header).toMatchObject({ version: 3, parentSession: "/sessions/s.jsonl", cwd: "/w" });
    expect(session.tree.rows).toEqual(parsed.rows);
    expect(buildContext(await session.read(session.tree.rows.map(({ id }) => id))).entryIds).toEqual(
      buildContext(entries).entryIds,
    );
  });
});

describe("appending", () => {
  it("leaves every old line as it is when a branch is continued, and makes a second root from nowhere", async () => {
    const store = new MemoryStore();
    const base = chain(
      (p) => user("u1", p),
      (p) => assistant("a1", p, { text: "x" }),
      (p) => user("u2", p),
    );
    const session = await store.create(HEADER, base);
    const before = new TextDecoder().decode(store.bytes(session.id));
    await session.append([user("branch", "a1"), user("root", null)]);
    const after = new TextDecoder().decode(store.bytes(session.id));
    expect(after.slice(0, before.length)).toBe(before);
    expect(session.tree.children(entryId("a1"))).toEqual(["u2", "branch"]);
    expect(session.tree.children(null)).toEqual(["u1", "root"]);
    expect(JSON.parse(after.trimEnd().split("\n").at(-1) ?? "")).toHaveProperty("parentId", null);
  });
});
