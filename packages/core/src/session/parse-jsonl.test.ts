import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../testing/data-folder.ts";
import { leafAtOpen } from "./leaf.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { leafThrough, leaves, pathToLeaf, siblings } from "./path-to-leaf.ts";
import { SessionTree } from "./session-tree.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
const user = (id: string, parent: string | null, text = id): string =>
  JSON.stringify({
    type: "message",
    id,
    parentId: parent,
    timestamp: "2026-01-01T00:00:01.000Z",
    message: { role: "user", content: text, timestamp: 1 },
  });
const parsed = (lines: readonly string[], end = "\n"): NonNullable<ReturnType<typeof parseJsonl>> => {
  const session = parseJsonl(bytesOf(lines.join("\n") + end));
  if (session === null) throw new Error("not a session");
  return session;
};
const damageOf = (session: { damage: readonly { line: number; kind: string }[] }): string[] =>
  session.damage.map(({ line, kind }) => `${line} ${kind}`);
const treeOf = (session: { rows: ConstructorParameters<typeof SessionTree>[0] }): SessionTree =>
  new SessionTree(session.rows);

describe("parseJsonl", () => {
  it("reads rows, spans and bodies", () => {
    const session = parsed([HEADER, user("a", null, "hello\u2028there"), user("b", "a")]);
    expect(session.rows.map(({ id, parentId, line }) => [id, parentId, line])).toEqual([
      ["a", null, "hello there"],
      ["b", "a", "b"],
    ]);
    expect(session.damage).toEqual([]);
    expect(session.readOnly).toBeNull();
    expect(session.read(entryId("a"))).toMatchObject({ message: { content: "hello\u2028there" } });
    expect(session.read(entryId("nobody"))).toBeNull();
  });

  it("skips a run of zero bytes, and hangs the children of the lost entry at the line before it", () => {
    const good = (from: number): string[] =>
      Array.from({ length: 10 }, (_, at) =>
        user(`e${from + at}`, from + at === 0 ? null : `e${from + at - 1}`),
      );
    const session = parsed([HEADER, ...good(0), "\0".repeat(300), ...good(11)]);
    expect(damageOf(session)).toEqual(["12 malformed", "13 unknown_parent"]);
    expect(session.damage[0]?.detail).toBe("300 zero bytes");
    const tree = treeOf(session);
    expect(tree.get(entryId("e11"))).toMatchObject({ parentId: "e9", flags: ["reattached"] });
    expect(pathToLeaf(tree, leafAtOpen(tree))).toHaveLength(20);
  });

  it("reports both pieces of a record that raw newlines split, and loads the rest", () => {
    const session = parsed([
      HEADER,
      user("a", null),
      '{"type":"message","id":"b","x":"one',
      'two"}',
      user("c", "a"),
    ]);
    expect(damageOf(session)).toEqual(["3 malformed", "4 malformed"]);
    expect(session.rows.map(({ id }) => id)).toEqual(["a", "c"]);
  });

  it("keeps the first of several entries with one id and shows the others", () => {
    const session = parsed([
      HEADER,
      user("a", null),
      user("d1", null, "first"),
      user("d1", "a", "second"),
      user("x", "d1"),
      user("d1", "x", "third"),
      user("y", "d1"),
    ]);
    expect(damageOf(session)).toEqual(["4 duplicate_id", "6 duplicate_id"]);
    expect(session.rows.map(({ id, parentId, line }) => [id, parentId, line])).toEqual([
      ["a", null, "a"],
      ["d1", null, "first"],
      ["d1~2", "a", "second"],
      ["x", "d1", "x"],
      ["d1~3", "x", "third"],
      ["y", "d1", "y"],
    ]);
    expect(session.read(entryId("d1~3"))).toMatchObject({ id: "d1~3", message: { content: "third" } });
  });

  it("cuts loops, also an entry that is its own parent", () => {
    const session = parsed([
      HEADER,
      user("a", "c"),
      user("b", "a"),
      user("c", "b"),
      user("s", "s"),
      user("t", "c"),
    ]);
    expect(damageOf(session)).toEqual(["2 cycle", "5 cycle"]);
    const tree = treeOf(session);
    expect(tree.children(null)).toEqual(["a", "s"]);
    expect(pathToLeaf(tree, entryId("t"))).toEqual(["a", "b", "c", "t"]);
  });

  it("takes a last line that is whole without its end, and reports one that is not", () => {
    const whole = parsed([HEADER, user("a", null), user("b", "a")], "");
    expect(damageOf(whole)).toEqual(["3 torn"]);
    expect(whole.finished).toBe(false);
    expect(whole.rows).toHaveLength(2);
    const torn = parsed([HEADER, user("a", null), user("b", "a").slice(0, -7)], "");
    expect(damageOf(torn)).toEqual(["3 torn"]);
    expect(torn.rows).toHaveLength(1);
  });

  it("reads on without a header that can be used, and lets nobody write", () => {
    const rest = [user("a", null), user("b", "a")];
    const broken = parsed([HEADER.replace('"type"', '"ty\u0001e"').replace('":"s"', '":"s'), ...rest]);
    expect(damageOf(broken)).toEqual(["1 malformed", "2 foreign_header"]);
    expect(broken.header).toMatchObject({ cwd: "/w", version: 3 });
    const renamed = parsed([HEADER.replace('"type"', '"tXpe"'), ...rest]);
    expect(damageOf(renamed)).toEqual(["1 foreign_header"]);
    expect(renamed.header).toMatchObject({ type: "session", id: "s", cwd: "/w" });
    const object = parsed(["{}", HEADER, ...rest]);
    expect(damageOf(object)).toEqual(["1 foreign_header"]);
    for (const session of [broken, renamed, object]) {
      expect(session.readOnly).toContain("header");
      expect(session.rows).toHaveLength(2);
    }
  });

  it("skips blank and malformed lines before the header as pi does", () => {
    const session = parsed(["", "  ", "nonsense", HEADER, user("a", null)]);
    expect(damageOf(session)).toEqual(["3 malformed"]);
    expect(session.readOnly).toBeNull();
  });

  it("keeps a second header out of the tree", () => {
    const session = parsed([HEADER, user("a", null), HEADER, user("b", "a")]);
    expect(damageOf(session)).toEqual(["3 foreign_header"]);
    expect(session.rows).toHaveLength(2);
    expect(session.readOnly).toBeNull();
  });

  it("reads CRLF and a byte order mark", () => {
    const session = parseJsonl(bytesOf(`\uFEFF${HEADER}\r\n\r\n${user("a", null)}\r\n`));
    expect(session?.damage).toEqual([]);
    expect(session?.rows).toHaveLength(1);
  });

  it("keeps unknown types and versions", () => {
    const odd = '{"type":"hologram","id":"h","parentId":"a","timestamp":"?","n":1.0}';
    const session = parsed([HEADER.replace('"version":3', '"version":9'), user("a", null), odd]);
    expect(session.version).toBe(9);
    expect(session.readOnly).toBeNull();
    expect(session.rows[1]).toEqual({ id: "h", parentId: "a", type: "hologram", time: 0, tokens: 0 });
  });

  it("is no session without header and entries", () => {
    expect(parseJsonl(new Uint8Array())).toBeNull();
    expect(parseJsonl(bytesOf('{"type":"user","uuid":"1","sessionId":"x"}\n[1]\nxx\n'))).toBeNull();
  });

  it("names the entries of a version 1 file by their index and links them in a line", () => {
    const old = [
      '{"type":"session","id":"o","timestamp":"2025-01-01T00:00:00Z","cwd":"/w","branchedFrom":"/p.jsonl"}',
      '{"type":"message","timestamp":"2025-01-01T00:00:01Z","message":{"role":"user","content":"one"}}',
      "broken",
      '{"type":"message","timestamp":"2025-01-01T00:00:02Z","message":{"role":"hookMessage","customType":"h","content":"x"}}',
      '{"type":"compaction","timestamp":"2025-01-01T00:00:03Z","summary":"s","firstKeptEntryIndex":2,"tokensBefore":9}',
    ];
    const session = parsed(old);
    expect(session.header.parentSession).toBe("/p.jsonl");
    expect(session.readOnly).toContain("version 1");
    expect(session.rows.map(({ id, parentId }) => [id, parentId])).toEqual([
      ["00000000", null],
      ["00000001", "00000000"],
      ["00000002", "00000001"],
    ]);
    expect(session.rows[1]?.role).toBe("custom");
    expect(session.read(entryId("00000002"))).toMatchObject({ firstKeptEntryId: "00000001" });
    expect(session.read(entryId("00000002"))).not.toHaveProperty("firstKeptEntryIndex");
  });

  it("refuses what nests so deep that nobody could write it again", () => {
    const deep = (levels: number): string =>
      user("d", "a", "X").replace('"X"', "[".repeat(levels) + "]".repeat(levels));
    const session = parsed([HEADER, user("a", null), deep(100_000), user("b", "a")]);
    expect(damageOf(session)).toEqual(["3 malformed"]);
    expect(parsed([HEADER, user("a", null), deep(100)]).damage).toEqual([]);
  });

  it("opens a star, and more damage than fits into one call's arguments", () => {
    const count = 200_000;
    const star = treeOf(
      parsed([
        HEADER,
        user("r", null),
        ...Array.from({ length: count }, (_, at) => `{"type":"x","id":"e${at}","parentId":"r"}`),
      ]),
    );
    expect(leafThrough(star, entryId("r"), null)).toBe(`e${count - 1}`);
    expect(siblings(star, entryId("e5"))).toHaveLength(count);
    expect(parsed([HEADER, user("a", null), ...Array<string>(count).fill("x")]).damage).toHaveLength(count);
  });

  it("opens a chain and a comb of 200,000 entries", () => {
    const count = 200_000;
    const parts = [HEADER];
    for (let at = 0; at < count; at += 1) {
      const parent = at === 0 ? null : `e${at % 2 === 0 ? at - 2 : at - 1}`;
      parts.push(`{"type":"custom","customType":"c","id":"e${at}","parentId":${JSON.stringify(parent)}}`);
    }
    const comb = treeOf(parsed(parts));
    expect(leaves(comb)).toHaveLength(count / 2);
    expect(pathToLeaf(comb, entryId(`e${count - 1}`))).toHaveLength(count / 2 + 1);
    const chain = treeOf(
      parsed([HEADER, ...Array.from({ length: count }, (_, at) => user(`e${at}`, at ? `e${at - 1}` : null))]),
    );
    expect(pathToLeaf(chain, leafAtOpen(chain))).toHaveLength(count);
  });
});

const folder = dataFolder();
describe.skipIf(folder === null)("parseJsonl on recorded sessions", () => {
  const files =
    folder === null ? [] : readdirSync(join(folder, "sessions/pi")).filter((name) => name.endsWith(".jsonl"));
  it.each(files)("%s", (name) => {
    const bytes = readData(`sessions/pi/${name}`);
    const before = createHash("sha256").update(bytes).digest("hex");
    const session = parseJsonl(bytes);
    const stats = JSON.parse(
      new TextDecoder().decode(readData(`sessions/pi/${name.replace(".jsonl", ".stats.json")}`)),
    );
    if (session === null) throw new Error("not a session");
    expect(session.damage).toEqual([]);
    expect(session.version).toBe(stats.version);
    expect(session.rows).toHaveLength(stats.entries);
    for (const row of session.rows) expect(session.read(row.id)?.id).toBe(row.id);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(before);
  });
});
