import type { FileChange } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { sideRows, sizeOf } from "./side-lines.ts";

const file = (text: string | null, hunks: FileChange["hunks"] = []): FileChange => ({
  path: "a",
  text,
  hunks,
  writes: text === null ? 0 : 1,
  edits: hunks.length,
});
const words = (rows: ReturnType<typeof sideRows>) =>
  rows.map(({ a, b }) => [a && `${a.number}${a.kind}:${a.text}`, b && `${b.number}${b.kind}:${b.text}`]);

describe("sideRows", () => {
  it("two known texts stand beside each other where they differ", () => {
    expect(words(sideRows(file("one\ntwo\n"), file("one\n2\nthree\n")))).toEqual([
      ["1same:one", "1same:one"],
      ["2only:two", "2only:2"],
      [null, "3only:three"],
    ]);
    expect(sideRows(file("same"), file("same"))).toEqual([]);
  });

  it("else each side shows what its branch changed", () => {
    expect(words(sideRows(file(null, [{ before: "x", after: "y" }]), file("z")))).toEqual([
      ["0gone:x", "1added:z"],
      ["0added:y", null],
    ]);
    expect(words(sideRows(null, file("z")))).toEqual([[null, "1added:z"]]);
  });

  it("counts lines that are known to have come and gone", () => {
    expect(sizeOf(file("1\n2\n", [{ before: "a\nb", after: "a" }]))).toEqual({ added: 2, removed: 1 });
    expect(sizeOf(file(""))).toEqual({ added: 0, removed: 0 });
  });
});
