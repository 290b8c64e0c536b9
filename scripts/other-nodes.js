// Tries the command line under other versions of Node: `npm run other-nodes [22 24]`. Fetches each Node from the npm registry into
// a temporary folder, lets it inspect a session and run a prompt with the built-in model, and removes the folder. Not part of
// `npm test`, since it needs the network.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const VERSIONS = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24"];
const PLATFORM = `${process.platform}-${process.arch}`;

/** Path of a Node of that major version, fetched into `folder`. */
const fetchNode = (major, folder) => {
  mkdirSync(folder, { recursive: true });
  const words = ["pack", `node-${PLATFORM}@${major}`, "--silent", "--pack-destination", folder];
  execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (!archive) throw new Error(`npm gave no archive of Node ${major} for ${PLATFORM}`);
  execFileSync("tar", ["-xzf", archive], { cwd: folder });
  const path = join(folder, "package/bin/node");
  if (!existsSync(path)) throw new Error(`the archive of Node ${major} holds no bin/node`);
  chmodSync(path, 0o755);
  return path;
};

/** Throws when anything is not as it should be. */
const tryOut = (node, folder) => {
  const espalier = (...words) =>
    execFileSync(node, [join(root, "bin/espalier.js"), ...words], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ESPALIER_HOME: join(folder, "data"), HOME: folder },
    });
  writeFileSync(join(folder, "package.json"), '{ "name": "orchard" }\n');
  const told = espalier(
    "run",
    "read package.json and tell me its name",
    "--model",
    "demo/gardener",
    "--json",
  );
  const { type, session } = JSON.parse(told.trimEnd().split("\n").at(-1));
  if (type !== "done" || !existsSync(session)) throw new Error("run left no session");
  const { damage, toolCalls } = JSON.parse(espalier("inspect", session, "--json"));
  if (damage.length > 0) throw new Error(`inspect finds damage: ${JSON.stringify(damage)}`);
  if (toolCalls.calls < 1 || toolCalls.withResult !== toolCalls.calls) {
    throw new Error(`not every call has its result: ${JSON.stringify(toolCalls)}`);
  }
};

await ensureBuilt(() => console.error("Building …"));
const folder = mkdtempSync(join(tmpdir(), "espalier-nodes-"));
let failed = 0;
try {
  for (const major of VERSIONS) {
    const home = join(folder, major);
    try {
      const node = fetchNode(major, home);
      tryOut(node, home);
      const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
      console.log(`ok  Node ${version}: run and inspect`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  Node ${major}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
