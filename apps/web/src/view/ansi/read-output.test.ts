import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../../testing/data-folder.ts";
import { readOutput, writeOutput } from "./read-output.ts";
import { Screen } from "./screen.ts";

const text = (output: string): string =>
  readOutput(output)
    .map((line) => line.map((piece) => piece.text).join(""))
    .join("\n");

describe("readOutput", () => {
  it("keeps spaces at the start of a line and turns colours into styles", () => {
    const lines = readOutput('  {\n    \u001b[32m"a"\u001b[0m: 1');
    expect(lines[0]).toEqual([{ text: "  {", style: {} }]);
    expect(lines[1]).toEqual([
      { text: "    ", style: {} },
      { text: '"a"', style: { fg: "green" } },
      { text: ": 1", style: {} },
    ]);
  });

  it("shows only the last state of a progress line", () => {
    expect(text("10%\r20%\r100% done\n")).toBe("100% done\n");
    expect(text("one\ntwo\n\u001b[1A\u001b[2Kthree\n")).toBe("one\nthree\n");
    expect(text("old\u001b[2J\u001b[Hnew")).toBe("new");
  });

  it("drops links, titles and unknown sequences, also those that are cut off", () => {
    expect(text("\u001b]8;;http://x\u0007name\u001b]8;;\u0007")).toBe("name");
    expect(text("a\u001b]0;title\u001b\\b\u001b[?25lc\u001b(Bd")).toBe("abcd");
    expect(text("a\u001b[38;5")).toBe("a");
    expect(text("a\u001b]8;;http://x")).toBe("a");
  });

  it("stays small when asked for far columns and rows", () => {
    expect(text("\u001b[99999Cx\u001b[99999By\u001b[999999999@z").length).toBeLessThan(10_000);
  });
});

const SUITE = "suites/xterm-escapes/test/fixtures/escape_sequence_files";
/**
 * What the output of a pipe has no use for: scroll regions, the second screen, insert and wrap modes, tab stops set by hand, what
 * a cursor does that waits at a terminal's right edge, and lines pushed over the edge of a screen of fixed height.
 */
const MODES =
  /DECSTBM|alt_screen|IRM|NLM|DECAWM|reverse_wrap|vttest|TBC|HTS|vim|RI_scroll|SU\b|SD\b|history|_scroll|HPB/;
const EDGES = /IND|VT|BS|FF|CAN|SUB|CUD|VPR|VPB|REP|ICH|IL\b|EL|ED|DECSC|CSI_s|-HT|CHT|CBT/;
const LEFT_OUT = (name: string): boolean => MODES.test(name) || EDGES.test(name);

describe.skipIf(dataFolder() === null)("the xterm escape sequence files", () => {
  const folder = dataFolder() === null ? null : join(dataFolder() ?? "", SUITE);
  const names = folder === null ? [] : readdirSync(folder).filter((name) => name.endsWith(".in"));
  const read = (name: string): string => new TextDecoder().decode(readData(`${SUITE}/${name}`));
  it.for(names.filter((name) => !LEFT_OUT(name)))("%s", (name) => {
    const screen = new Screen({ columns: 80, rows: 25 });
    writeOutput(screen, read(name));
    const shown = screen
      .pieces()
      .slice(-25)
      .map((line) => line.map((piece) => piece.text).join(""));
    const trim = (lines: readonly string[]): string =>
      lines
        .map((line) => line.trimEnd())
        .join("\n")
        .trimEnd();
    expect(trim(shown)).toBe(trim(read(name.replace(".in", ".text")).split("\n")));
  });
});
