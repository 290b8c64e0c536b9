import { rowOf, SessionTree } from "@espalier/core";
import { entry, user } from "@espalier/core/testing";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { goesOnFrom } from "./use-went-on.ts";

const summary = (id: string, parent: string | null, from: string) =>
  entry(id, parent, { type: "branch_summary", fromId: from, summary: "s" });

const tree = new SessionTree(
  [
    user("u1", null),
    user("u2", "u1"),
    user("x", "u1"),
    user("u3", "u2"),
    summary("s", "u1", "u2"),
    user("u4", "s"),
    user("root", null),
  ].map(rowOf),
);
const goesOn = (before: string | null, after: string | null, known: number): boolean =>
  goesOnFrom(tree, before === null ? null : entryId(before), after === null ? null : entryId(after), known);

describe("what stands in the composer", () => {
  it("goes with a path that grew below it, or was summed up elsewhere", () => {
    expect(goesOn("u2", "u3", 3)).toBe(true);
    expect(goesOn("u2", "s", 4)).toBe(true);
    expect(goesOn("u2", "u4", 4)).toBe(true);
    expect(goesOn(null, "root", 6)).toBe(true);
  });

  it("stays where it was written when somebody went to another place", () => {
    expect(goesOn("u1", "u2", 7)).toBe(false);
    expect(goesOn("u3", "u2", 7)).toBe(false);
    expect(goesOn("u2", "x", 2)).toBe(false);
    expect(goesOn("u3", "s", 4)).toBe(false);
    expect(goesOn("u2", null, 0)).toBe(false);
  });
});
