import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureBuilt } from "../scripts/build.js";
import { inFolder } from "./support/folder.ts";
import { type Bench, line } from "./support/line.ts";
import { residentOf } from "./support/measure.ts";

const root = join(import.meta.dirname, "..");
const RUNS = 5;

/** From the spawn to the first answer of `/`, ms, and memory then, MB. */
const startOnce = async (words: readonly string[]): Promise<{ ms: number; memory: number }> => {
  const start = performance.now();
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  try {
    if (child.stdout === null) throw new Error("no output");
    for await (const text of createInterface({ input: child.stdout })) {
      const address = /(http:\/\/[^/\s]+\/)/.exec(text)?.[1];
      if (address === undefined) continue;
      await (await fetch(address)).text();
      return { ms: performance.now() - start, memory: residentOf(child.pid) };
    }
    throw new Error(`${words.join(" ")} ended before it was ready`);
  } finally {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  }
};

export const bench: Bench = async () => {
  await ensureBuilt();
  return inFolder(async (folder) => {
    mkdirSync(join(folder, "data"));
    const dirs = ["--data-dir", join(folder, "data"), "--pi-dir", join(folder, "pi")];
    const ours: { ms: number; memory: number }[] = [];
    const floor: { ms: number; memory: number }[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      floor.push(await startOnce(["bench/support/bare-server.js"]));
      ours.push(await startOnce(["bin/espalier.js", "start", folder, "--no-open", "--port", "0", ...dirs]));
    }
    const least = (of: readonly number[]): number => Math.min(...of);
    return [
      line("start", least(ours.map(({ ms }) => ms)), "ms", RUNS, least(floor.map(({ ms }) => ms))),
      line(
        "start-memory",
        least(ours.map(({ memory }) => memory)),
        "MB",
        RUNS,
        least(floor.map(({ memory }) => memory)),
      ),
    ];
  });
};
