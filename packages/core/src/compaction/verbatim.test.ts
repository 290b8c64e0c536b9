import { describe, expect, it } from "vitest";
import { verbatimLines, withVerbatim } from "./verbatim.ts";

describe("lines that are kept word for word", () => {
  const summary =
    "## Goal\nG\n\n## Keep Verbatim\n- npm run check\n- src/a.ts\n\n<read-files>\nx\n</read-files>";

  it("are read from a summary and nothing else is", () => {
    expect(verbatimLines(summary)).toEqual(["npm run check", "src/a.ts"]);
    expect(verbatimLines("## Goal\n- a list")).toEqual([]);
  });

  it("are added once each, on one line, in place of those that stand there", () => {
    const more = withVerbatim(summary, [...verbatimLines(summary), "two\nlines", "src/a.ts", " "]);
    expect(verbatimLines(more)).toEqual(["npm run check", "src/a.ts", "two lines"]);
    expect(more.match(/Keep Verbatim/g)).toHaveLength(1);
    expect(more).toContain("<read-files>");
    expect(withVerbatim(more, verbatimLines(more))).toBe(more);
  });

  it("change nothing where there are none", () => {
    expect(withVerbatim("## Goal\nG", [])).toBe("## Goal\nG");
  });
});
