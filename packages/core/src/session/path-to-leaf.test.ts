import { type EntryId, entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { buildContext } from "../context/build-context.ts";
import { cutPlaces } from "../group/can-cut.ts";
import { joinPath } from "../group/join-groups.ts";
import { assistant, entry, result, user } from "../testing/make-entries.ts";
import { POSITION } from "./aside.ts";
import type { AnyEntry } from "./known-entry.ts";
import { leafAtOpen } from "./leaf.ts";
import { commonAncestor, isAncestor, leafThrough, leaves, pathToLeaf, siblings } from "./path-to-leaf.ts";
import { rowOf } from "./row.ts";
import { SessionTree } from "./session-tree.ts";

const treeOf = (...entries: AnyEntry[]): SessionTree => new SessionTree(entries.map(rowOf));
const position = (id: string, parent: string): AnyEntry =>
  entry(id, parent, { type: "custom", customType: POSITION, data: { v: 1 } });
const label = (id: string, parent: string): AnyEntry =>
  entry(id, parent, { type: "label", targetId: entryId("a"), label: "x" });
const id = entryId;

/** a - b - c, b - d, and a second root z. */
const forked = [user("a", null), user("b", "a"), user("c", "b"), user("d", "b"), user("z", null)];

describe("where a session stands", () => {
  it("is its last line, or what the last line hangs at when that is a note", () => {
    expect(leafAtOpen(treeOf())).toBeNull();
    expect(leafAtOpen(treeOf(...forked))).toBe("z");
    expect(leafAtOpen(treeOf(...forked, position("p", "c")))).toBe("c");
    expect(leafAtOpen(treeOf(...forked, label("l", "d"), position("p", "l")))).toBe("d");
    expect(leafAtOpen(treeOf(...forked, label("l", "d"), user("e", "l")))).toBe("e");
  });
});

describe("paths", () => {
  const tree = treeOf(...forked, position("p", "c"), label("l", "d"), user("e", "l"));

  it("lead from a root to a leaf", () => {
    expect(pathToLeaf(tree, id("e"))).toEqual(["a", "b", "d", "l", "e"]);
    expect(pathToLeaf(tree, null)).toEqual([]);
    expect(pathToLeaf(tree, id("nobody"))).toEqual([]);
    expect(isAncestor(tree, id("b"), id("e"))).toBe(true);
    expect(isAncestor(tree, id("c"), id("e"))).toBe(false);
    expect(commonAncestor(tree, id("c"), id("e"))).toBe("b");
    expect(commonAncestor(tree, id("c"), id("z"))).toBeNull();
    expect(commonAncestor(tree, null, id("z"))).toBeNull();
  });

  it("end for a reader where the preferred leaf is, or at the newest below", () => {
    expect(leafThrough(tree, id("b"), id("c"))).toBe("c");
    expect(leafThrough(tree, id("b"), id("z"))).toBe("e");
    expect(leafThrough(tree, id("c"), null)).toBe("c");
    expect(leaves(tree)).toEqual(["c", "z", "e"]);
    expect(siblings(tree, id("e"))).toEqual(["e"]);
    expect(siblings(tree, id("c"))).toEqual(["c", "d"]);
    expect(siblings(tree, id("z"))).toEqual(["a", "z"]);
  });

  it("end even where rows of another program form a loop", () => {
    const looped = new SessionTree([
      { ...rowOf(user("a", "b")), parentId: id("b") },
      { ...rowOf(user("b", "a")), parentId: id("a") },
    ]);
    expect(pathToLeaf(looped, id("a"))).toHaveLength(2);
    expect(isAncestor(looped, id("x"), id("a"))).toBe(false);
  });

  it("of 200,000 entries are joined, cut and read as a context", () => {
    const entries: AnyEntry[] = [];
    for (let at = 0; at < 200_000; at += 4) {
      entries.push(
        user(`e${at}`, at === 0 ? null : `e${at - 1}`),
        assistant(`e${at + 1}`, `e${at}`, { calls: ["t"] }),
        result(`e${at + 2}`, `e${at + 1}`, "t"),
        assistant(`e${at + 3}`, `e${at + 2}`, { text: "x" }),
      );
    }
    const ids: EntryId[] = pathToLeaf(new SessionTree(entries.map(rowOf)), id("e199999"));
    const items = joinPath(entries);
    expect(ids).toHaveLength(200_000);
    expect(items).toHaveLength(150_000);
    expect(cutPlaces(items, ids)).toHaveLength(149_999);
    expect(buildContext(entries).messages).toHaveLength(200_000);
  });
});
