import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { BUILD_MS } from "./child-rig.case.ts";

const run = (script: string, words: readonly string[]): Promise<{ code: number | null; said: string }> =>
  new Promise((done) => {
    const path = resolve(import.meta.dirname, "../../../../scripts", script);
    const child = spawn(process.execPath, [path, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (bytes: Buffer) => {
        said += bytes.toString();
      });
    }
    child.once("close", (code) => done({ code, said }));
  });

describe("writers", () => {
  it("that are killed at any moment have lost nothing they acknowledged", { timeout: BUILD_MS }, async () => {
    const { code, said } = await run("kill-writer.js", ["--times", "4"]);
    expect(said).toMatch(/ok {2}4 kills/);
    expect(code).toBe(0);
  });

  it("at one session at once make one tree with everything of both", { timeout: BUILD_MS }, async () => {
    const { code, said } = await run("two-writers.js", ["--entries", "100"]);
    expect(said).toContain("ok  200 entries, one tree, no damage");
    expect(code).toBe(0);
  });
});
