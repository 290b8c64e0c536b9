// Two programs append to one session at once: `node scripts/two-writers.js [--entries 1000]`. Every entry of both is there, in one
// tree, and no line is damaged.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = process.argv.indexOf("--entries");
const entries = at < 0 ? 1000 : Number(process.argv[at + 1]);
if (!Number.isInteger(entries) || entries < 1) {
  console.error("usage: node scripts/two-writers.js [--entries N]");
  process.exit(2);
}

await ensureBuilt(() => console.error("Building …"));
const folder = mkdtempSync(join(tmpdir(), "espalier-two-"));
const file = join(folder, "2026-01-01T00-00-00-000Z_shared.jsonl");
const writer = join(root, "apps/api/src/storage/append-many.case.ts");

/** Both begin at one moment, when both are surely there, epoch ms. */
const begin = Date.now() + 1500;

/** Resolves when the program has written all of its entries. */
const write = (name) =>
  new Promise((done, fail) => {
    const words = ["--import", "tsx", writer, file, name, String(entries), String(begin)];
    const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
    child.once("close", (code) =>
      code === 0 ? done() : fail(new Error(`writer ${name} ended with ${code}`)),
    );
  });

try {
  const time = "2026-01-01T00:00:00.000Z";
  const message = { role: "user", content: "begin", timestamp: 0 };
  const lines = [
    { type: "session", version: 3, id: "shared", timestamp: time, cwd: folder },
    { type: "message", id: "begin", parentId: null, timestamp: time, message },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await Promise.all([write("one"), write("two")]);
  const bin = join(root, "bin/espalier.js");
  const { damage } = JSON.parse(
    execFileSync(process.execPath, [bin, "check", file, "--json"], { encoding: "utf8" }),
  );
  if (damage.length > 0) throw new Error(`damage: ${JSON.stringify(damage.slice(0, 5))}`);
  const inside = JSON.parse(
    execFileSync(process.execPath, [bin, "inspect", file, "--json"], { encoding: "utf8" }),
  );
  const ids = new Set(
    readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).id),
  );
  if (ids.size !== 2 * entries + 2) throw new Error(`${ids.size - 2} entries, not ${2 * entries}`);
  if (inside.tree.roots !== 1) throw new Error(`${inside.tree.roots} trees`);
  console.log(`ok  ${2 * entries} entries, one tree, no damage`);
} catch (error) {
  console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
