// Lint, types, format and dead code, one after another; every one of them is reported.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {readonly [name: string, command: string, words: string[]][]} */
const STEPS = [
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["types of protocol", "tsc", ["-p", "packages/protocol/tsconfig.json"]],
  ["types of core", "tsc", ["-p", "packages/core/tsconfig.json"]],
  ["types of core's tests", "tsc", ["-p", "packages/core/tsconfig.test.json"]],
  ["types of the server", "tsc", ["-p", "apps/api/tsconfig.json"]],
  ["types of the page", "tsc", ["-p", "apps/web/tsconfig.json"]],
  ["types of the page's tests", "tsc", ["-p", "apps/web/tsconfig.test.json"]],
  ["types of e2e and bench", "tsc", ["-p", "e2e/tsconfig.json"]],
  ["format", "biome", ["check", "."]],
  ["dead code", "knip", []],
];

/** Runs every step; returns how many passed and the names of those that did not. */
export const check = () => {
  const failed = [];
  for (const [name, command, words] of STEPS) {
    const { status } = spawnSync(join(root, "node_modules/.bin", command), words, {
      cwd: root,
      stdio: "inherit",
    });
    process.stdout.write(`${status === 0 ? "ok" : "FAILED"}  ${name}\n`);
    if (status !== 0) failed.push(name);
  }
  return { passed: STEPS.length - failed.length, failed };
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = check().failed.length === 0 ? 0 : 1;
}
