import { type AnyEntry, rowOf, SessionTree } from "@espalier/core";
import { entry, user } from "@espalier/core/testing";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { entriesToMerge } from "./merge-entries.ts";

const held: AnyEntry[] = [user("u1", null, "one"), user("u2", "u1", "two")];
const tree = new SessionTree(held.map(rowOf));
const present = (...ids: string[]) =>
  new Map(held.flatMap((one) => (ids.includes(one.id) ? [[one.id, one] as const] : [])));

describe("entries that were made elsewhere", () => {
  it("go in as they are, those that are there already left out", () => {
    const label = entry("l1", "u2", { type: "label", targetId: entryId("u1"), label: "here" });
    expect(entriesToMerge(tree, [held[1] as AnyEntry, label], present("u2"))).toEqual([label]);
    expect(entriesToMerge(tree, [label], new Map())[0]).toBe(label);
  });

  it("get a new id where another entry has theirs, and what points to them follows", () => {
    const clash = user("u2", "u1", "other words");
    const below = user("u3", "u2", "below it");
    const label = entry("l1", "u3", { type: "label", targetId: entryId("u2"), label: "mine" });
    const [first, second, third] = entriesToMerge(tree, [clash, below, label], present("u2"));
    expect(first?.id).not.toBe("u2");
    expect(first).toMatchObject({ parentId: "u1", message: { content: "other words" } });
    expect(second).toMatchObject({ id: "u3", parentId: first?.id });
    expect(third).toMatchObject({ id: "l1", parentId: "u3", targetId: first?.id });
  });

  it("are refused where their parent is nowhere", () => {
    expect(() => entriesToMerge(tree, [user("u9", "nobody")], new Map())).toThrow(/nobody/);
  });

  it("are the same entry whatever the order of keys", () => {
    const [u1] = held;
    const turned = Object.fromEntries(Object.entries(u1 ?? {}).toReversed()) as unknown as AnyEntry;
    expect(entriesToMerge(tree, [turned], present("u1"))).toEqual([]);
  });
});
