import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { read } from "./read.ts";
import { runTool, temporaryFolder, toolCase } from "./tool.case.ts";

const folder = temporaryFolder();
const put = (name: string, content: string | Uint8Array): void => writeFileSync(join(folder, name), content);
const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");
const ask = (args: Record<string, unknown>) => runTool(read, args, folder);

/** A PNG of a size: signature and header are all that is looked at. */
const png = (width: number, height: number, padding = 0): Uint8Array => {
  const head = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([head, size, Buffer.from("0806000000", "hex"), Buffer.alloc(padding, 7)]);
};

put("a.txt", "one\ntwo\nthree\n");
toolCase(read, folder, { path: "a.txt" });

describe("read", () => {
  it("gives the file as it is", async () => {
    expect((await ask({ path: "a.txt" })).text).toBe("one\ntwo\nthree\n");
    expect((await ask({ path: `@${join(folder, "a.txt")}` })).text).toBe("one\ntwo\nthree\n");
  });

  it("reads a part and says how much is left", async () => {
    expect((await ask({ path: "a.txt", offset: 2, limit: 1 })).text).toBe(
      "two\n\n[1 more lines in the file. Go on with offset=3.]",
    );
    expect((await ask({ path: "a.txt", offset: 3 })).text).toBe("three\n");
    expect((await ask({ path: "a.txt", offset: "2", limit: "2" })).text).toBe("two\nthree\n");
  });

  it("says so when the offset lies beyond the end", async () => {
    const output = await ask({ path: "a.txt", offset: 9 });
    expect(output).toMatchObject({ isError: true, text: expect.stringContaining("3 lines") });
  });

  it("stops at 2000 lines and at 50 KB, between lines, and says where to go on", async () => {
    put("long.txt", lines(2500));
    const long = await ask({ path: "long.txt" });
    expect(long.text).toContain("line 2000\n\n[Lines 1-2000 of 2500. Go on with offset=2001.]");
    expect((await ask({ path: "long.txt", offset: 2001 })).text).toBe(
      lines(2500).split("\n").slice(2000).join("\n"),
    );
    put("wide.txt", Array.from({ length: 100 }, () => "é".repeat(1000)).join("\n"));
    const wide = await ask({ path: "wide.txt" });
    expect(wide.text).toContain("[Lines 1-25 of 100 (50.0 KB at most). Go on with offset=26.]");
    expect(wide.details).toMatchObject({
      truncation: { truncatedBy: "bytes", outputLines: 25, totalLines: 100 },
    });
    expect(wide.text).not.toContain("\ufffd");
  });

  it("names a way to look at a line that is too long", async () => {
    put("one-line.txt", "x".repeat(60 * 1024));
    const output = await ask({ path: "one-line.txt" });
    expect(output.isError).toBe(true);
    expect(output.text).toContain("60.0 KB");
    expect(output.text).toContain("sed -n '1p'");
  });

  it("reads a large file without holding it", async () => {
    const big = Buffer.alloc(64 * 1024 * 1024, "abcdefg\n");
    put("big.txt", big);
    const output = await ask({ path: "big.txt", offset: 8_388_607, limit: 1 });
    expect(output.text).toContain("abcdefg\n\n[1 more lines");
  });

  it("knows an empty file, a folder, a missing file, a device and a binary", async () => {
    put("empty", "");
    mkdirSync(join(folder, "sub"), { recursive: true });
    put("binary", Uint8Array.from([1, 2, 0, 4]));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect((await ask({ path: "empty" })).text).toBe("(The file is empty.)");
    expect((await ask({ path: "sub" })).text).toContain("folder");
    expect((await ask({ path: "nowhere.txt" })).text).toContain("nowhere.txt was not found");
    expect((await ask({ path: "pipe" })).text).toContain("no regular file");
    expect((await ask({ path: "binary" })).text).toContain("binary file of 4 B");
  });

  it("shows bytes that are no UTF-8, and says so", async () => {
    put("latin1.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    expect((await ask({ path: "latin1.txt" })).text).toContain("caf\ufffd\n\n[Bytes that are no UTF-8");
  });

  it("tells an image by its bytes and sends it", async () => {
    put("picture.txt", png(64, 32));
    const output = await ask({ path: "picture.txt" });
    expect(output.content).toMatchObject([
      { type: "text", text: expect.stringContaining("64 x 32") },
      { type: "image", mimeType: "image/png", data: Buffer.from(png(64, 32)).toString("base64") },
    ]);
  });

  it("refuses an image with a side over the limit, tall or wide, or with too many bytes, and names the size", async () => {
    put("tall.png", png(800, 9000));
    put("wide.png", png(9000, 800));
    put("heavy.png", png(100, 100, 3.5 * 1024 * 1024));
    expect(await ask({ path: "tall.png" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("800 x 9000"),
    });
    expect(await ask({ path: "wide.png" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("9000 x 800"),
    });
    expect(await ask({ path: "heavy.png" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("3.5 MB"),
    });
  });

  it("finds names that macOS spells with other spaces, quotes and accents", async () => {
    put("Shot 3.00\u202fPM.txt", "narrow space");
    put("Cafe\u0301.md", "decomposed");
    put("it\u2019s.txt", "curly");
    expect((await ask({ path: "Shot 3.00 PM.txt" })).text).toBe("narrow space");
    expect((await ask({ path: "Caf\u00e9.md" })).text).toBe("decomposed");
    expect((await ask({ path: "it's.txt" })).text).toBe("curly");
  });

  it("asks when two names could be meant", async () => {
    put("a\u00a0b.txt", "1");
    put("a\u202fb.txt", "2");
    const output = await ask({ path: "a b.txt" });
    expect(output.isError).toBe(true);
    expect(output.text).toContain("several files");
  });

  it("follows links and says when they run in a circle", async () => {
    symlinkSync("a.txt", join(folder, "link"));
    symlinkSync("loop-b", join(folder, "loop-a"));
    symlinkSync("loop-a", join(folder, "loop-b"));
    expect((await ask({ path: "link" })).text).toContain("one");
    expect((await ask({ path: "loop-a" })).isError).toBe(true);
  });
});
