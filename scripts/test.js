// Everything that must hold: checks, unit and property tests, stories in a real browser. Ends with the totals of all.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.js";
import { check } from "./check.js";
import { findChromium } from "./chromium.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const results = join(root, "test-results");
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

const run = (command, words, env = {}) =>
  spawnSync(join(root, "node_modules/.bin", command), words, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env },
  }).status ?? 1;

const report = (name) => {
  try {
    return JSON.parse(readFileSync(join(results, name), "utf8"));
  } catch {
    return null;
  }
};

/** A runner that dies without a report, or with failures outside any test, counts as one failure more. */
const counted = (status, passed, failed) => ({ passed, failed: status !== 0 && failed === 0 ? 1 : failed });

const units = () => {
  const file = join(results, "unit.json");
  const status = run("vitest", [
    "run",
    "--project",
    "unit",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
  ]);
  const json = report("unit.json");
  return counted(status, json?.numPassedTests ?? 0, json?.numFailedTests ?? 0);
};

const stories = async () => {
  await ensureBuilt(() => console.log("Building …"));
  const chromium = await findChromium();
  const status = run("playwright", ["test"], {
    CHROMIUM: chromium,
    ESPALIER_E2E_REPORT: join(results, "e2e.json"),
  });
  const stats = report("e2e.json")?.stats;
  return counted(status, (stats?.expected ?? 0) + (stats?.flaky ?? 0), stats?.unexpected ?? 0);
};

const checked = check();
const totals = [{ passed: checked.passed, failed: checked.failed.length }, units(), await stories()];
const passed = totals.reduce((sum, one) => sum + one.passed, 0);
const failed = totals.reduce((sum, one) => sum + one.failed, 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
