import { drawTree, rowOf, SessionTree } from "@espalier/core";
import { entry, user } from "@espalier/core/testing";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { branchName, siblingsOf } from "./branch-name.ts";

const label = (id: string, parent: string, targetId: string, text: string) =>
  entry(id, parent, { type: "label", targetId: entryId(targetId), label: text });

describe("siblings", () => {
  it("are all branches of a fork, whatever a filter of the tree leaves out", () => {
    const tree = new SessionTree(
      [
        user("u", null),
        user("one", "u"),
        user("two", "u"),
        user("three", "u"),
        label("l1", "one", "one", "a"),
        label("l3", "three", "three", "c"),
      ].map(rowOf),
    );
    const drawn = drawTree(tree, "labelled");
    expect(drawn.rows.map(({ id }) => id)).not.toContain("two");
    const found = siblingsOf(tree, entryId("one"));
    expect(found).toEqual({ ids: ["one", "two", "three"], index: 0 });
  });

  it("are not named by a bookmark", () => {
    const tree = new SessionTree(
      [user("u", null, "what was asked"), label("l", "u", "u", "bookmark")].map(rowOf),
    );
    expect(branchName(tree, entryId("u"))).toBe("what was asked");
  });
});
