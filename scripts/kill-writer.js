// Kills a server that writes, again and again, at random moments: `node scripts/kill-writer.js [--times 200]`. After each time every
// entry that was acknowledged is in its session's file, and the file has at most one damaged line a kill.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./build.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = join(root, "bin/espalier.js");
const START_MS = 60_000;
const at = process.argv.indexOf("--times");
const times = at < 0 ? 200 : Number(process.argv[at + 1]);
if (!Number.isInteger(times) || times < 1) {
  console.error("usage: node scripts/kill-writer.js [--times N]");
  process.exit(2);
}

await ensureBuilt(() => console.error("Building …"));
const home = mkdtempSync(join(tmpdir(), "espalier-kill-"));
const [data, pi, work] = ["data", "pi", "work"].map((name) => join(home, name));
for (const folder of [data, pi, work]) mkdirSync(folder);

/** A server that is ready, and how to send it commands. */
const start = async () => {
  const words = ["start", work, "--port", "0", "--no-open", "--data-dir", data, "--pi-dir", pi];
  const child = spawn(process.execPath, [bin, ...words], {
    env: { PATH: process.env.PATH ?? "", CI: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const gone = new Promise((done) => child.once("close", done));
  const url = await new Promise((done, fail) => {
    let out = "";
    const guard = setTimeout(() => fail(new Error("the server did not start")), START_MS);
    child.stdout.on("data", (bytes) => {
      out += bytes;
      const ready = /ready on (http:\S+)\/#/.exec(out);
      if (!ready) return;
      clearTimeout(guard);
      done(ready[1]);
    });
  });
  const { token } = JSON.parse(readFileSync(join(data, "server.json"), "utf8"));
  const post = async (path, body) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { "X-Espalier-Token": token, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return { child, gone, post };
};

const fileOf = (id) => {
  const sessions = join(data, "sessions");
  const name = readdirSync(sessions, { recursive: true, encoding: "utf8" }).find((one) =>
    one.endsWith(`_${id}.jsonl`),
  );
  if (!name) throw new Error(`session ${id} has no file`);
  return join(sessions, name);
};

/** Writes until it is killed; gives the session's id and adds what is acknowledged to `safe`. */
const writeUntilKilled = async (known, safe) => {
  const { child, gone, post } = await start();
  let killed = false;
  let kill;
  try {
    const id = known ?? (await post("/api/sessions", {})).id;
    const send = (command) => post(`/api/sessions/${id}/commands`, command);
    const { entryId } = await send({
      type: "prompt",
      text: "list the files here",
      model: "demo/gardener",
      at: null,
    });
    safe.add(entryId);
    kill = setTimeout(() => {
      killed = true;
      child.kill("SIGKILL");
    }, Math.random() * 300);
    for (let count = 0; !killed; count += 1) {
      const answer = await send({ type: "label", entryId, label: `mark ${count} ${"é".repeat(count % 50)}` });
      safe.add(answer.entryId);
    }
    return id;
  } catch (error) {
    if (!killed) throw error;
    return known;
  } finally {
    clearTimeout(kill);
    child.kill("SIGKILL");
    await gone;
  }
};

const damageIn = (file) => {
  const told = execFileSync(process.execPath, [bin, "check", file, "--json"], { encoding: "utf8" });
  return JSON.parse(told).damage;
};

let session;
const safe = new Set();
try {
  for (let time = 1; time <= times; time += 1) {
    session = (await writeUntilKilled(session, safe)) ?? session;
    if (session === undefined) {
      safe.clear();
      continue;
    }
    const file = fileOf(session);
    const text = readFileSync(file, "utf8");
    const lost = [...safe].filter((id) => !text.includes(`"id":"${id}"`));
    if (lost.length > 0) throw new Error(`kill ${time}: acknowledged and not there: ${lost.join(", ")}`);
    const damage = damageIn(file);
    if (damage.length > time) throw new Error(`kill ${time}: ${JSON.stringify(damage)}`);
    console.log(`kill ${time}: ${safe.size} acknowledged entries are there, ${damage.length} lines damaged`);
  }
  console.log(`ok  ${times} kills, ${safe.size} entries`);
} catch (error) {
  console.error(`FAILED  ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
