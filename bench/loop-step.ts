import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureBuilt } from "../scripts/build.js";
import { inFolder } from "./support/folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { modelsFile, startProvider } from "./support/provider.ts";

const root = join(import.meta.dirname, "..");
const hook = pathToFileURL(join(import.meta.dirname, "support/cpu-at-exit.js")).href;
const STEPS = 100;
const RUNS = 2;

/** CPU that a Node process uses from its start to its end, ms; child processes do not count. */
const cpuOf = async (words: readonly string[], cwd: string): Promise<number> => {
  const file = join(cwd, "cpu.json");
  const child = spawn(process.execPath, words, {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_OPTIONS: `--import=${hook}`, BENCH_CPU_FILE: file },
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
  const { user, system } = JSON.parse(readFileSync(file, "utf8")) as { user: number; system: number };
  return (user + system) / 1000;
};

const TOOLS = {
  "loop-step": { name: "read", args: { path: "package.json" } },
  "loop-step-bash": { name: "bash", args: { command: "echo well" } },
} as const;

const measure = async (bench: keyof typeof TOOLS, folder: string): Promise<Line> => {
  let steps = 1;
  const provider = await startProvider((results) =>
    results < steps ? { call: TOOLS[bench] } : { tokens: ["done"], everyMs: 0 },
  );
  mkdirSync(join(folder, "data"), { recursive: true });
  writeFileSync(join(folder, "data/models.json"), modelsFile(provider.url));
  writeFileSync(join(folder, "package.json"), '{ "name": "orchard" }\n');
  const dirs = ["--data-dir", "data", "--pi-dir", "pi"];
  const run = [
    join(root, "bin/espalier.js"),
    "run",
    "go",
    "--model",
    "bench/steps",
    "--allow",
    "read,write,exec",
  ];
  const works = {
    ours: [...run, ...dirs],
    floor: [join(import.meta.dirname, "support/bare-loop.js"), provider.url, "log.jsonl"],
  };
  /** CPU of one step: a long run less a short one, so that the start does not count. */
  const step = async (words: readonly string[]): Promise<number> => {
    steps = 1;
    const short = await cpuOf(words, folder);
    steps = STEPS + 1;
    return ((await cpuOf(words, folder)) - short) / STEPS;
  };
  const least = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  try {
    for (let at = 0; at < RUNS; at += 1) {
      least.floor = Math.min(least.floor, await step(works.floor));
      least.ours = Math.min(least.ours, await step(works.ours));
    }
  } finally {
    await provider.close();
  }
  return line(bench, least.ours, "ms", RUNS * STEPS, least.floor);
};

export const bench: Bench = async () => {
  await ensureBuilt();
  return inFolder(async (folder) => [
    await measure("loop-step", folder),
    await measure("loop-step-bash", folder),
  ]);
};
