import { type SessionInfo, sessionId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { EVERYTHING, foldersOf, sessionLines } from "./session-rows.ts";

const session = (id: string, more: Partial<SessionInfo> = {}): SessionInfo => ({
  id: sessionId(id),
  path: `/s/${id}`,
  root: "espalier",
  cwd: "/w",
  firstMessage: id,
  created: "2026-01-01T00:00:00.000Z",
  modified: `2026-01-0${id.length}T00:00:00.000Z`,
  messageCount: 1,
  ...more,
});
const told = (...asked: Parameters<typeof sessionLines>): string[] =>
  sessionLines(...asked).map((line) =>
    line.kind === "folder" ? `${line.cwd} ${line.count}` : `${" ".repeat(line.depth)}${line.session.id}`,
  );

describe("the lines of the list", () => {
  it("are grouped by the header's folder, newest first, forks below their origin", () => {
    const all = [
      session("a"),
      session("bb", { parent: "/s/a" }),
      session("ccc", { cwd: "/x" }),
      session("dddd", { parent: "/s/gone" }),
      session("eeeee", { parent: "/s/bb" }),
    ];
    expect(told(all, EVERYTHING)).toEqual(["/w 4", "dddd", "a", " bb", "  eeeee", "/x 1", "ccc"]);
    expect(foldersOf(all)).toEqual([
      { cwd: "/w", count: 4 },
      { cwd: "/x", count: 1 },
    ]);
  });

  it("are filtered by words, root and folder, and sorted", () => {
    const totals = { entries: 9, branches: 1, tokens: 1, cost: 2, damaged: 0 };
    const all = [
      session("a", { name: "zebra" }),
      session("b", { root: "pi", totals }),
      session("c", { cwd: "/x y" }),
    ];
    expect(told(all, { ...EVERYTHING, root: "pi" })).toEqual(["/w 1", "b"]);
    expect(told(all, { ...EVERYTHING, text: "Y c" })).toEqual(["/x y 1", "c"]);
    expect(told(all, { ...EVERYTHING, folder: "/x y" })).toEqual(["/x y 1", "c"]);
    expect(told(all, { ...EVERYTHING, sort: "cost" })[1]).toBe("b");
    expect(told(all, { ...EVERYTHING, sort: "size" })[1]).toBe("b");
    expect(told(all, { ...EVERYTHING, sort: "name", folder: "/w" })).toEqual(["/w 2", "b", "a"]);
  });

  it("hold every session once, also where files name each other, or a chain is long", () => {
    const loop = [
      session("a", { parent: "/s/b" }),
      session("b", { parent: "/s/a" }),
      session("c", { parent: "/s/c" }),
    ];
    expect(told(loop, EVERYTHING)).toHaveLength(4);
    const chain = Array.from({ length: 20_000 }, (_, at) =>
      session(`s${at}`, at === 0 ? {} : { parent: `/s/s${at - 1}` }),
    );
    expect(told(chain, EVERYTHING)).toHaveLength(20_001);
  });
});
