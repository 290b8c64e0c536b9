import { entryId, type Row } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { OUTCOME } from "./aside.ts";
import { rowOf } from "./row.ts";
import { SessionTree } from "./session-tree.ts";

const row = (id: string, parent: string | null, more: Partial<Row> = {}): Row => ({
  id: entryId(id),
  parentId: parent === null ? null : entryId(parent),
  type: "message",
  time: 0,
  tokens: 0,
  ...more,
});

describe("SessionTree", () => {
  it("counts what hangs below an aside as its parent's branch", () => {
    const tree = new SessionTree([
      row("a", null),
      row("p", "a", { type: "custom", flags: ["aside"] }),
      row("b", "p"),
      row("c", "a"),
    ]);
    expect(tree.branches(entryId("a"))).toEqual(["b", "c"]);
    expect(tree.children(entryId("a"))).toEqual(["p", "c"]);
  });

  it("keeps the last label in file order and forgets a cleared one", () => {
    const tree = new SessionTree([row("a", null)]);
    tree.append(row("l1", "a", { type: "label", target: "a", name: "one" }));
    tree.append(row("l2", "l1", { type: "label", target: "a", name: "two" }));
    expect(tree.labels.get(entryId("a"))).toBe("two");
    tree.append(row("l3", "l2", { type: "label", target: "a" }));
    expect(tree.labels.size).toBe(0);
  });

  it("refuses an id twice", () => {
    const tree = new SessionTree([row("a", null)]);
    expect(() => tree.append(row("a", null))).toThrow(RangeError);
    expect(tree.version).toBe(1);
  });
});

describe("outcome marks", () => {
  const mark = (id: string, data: unknown) =>
    rowOf({
      type: "custom",
      customType: OUTCOME,
      data,
      id: entryId(id),
      parentId: null,
      timestamp: "2026-01-01T00:00:00.000Z",
    });

  it("hold as the last one in file order says, and can be taken back", () => {
    const tree = new SessionTree([mark("o1", { v: 1, at: "a", outcome: "failed", note: "no tests" })]);
    expect(tree.outcomes.get(entryId("a"))).toEqual({ outcome: "failed", note: "no tests" });
    tree.append(mark("o2", { v: 1, at: "a", outcome: "worked" }));
    expect(tree.outcomes.get(entryId("a"))).toEqual({ outcome: "worked" });
    tree.append(mark("o3", { v: 1, at: "a" }));
    expect(tree.outcomes.has(entryId("a"))).toBe(false);
  });

  it("that nobody can read mark nothing", () => {
    const odd = [null, "x", { at: 5, outcome: "worked" }, { v: 2, at: "a", outcome: "later word" }];
    const tree = new SessionTree(odd.map((data, at) => mark(`o${at}`, data)));
    expect([...tree.outcomes]).toEqual([]);
    expect(tree.rows.every(({ id }) => tree.isAside(id))).toBe(true);
  });
});
