import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../../testing/data-folder.ts";
import { compareTexts, countChanges, markWords, readPiDiff } from "./diff-lines.ts";

const text = (lines: ReturnType<typeof compareTexts>, drop: "add" | "del"): string =>
  lines
    .filter(({ kind }) => kind !== drop && kind !== "gap")
    .map(({ pieces }) => pieces.map((piece) => piece.text).join(""))
    .join("\n");

describe("readPiDiff", () => {
  it("reads pi's display diff with its line numbers", () => {
    expect(readPiDiff("      ...\n   83   get a();\n-  87   old\n+  87   new\n   88 \n      ...")).toEqual([
      { kind: "gap", number: 0, pieces: [] },
      { kind: "same", number: 83, pieces: [{ text: "  get a();", changed: false }] },
      { kind: "del", number: 87, pieces: [{ text: "  old", changed: false }] },
      { kind: "add", number: 87, pieces: [{ text: "  new", changed: false }] },
      { kind: "same", number: 88, pieces: [] },
      { kind: "gap", number: 0, pieces: [] },
    ]);
    expect(readPiDiff("--- a\n+++ b")).toBeNull();
  });
});

describe("markWords", () => {
  it("marks what differs in a pair, and nothing when the lines share little", () => {
    const pair = markWords(compareTexts("const a = map(one);", "const a = filter(one);"));
    expect(
      pair.map(({ pieces }) => pieces.filter(({ changed }) => changed).map((piece) => piece.text)),
    ).toEqual([["map"], ["filter"]]);
    const apart = markWords(compareTexts("const a = map(one);", "return 7"));
    expect(apart.every(({ pieces }) => pieces.every(({ changed }) => !changed))).toBe(true);
  });
});

describe.skipIf(dataFolder() === null)("recorded edits", () => {
  it("compare to both texts again", () => {
    const { edits } = normal(JSON.parse(new TextDecoder().decode(readData("edit-corpus/pi-edits.json"))));
    expect(edits.length).toBeGreaterThan(50);
    for (const { before, after } of edits) {
      const lines = markWords(compareTexts(before, after));
      const { added, removed } = countChanges(lines);
      expect(added + removed).toBeGreaterThan(0);
      for (const side of ["add", "del"] as const) {
        const whole = side === "add" ? before : after;
        for (const part of text(lines, side).split("\n")) expect(whole).toContain(part);
      }
    }
  });
});

/** Every pair of texts in the corpus, whatever it is wrapped in. */
const normal = (value: unknown): { edits: { before: string; after: string }[] } => {
  const edits: { before: string; after: string }[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { before, after } = node as { before?: unknown; after?: unknown };
    if (typeof before === "string" && typeof after === "string" && before !== after)
      edits.push({ before, after });
    for (const child of Object.values(node)) walk(child);
  };
  walk(value);
  return { edits };
};
