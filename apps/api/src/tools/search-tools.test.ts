import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { find } from "./find.ts";
import { globTest } from "./glob.ts";
import { grep } from "./grep.ts";
import { ls } from "./ls.ts";
import { lineMatcher } from "./search-text.ts";
import { runTool, temporaryFolder, toolCase } from "./tool.case.ts";

const folder = temporaryFolder();
const put = (name: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
};
mkdirSync(join(folder, ".git"));
put(".git/config", "needle");
put(".gitignore", "dist/\n*.log\n!keep.log\n");
put("src/a.ts", "one\nneedle here\nthree\nfour\nNeedle again\n");
put("src/deep/b.ts", "no\nneedle\r\n");
put("src/deep/.gitignore", "secret.ts\n");
put("src/deep/secret.ts", "needle\n");
put("dist/out.js", "needle\n");
put("debug.log", "needle\n");
put("keep.log", "needle\n");
put(".github/ci.yml", "needle: true\n");
put("bin.dat", Uint8Array.from([110, 101, 101, 100, 108, 101, 0]));
put("elsewhere/linked.txt", "needle\n");
symlinkSync("elsewhere", join(folder, "link"));
put("min.js", `${"x".repeat(150_000)}the needle is here${"y".repeat(150_000)}\n`);

const search = (args: Record<string, unknown>) => runTool(grep, { pattern: "needle", ...args }, folder);
const files = (text: string): string[] => [
  ...new Set(text.split("\n").flatMap((line) => /^([^:\n]+):\d+: /.exec(line)?.[1] ?? [])),
];

toolCase(grep, folder, { pattern: "needle" });
toolCase(find, folder, { pattern: "*.ts" });
toolCase(ls, folder, { path: "src" });

