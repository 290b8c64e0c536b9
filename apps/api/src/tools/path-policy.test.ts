import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { absolutePath, isInside, realPlace, shownPath } from "./path-policy.ts";
import { temporaryFolder } from "./tool.case.ts";

const folder = temporaryFolder();
mkdirSync(join(folder, "work/sub"), { recursive: true });
mkdirSync(join(folder, "outside"));
writeFileSync(join(folder, "outside/key"), "x");
symlinkSync("../outside", join(folder, "work/escape"));
symlinkSync("../outside/key", join(folder, "work/key"));
symlinkSync("sub", join(folder, "work/inner"));
const work = join(folder, "work");

describe("absolutePath", () => {
  it.each([
    ["a/b", "/w/a/b"],
    ["@a", "/w/a"],
    ["~", "/home/me"],
    ["~/x", "/home/me/x"],
    ["~other", "/w/~other"],
    ["/etc/../tmp", "/tmp"],
    ["../x", "/x"],
    ["file:///tmp/a%20b", "/tmp/a b"],
    ["", "/w"],
  ])("%s", (typed, expected) => expect(absolutePath(typed, "/w", "/home/me")).toBe(expected));
});

describe("isInside", () => {
  it("follows every link, also for what does not exist yet", async () => {
    const inside = (path: string): Promise<boolean> => isInside(join(work, path), work);
    expect(await Promise.all(["", "sub", "new/file", "inner/new"].map(inside))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(await Promise.all(["..", "../outside", "escape/new", "key", "../work2"].map(inside))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it("takes a workspace that is itself a link", async () => {
    symlinkSync("work", join(folder, "alias"));
    expect(await isInside(join(folder, "alias/sub"), work)).toBe(true);
    expect(await realPlace(join(folder, "alias/new/x"))).toBe(join(work, "new/x"));
  });
});

describe("shownPath", () => {
  it("is short inside and whole outside", () => {
    expect([
      shownPath("/w/a/b", "/w"),
      shownPath("/x/a", "/w"),
      shownPath("/w", "/w"),
      shownPath("/w/..a", "/w"),
    ]).toEqual(["a/b", "/x/a", "/w", "..a"]);
  });
});
