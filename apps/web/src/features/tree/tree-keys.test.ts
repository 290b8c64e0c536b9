import type { OutlineRow } from "@espalier/core";
import { describe, expect, it } from "vitest";
import { treeMove, typeAhead } from "./tree-keys.ts";

const row = (run: number, level: number, fold: OutlineRow["fold"] = "none"): OutlineRow => ({
  run,
  level,
  fold,
  lane: level - 1,
  position: 1,
  siblings: 1,
  onPath: level === 1,
  branch: level > 1,
  first: run === 0,
  last: false,
  underPath: true,
  entries: 1,
  ends: 0,
});
const rows = [row(0, 1), row(1, 2, "closed"), row(2, 2, "open"), row(3, 3), row(4, 1)];

describe("keys of the tree", () => {
  it("move, open, close, go in and out by the tree pattern", () => {
    expect(treeMove(rows, 0, "ArrowDown")).toEqual({ kind: "focus", index: 1 });
    expect(treeMove(rows, 0, "ArrowUp")).toBeNull();
    expect(treeMove(rows, 0, "ArrowRight")).toEqual({ kind: "focus", index: 1 });
    expect(treeMove(rows, 1, "ArrowRight")).toEqual({ kind: "toggle", index: 1, open: true });
    expect(treeMove(rows, 2, "ArrowRight")).toEqual({ kind: "focus", index: 3 });
    expect(treeMove(rows, 2, "ArrowLeft")).toEqual({ kind: "toggle", index: 2, open: false });
    expect(treeMove(rows, 3, "ArrowLeft")).toEqual({ kind: "focus", index: 2 });
    expect(treeMove(rows, 1, "End")).toEqual({ kind: "focus", index: 4 });
    expect(treeMove(rows, 1, "Enter")).toEqual({ kind: "open", index: 1 });
    expect(treeMove(rows, 1, " ")).toEqual({ kind: "mark", index: 1 });
    expect(treeMove(rows, 1, "*")).toEqual({ kind: "siblings", index: 1 });
    expect(treeMove(rows, 1, "x")).toBeNull();
  });

  it("go to the next title that begins with what is typed, around the end", () => {
    const titles = ["alpha", "beta", "banana", "gamma"];
    const from = (index: number, typed: string) => typeAhead((at) => titles[at] ?? "", 4, index, typed);
    expect(from(1, "b")).toBe(2);
    expect(from(2, "b")).toBe(1);
    expect(from(0, "ba")).toBe(2);
    expect(from(0, "z")).toBe(-1);
  });
});