describe("grep", () => {
  it("searches hidden files, and not what is ignored, linked or binary", async () => {
    const { text } = await search({});
    expect(files(text)).toEqual([
      "keep.log",
      "min.js",
      ".github/ci.yml",
      "elsewhere/linked.txt",
      "src/a.ts",
      "src/deep/b.ts",
    ]);
    expect(text).toContain("src/a.ts:2: needle here");
    expect(text).toContain("src/deep/b.ts:2: needle\n");
    expect(text).toContain("1 binary files were not searched");
  });

  it("searches what is named, though it is ignored, hidden or a link", async () => {
    expect(files((await search({ path: "dist" })).text)).toEqual(["dist/out.js"]);
    expect(files((await search({ path: "debug.log" })).text)).toEqual(["debug.log"]);
    expect(files((await search({ path: ".github" })).text)).toEqual([".github/ci.yml"]);
    expect(files((await search({ path: "link" })).text)).toEqual(["link/linked.txt"]);
    expect(files((await search({ path: "src/deep" })).text)).toEqual(["src/deep/b.ts"]);
  });

  it("says what it left out when it finds nothing", async () => {
    const { text, isError } = await search({ pattern: "nowhere-at-all" });
    expect(isError).toBe(false);
    expect(text).toContain("No matches found. Left out:");
    expect(text).toMatch(/3 ignored by .gitignore, 1 linked folders/);
  });

  it("shows of a long line the part around the match, with its column", async () => {
    const { text } = await search({ path: "min.js" });
    expect(text).toContain("the needle is here");
    expect(text).toContain("[column 150005 of 300018 characters]");
    expect(text.length).toBeLessThan(800);
  });

  it("knows context, case, literal, glob and limit", async () => {
    expect((await search({ path: "src/a.ts", context: 1 })).text).toBe(
      "src/a.ts-1- one\nsrc/a.ts:2: needle here\nsrc/a.ts-3- three",
    );
    expect((await search({ path: "src/a.ts", ignoreCase: true })).text.split("\n")).toHaveLength(2);
    expect((await search({ path: "src/a.ts", ignoreCase: true, context: 1 })).text).toContain(
      "\nsrc/a.ts-4- four",
    );
    expect((await search({ pattern: "ne+dle he.e", path: "src" })).text).toContain("src/a.ts:2");
    expect((await search({ pattern: "ne+dle", path: "src", literal: true })).text).toContain("No matches");
    expect(files((await search({ glob: "*.{yml,log}" })).text)).toEqual(["keep.log", ".github/ci.yml"]);
    expect(files((await search({ glob: "src/*.ts" })).text)).toEqual(["src/a.ts"]);
    const { text } = await search({ limit: 2 });
    expect(files(text)).toHaveLength(2);
    expect(text).toContain("More than 2 matches");
  });

  it("answers for a pattern that is none, and for one that would run for ever", async () => {
    expect(await search({ pattern: "(" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("literal"),
    });
    const match = lineMatcher(/^(a+)+$/, 100);
    expect(match(["aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"], 10)).toBeNull();
    expect(match(["aaa"], 10)).toEqual([{ line: 1, column: 1 }]);
  });
});

describe("find", () => {
  const ask = async (args: Record<string, unknown>): Promise<string[]> =>
    (await runTool(find, args, folder)).text.split("\n");

  it("finds names at any depth and paths below the folder", async () => {
    expect(await ask({ pattern: "*.ts" })).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(await ask({ pattern: "src/*.ts" })).toEqual(["src/a.ts"]);
    expect(await ask({ pattern: "src/**/*.ts" })).toEqual(["src/a.ts", "src/deep/b.ts"]);
    expect(await ask({ pattern: "deep" })).toEqual(["src/deep/"]);
    expect(await ask({ pattern: "b.ts", path: "src" })).toEqual(["deep/b.ts"]);
    expect(await ask({ pattern: "*.yml" })).toEqual([".github/ci.yml"]);
  });

  it("says what it left out, and where it stopped", async () => {
    expect((await ask({ pattern: "nothing*" }))[0]).toContain("Nothing found. Left out:");
    expect(await ask({ pattern: "*.ts", limit: 1 })).toEqual([
      "src/a.ts",
      "",
      expect.stringContaining("More than 1"),
    ]);
    expect(await ask({ pattern: "*.js", path: "dist" })).toEqual(["out.js"]);
  });
});

describe("ls", () => {
  it("lists hidden names, folders with a slash, without regard to case", async () => {
    put("list/b.txt", "");
    put("list/A.txt", "");
    put("list/.hidden", "");
    put("list/sub/x", "");
    symlinkSync("sub", join(folder, "list/to-sub"));
    expect((await runTool(ls, { path: "list" }, folder)).text.split("\n")).toEqual([
      ".hidden",
      "A.txt",
      "b.txt",
      "sub/",
      "to-sub/",
    ]);
    expect((await runTool(ls, { path: "list", limit: 2 }, folder)).text).toContain("3 more entries");
    expect((await runTool(ls, { path: "keep.log" }, folder)).text).toContain("no folder");
    mkdirSync(join(folder, "void"));
    expect((await runTool(ls, { path: "void" }, folder)).text).toBe("(The folder is empty.)");
  });
});

describe("globTest", () => {
  it.each<[string, string[], string[]]>([
    ["*.ts", ["a.ts", "x/y/a.ts"], ["a.tsx", "a.ts/b"]],
    ["src/*", ["src/a"], ["src/a/b", "x/src/a"]],
    ["**/test/*.js", ["test/a.js", "a/b/test/c.js"], ["test/a/b.js"]],
    ["src/**", ["src/a", "src/a/b"], ["source/a"]],
    ["a?c", ["abc"], ["ac", "a/c"]],
    ["[a-c]x.{js,ts}", ["bx.ts", "d/ax.js"], ["dx.ts", "ax.md"]],
    ["[!a]b", ["cb"], ["ab"]],
    ["{a,b{c,d}}.txt", ["a.txt", "bc.txt", "bd.txt"], ["b.txt"]],
    ["./src/a.ts", ["src/a.ts"], []],
    ["(weird)+$.txt", ["(weird)+$.txt"], ["weird.txt"]],
    ["[", ["["], []],
  ])("%s", (pattern, yes, no) => {
    const test = globTest(pattern);
    expect(yes.filter((path) => !test(path))).toEqual([]);
    expect(no.filter(test)).toEqual([]);
  });
});
