import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../testing/data-folder.ts";
import { applyEdits } from "./apply-edits.ts";
import { edit } from "./edit.ts";
import { editDetails } from "./edit-diff.ts";
import { runTool, temporaryFolder, toolCase } from "./tool.case.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
let made = 0;
/** Edits a fresh file and gives the result with the bytes before and after. */
const change = async (content: string | Uint8Array, args: Record<string, unknown>) => {
  const name = `file-${made++}.txt`;
  writeFileSync(at(name), content);
  const before = readFileSync(at(name));
  const output = await runTool(edit, { path: name, ...args }, folder);
  return { output, before, after: readFileSync(at(name)), text: readFileSync(at(name), "utf8") };
};
const one = (oldText: string, newText: string) => ({ edits: [{ oldText, newText }] });
/** The new text, or the reason. */
const applied = (text: string, ...pairs: [string, string][]): string => {
  const result = applyEdits(
    text,
    pairs.map(([oldText, newText]) => ({ oldText, newText })),
  );
  return result.ok ? result.text : `! ${result.error}`;
};

writeFileSync(at("suite.txt"), "one two three\n");
toolCase(edit, folder, { path: "suite.txt", edits: [{ oldText: "two", newText: "2" }] });

interface RecordedEdit {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly before?: string;
  readonly after?: string;
}

describe.skipIf(dataFolder() === null)("real edits", () => {
  const recorded: RecordedEdit[] =
    dataFolder() === null ? [] : JSON.parse(new TextDecoder().decode(readData("edit-corpus/pi-edits.json")));

  it("are all there", () => {
    expect(recorded).toHaveLength(113);
    expect(recorded.filter((each) => each.before !== undefined)).toHaveLength(76);
  });

  it("give exactly the text pi gave", async () => {
    for (const { before, after, oldText, newText } of recorded) {
      if (before === undefined || after === undefined) continue;
      const { output, text } = await change(before, one(oldText, newText));
      expect(output.isError, output.text).toBe(false);
      expect(text).toBe(after);
    }
  });

  it("give the same with CRLF, every line end kept", () => {
    for (const { before, after, oldText, newText } of recorded) {
      if (before === undefined || after === undefined) continue;
      const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
      expect(applied(crlf(before), [oldText, newText])).toBe(crlf(after));
    }
  });

  it("fit a text they are quoted from, also those without a before", () => {
    for (const { oldText, newText } of recorded) {
      expect(applied(`head\n${oldText}\ntail\n`, [oldText, newText])).toBe(`head\n${newText}\ntail\n`);
    }
  });
});

