// Builds the page and the server into dist/ when their sources changed. Plain JavaScript: the command runs it before
// anything is built.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const SOURCES = [
  "packages",
  "apps",
  "scripts/build.js",
  "vite.config.ts",
  "vite.server.config.ts",
  "package-lock.json",
];
const TEST_FILE = /\.(test|case)\.tsx?$/;
/** A build that takes longer than this is held to be dead, ms. */
const DEAD_AFTER_MS = 180_000;

const files = function* (path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) {
    if (name !== "node_modules" && name !== "dist" && !TEST_FILE.test(name)) yield* files(join(path, name));
  }
};

/** One hash over every source that a build reads. */
export const sourceHash = () => {
  const hash = createHash("sha256");
  for (const source of SOURCES) {
    for (const path of files(join(root, source))) {
      hash.update(relative(root, path)).update("\0").update(readFileSync(path)).update("\0");
    }
  }
  return hash.digest("hex");
};

const builtHash = () => {
  try {
    return readFileSync(join(dist, "built.txt"), "utf8");
  } catch {
    return null;
  }
};

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs `work` while no other process does; two commands started at once build once. */
const alone = async (work) => {
  mkdirSync(dist, { recursive: true });
  const lock = join(dist, "building");
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
      if (age > DEAD_AFTER_MS) rmSync(lock, { recursive: true, force: true });
      else await wait(100);
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
};

const swap = (name, made) => {
  const old = join(dist, `${name}.old`);
  rmSync(old, { recursive: true, force: true });
  if (existsSync(join(dist, name))) renameSync(join(dist, name), old);
  renameSync(made, join(dist, name));
  rmSync(old, { recursive: true, force: true });
};

const entry = join(dist, "server", "main.js");

const build = () =>
  alone(async () => {
    const hash = sourceHash();
    if (builtHash() === hash && existsSync(entry)) return;
    const { build } = await import("vite");
    for (const [name, config] of [
      ["web", "vite.config.ts"],
      ["server", "vite.server.config.ts"],
    ]) {
      const made = join(dist, `${name}.new`);
      await build({
        configFile: join(root, config),
        logLevel: "error",
        build: { outDir: made, emptyOutDir: true },
      });
      swap(name, made);
    }
    writeFileSync(join(dist, "built.txt"), hash);
  });

/** Builds unless dist/ is of these very sources. `tell` is called once, before a build. Returns the server's entry file. */
export const ensureBuilt = async (tell = () => {}) => {
  if (builtHash() === sourceHash() && existsSync(entry)) return entry;
  tell();
  // In a process of its own: what a bundler leaves in memory must not stay with a server that runs for days.
  const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], {
    cwd: root,
    stdio: ["ignore", process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error("The build failed; what went wrong stands above.");
  return entry;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await build();
