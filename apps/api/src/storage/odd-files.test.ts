import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leafAtOpen, serializeEntry, serializeHeader } from "@espalier/core";
import { user } from "@espalier/core/testing";
import { entryId } from "@espalier/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JsonlStore } from "./jsonl-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-odd-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HEADER = serializeHeader({
  type: "session",
  version: 3,
  id: "s1",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
});
const line = (id: string, parent: string | null, text = "x"): string =>
  serializeEntry(user(id, parent, text));

/** Opens what a file holds, appends below its leaf, opens it again; no byte that was there may change. */
const goOn = async (
  text: string,
): Promise<{ ids: string[]; damage: (string | number)[][]; after: string[] }> => {
  const path = join(folder, "odd.jsonl");
  writeFileSync(path, text);
  const before = readFileSync(path);
  const store = new JsonlStore({ sessions: folder, piSessions: join(folder, "pi") });
  const session = await store.openFile(path);
  const ids = session.tree.rows.map(({ id }) => String(id));
  const damage = session.damage.map(({ line: at, kind }) => [at, kind]);
  await session.append([user("next", leafAtOpen(session.tree))]);
  await session.close();
  expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);
  const again = await store.openFile(path);
  expect(again.tree.rows.map(({ id }) => String(id))).toEqual([...ids, "next"]);
  expect((await again.read([entryId("next")]))[0]?.id).toBe("next");
  await again.close();
  return { ids, damage, after: again.damage.map(({ kind }) => kind) };
};

describe("a file that is odd is opened as it is and goes on", () => {
  it.each([
    ["CRLF line ends", (HEADER + line("a", null) + line("b", "a")).replaceAll("\n", "\r\n")],
    ["a byte order mark", `\uFEFF${HEADER}${line("a", null)}${line("b", "a")}`],
    ["no line end at the end", (HEADER + line("a", null) + line("b", "a")).trimEnd()],
    ["U+2028 and U+0085 inside a text", HEADER + line("a", null, "1\u20282\u00853") + line("b", "a")],
  ])("%s", async (_, text) => {
    const { ids, after } = await goOn(text);
    expect(ids).toEqual(["a", "b"]);
    expect(after).toEqual([]);
  });

  it("a line of 50 MB", { timeout: 60_000 }, async () => {
    const { ids, damage } = await goOn(HEADER + line("a", null, "x".repeat(50_000_000)) + line("b", "a"));
    expect(ids).toEqual(["a", "b"]);
    expect(damage).toEqual([]);
  });

  it("zeros at the tail, as a loss of power leaves them, are a torn line", async () => {
    const { ids, damage, after } = await goOn(HEADER + line("a", null) + "\0".repeat(500));
    expect(ids).toEqual(["a"]);
    expect(damage).toEqual([[3, "torn"]]);
    expect(after).toEqual(["malformed"]);
  });

  it("zeros and a damaged line in the middle, an id twice, an unknown parent, a circle: marked, nothing dropped in silence", async () => {
    const text = [
      HEADER,
      line("a", null),
      `${"\0".repeat(300)}\n`,
      "{ broken\n",
      line("a", "a", "again"),
      line("b", "lost"),
      line("c", "d"),
      line("d", "c"),
    ].join("");
    const { ids, damage } = await goOn(text);
    expect(ids).toEqual(["a", "a~2", "b", "c", "d"]);
    expect(damage).toEqual([
      [3, "malformed"],
      [4, "malformed"],
      [5, "duplicate_id"],
      [6, "unknown_parent"],
      [7, "cycle"],
    ]);
  });
});
