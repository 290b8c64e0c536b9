import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runTool, temporaryFolder, toolCase } from "./tool.case.ts";
import { write } from "./write.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const put = (path: string, content: string, signal?: AbortSignal) =>
  runTool(write, { path, content }, folder, signal);

toolCase(write, folder, { path: "suite/a.txt", content: "x" });

describe("write", () => {
  it("makes the folders it needs, and says whether the file is new", async () => {
    expect(await put("deep/er/a.txt", "hé")).toMatchObject({
      isError: false,
      text: "Created deep/er/a.txt (3 B).",
      details: { created: true },
    });
    expect((await put("deep/er/a.txt", "")).text).toContain("Overwrote");
    expect(readFileSync(at("deep/er/a.txt"), "utf8")).toBe("");
  });

  it("keeps the mode and leaves nothing beside the file", async () => {
    mkdirSync(at("box"));
    writeFileSync(at("box/run.sh"), "old");
    chmodSync(at("box/run.sh"), 0o755);
    await put("box/run.sh", "new");
    expect(statSync(at("box/run.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(at("box"))).toEqual(["run.sh"]);
  });

  it("writes whole characters only", async () => {
    await put("half.txt", "a\ud83d");
    expect(readFileSync(at("half.txt"), "utf8")).toBe("a\ufffd");
  });

  it("refuses a folder and what lies below a file, and says why", async () => {
    mkdirSync(at("dir"));
    writeFileSync(at("plain"), "x");
    expect(await put("dir", "x")).toMatchObject({
      isError: true,
      text: expect.stringContaining("is a folder"),
    });
    expect(await put("plain/below", "x")).toMatchObject({
      isError: true,
      text: expect.stringContaining("not written"),
    });
    expect(readFileSync(at("plain"), "utf8")).toBe("x");
  });

  it("writes one file's versions in turn: the last one asked for stays", async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => put("turns.txt", `version ${n}`)));
    expect(readFileSync(at("turns.txt"), "utf8")).toBe("version 9");
  });
});