describe("applyEdits", () => {
  it("matches every edit against the original, in any order", () => {
    expect(applied("a b c", ["c", "a"], ["a", "c"])).toBe("c b a");
    expect(applied("one\ntwo\nthree\n", ["three", "3"], ["one\n", ""])).toBe("two\n3\n");
  });

  it.each<[string, string, [string, string][]]>([
    ["places in the file", "x x", [["x", "y"]]],
    ["not found", "abc", [["xyz", "y"]]],
    ["empty", "abc", [["", "y"]]],
    ["same", "abc", [["a", "a"]]],
    [
      "overlap",
      "abcd",
      [
        ["abc", "1"],
        ["cd", "2"],
      ],
    ],
    [
      "edits[1].oldText was not found",
      "abcd",
      [
        ["ab", "1"],
        ["xx", "2"],
      ],
    ],
  ])("refuses with %s", (reason, text, pairs) => {
    expect(applied(text, ...pairs)).toContain(reason);
  });

  it("finds LF text in files with CRLF, CR and mixed ends, and keeps the ends of lines it does not touch", () => {
    expect(applied("a\r\nb\r\nc", ["a\nb", "A\nB"])).toBe("A\r\nB\r\nc");
    expect(applied("a\rb\rc", ["a\nb", "A\nB"])).toBe("A\rB\rc");
    expect(applied("a\r\nb\nc\r\nd\n", ["b\nc", "B\nnew\nC"])).toBe("a\r\nB\nnew\nC\r\nd\n");
    expect(applied("a\r\nb\nc\n", ["a\nb\nc", "a\nb\nC"])).toBe("a\r\nb\nC\n");
    expect(applied("a\r\nb\r\n", ["a\r\nb", "x\r\ny"])).toBe("x\r\ny\r\n");
    expect(applied("a\nb\n", ["a\r\nb", "x\r\ny"])).toBe("x\ny\n");
  });

  it("keeps a byte order mark", () => {
    expect(applied("\ufeffabc", ["a", "x"])).toBe("\ufeffxbc");
  });

  it("changes only the matched lines when the match is loose", () => {
    const text = "\u201cquote\u201d\nbreak  \n\ufb01\n".concat(
      "x\n".repeat(20),
      "say \u201chi\u201d now\nend\n",
    );
    const got = applied(text, ['say "hi" now', 'say "ho" now']);
    expect(got).toBe(text.replace("say \u201chi\u201d now", 'say "ho" now'));
    expect(editDetails("f", text, got).patch.match(/^@@/gm)).toHaveLength(1);
  });

  it("keeps lines of a loose match that do not change as they are", () => {
    const text = "first \u2014 line  \nsecond\u00a0line\nthird\n";
    expect(applied(text, ["first - line\nsecond line\nthird", "first - line\nsecond line\n3"])).toBe(
      "first \u2014 line  \nsecond\u00a0line\n3\n",
    );
  });

  it("counts loose matches too, and never appends", () => {
    expect(applied("\u2018a\u2019\n\u201aa\u2019\n", ["'a'", "b"])).toContain("2 places");
    const struct = "struct S {\n    loading: bool,\n    name: String,\n}\n";
    expect(applied(struct, ["struct S {\n   loading: bool,", "struct S {\n   loaded: bool,"])).toContain(
      "not found",
    );
  });

  it("does not take white space at a line's end for the middle of a word", () => {
    expect(applied("foobar\n", ["foo  ", "x"])).toContain("not found");
    expect(applied("foo\nbar\n", ["foo  \nbar", "x"])).toBe("x\n");
  });

  it("does not cut a character that becomes several", () => {
    expect(applied("\ufb01x", ["f", "g"])).toContain("not found");
  });

  it("changes nothing else, whatever the text", () => {
    const part = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "\r\n", "\u2019", "é", "\u{1F331}"),
      maxLength: 30,
    });
    fc.assert(
      fc.property(part, part, fc.string({ maxLength: 10 }), (head, tail, insert) => {
        const got = applied(`${head}<<MARK>>${tail}`, ["<<MARK>>", insert]);
        const ends = /\r/.test(head + tail) ? insert.replaceAll(/\r\n|\r|\n/g, () => "\n") : insert;
        if (!/[\r\n]/.test(insert)) expect(got).toBe(`${head}${ends}${tail}`);
        expect(got.startsWith(head) && got.endsWith(tail)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe("edit", () => {
  it("takes the shapes models send", async () => {
    const shapes: Record<string, unknown>[] = [
      { oldText: "b", newText: "x" },
      { edits: { oldText: "b", newText: "x" } },
      { edits: '[{"oldText":"b","newText":"x"}]' },
      { edits: ['{"oldText":"b","newText":"x"}'] },
    ];
    for (const shape of shapes) expect((await change("abc", shape)).text).toBe("axc");
  });

  it("refuses a file that is no UTF-8, byte for byte untouched", async () => {
    for (const bytes of [
      [0x63, 0x61, 0x66, 0xe9],
      [0x61, 0, 0x62],
    ]) {
      const { output, before, after } = await change(Uint8Array.from(bytes), one("a", "\u2192"));
      expect(output).toMatchObject({ isError: true, text: expect.stringContaining("no UTF-8") });
      expect(after).toEqual(before);
    }
  });

  it("writes nothing when one of several edits fails", async () => {
    const { output, before, after } = await change("a b", {
      edits: [
        { oldText: "a", newText: "x" },
        { oldText: "zzz", newText: "y" },
      ],
    });
    expect(output.isError).toBe(true);
    expect(after).toEqual(before);
  });

  it("keeps mode and links", async () => {
    writeFileSync(at("run.sh"), "echo a\n");
    chmodSync(at("run.sh"), 0o751);
    symlinkSync("run.sh", at("link.sh"));
    await runTool(edit, { path: "link.sh", ...one("a", "b") }, folder);
    expect(readFileSync(at("run.sh"), "utf8")).toBe("echo b\n");
    expect(statSync(at("run.sh")).mode & 0o777).toBe(0o751);
  });

  it("says what changed, for the eye and for programs", async () => {
    const { output } = await change(
      Array.from({ length: 30 }, (_, n) => `l${n + 1}\n`).join(""),
      one("l15\n", "L15\nnew\n"),
    );
    expect(output.details).toEqual({
      firstChangedLine: 15,
      diff: [
        "    ...",
        " 11 l11",
        " 12 l12",
        " 13 l13",
        " 14 l14",
        "-15 l15",
        "+15 L15",
        "+16 new",
        " 17 l16",
        " 18 l17",
        " 19 l18",
        " 20 l19",
        "    ...",
      ].join("\n"),
      patch: expect.stringContaining("@@ -11,9 +11,10 @@"),
    });
  });

  it("makes changes of one file one after another", async () => {
    writeFileSync(at("queue.txt"), Array.from({ length: 20 }, (_, n) => `<${n}>`).join("\n"));
    symlinkSync("queue.txt", at("queue-link.txt"));
    const outputs = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        runTool(
          edit,
          { path: n % 2 === 0 ? "queue.txt" : "queue-link.txt", ...one(`<${n}>`, `done ${n}`) },
          folder,
        ),
      ),
    );
    expect(outputs.filter((output) => output.isError)).toEqual([]);
    expect(readFileSync(at("queue.txt"), "utf8")).toBe(
      Array.from({ length: 20 }, (_, n) => `done ${n}`).join("\n"),
    );
  });

  it("names a missing file", async () => {
    expect(await runTool(edit, { path: "none.txt", ...one("a", "b") }, folder)).toMatchObject({
      isError: true,
      text: expect.stringContaining("none.txt was not found"),
    });
  });
});
