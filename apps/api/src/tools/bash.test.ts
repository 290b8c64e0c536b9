import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bash } from "./bash.ts";
import { scrubbedEnv } from "./child-processes.ts";
import { runTool, temporaryFolder, toolCase } from "./tool.case.ts";

const folder = temporaryFolder();
const run = (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  runTool(bash, { command, ...more }, folder, signal);

/** Processes whose command line holds a word that only this test uses. */
const alive = (word: string): string[] =>
  execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(word) && !line.includes("ps -eo"));

const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
  const start = performance.now();
  const result = await work;
  return { result, ms: performance.now() - start };
};
/** A number of seconds no other test sleeps for: the word to look for. */
let next = 30_000 + Math.floor(Math.random() * 10_000);
const naps = (): string => `sleep ${next++}`;

toolCase(bash, folder, { command: "echo hello" });

describe("bash", () => {
  it("gives stdout and stderr together, and streams them", async () => {
    const output = await run("echo one; echo two >&2; sleep 0.3; echo three");
    expect(output.text).toBe("one\ntwo\nthree\n");
    expect(output.streamed).toBe("one\ntwo\nthree\n");
  });

  it("makes an exit code an error that keeps the output", async () => {
    expect(await run("echo no; exit 3")).toMatchObject({
      isError: true,
      text: "no\n\nCommand exited with code 3",
      details: { exitCode: 3 },
    });
    expect((await run("kill -TERM $$")).details).toMatchObject({ exitCode: 143 });
    expect((await run("true")).text).toBe("(no output)");
  });

  it("has nothing to read, so nothing waits for input", async () => {
    const { result, ms } = await timed(run("cat; read x; echo done"));
    expect(result.text).toBe("done\n");
    expect(ms).toBeLessThan(10_000);
  });

  it("returns when the shell ends though a background child holds the pipe", async () => {
    const nap = naps();
    const { result, ms } = await timed(run(`${nap} & echo started`));
    expect(result.text).toBe("started\n");
    expect(ms).toBeLessThan(10_000);
    expect(alive(nap)).toHaveLength(1);
    execFileSync("pkill", ["-f", nap]);
  });

  it("returns though a background child goes on writing", async () => {
    const { result, ms } = await timed(run("(while :; do echo x; sleep 0.02; done) & echo $!"));
    expect(ms).toBeLessThan(20_000);
    process.kill(Number(/\d+/.exec(result.text)?.[0]), "SIGKILL");
  });

  it("kills at the timeout what ignores signals, with all it started", async () => {
    const nap = naps();
    const { result, ms } = await timed(
      run(`trap "" TERM; (trap "" TERM; ${nap}) & ${nap}`, { timeout: 0.5 }),
    );
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining("timed out after 0.5 seconds"),
    });
    expect(ms).toBeLessThan(10_000);
    expect(alive(nap)).toEqual([]);
  });

  it("leaves nothing behind that outlived a timeout of the command's own", async () => {
    for (const prefix of ["", "cd . ; "]) {
      const nap = naps();
      const { result } = await timed(run(`${prefix}timeout 0.5 bash -c "(trap '' TERM; ${nap}) & wait"`));
      expect(result.details).toMatchObject({ exitCode: 124 });
      expect(alive(nap)).toEqual([]);
    }
  });

  it("kills busy background jobs with the timeout", async () => {
    const word = `espalier_busy_${next++}`;
    await run(`for i in 1 2; do (exec -a ${word} bash -c "while :; do :; done") & done; sleep 100`, {
      timeout: 0.5,
    });
    expect(alive(word)).toEqual([]);
  });

  it("stops at once when told to, and keeps what had come", async () => {
    const abort = new AbortController();
    const nap = naps();
    setTimeout(() => abort.abort(), 300);
    const { result, ms } = await timed(run(`echo begun; ${nap}`, {}, abort.signal));
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringContaining("begun\n\nCommand aborted"),
    });
    expect(ms).toBeLessThan(10_000);
    expect(alive(nap)).toEqual([]);
  });

  it("keeps the end of a long output and the whole in a private file", async () => {
    const output = await run("seq 1 5000");
    expect(output.text.startsWith("3001\n")).toBe(true);
    expect(output.text).toContain("5000\n\n[This is the last 2000 of 5000 lines");
    const path = /(\/\S+\.log)\]/.exec(output.text)?.[1] ?? "";
    expect(readFileSync(path, "utf8").split("\n")).toHaveLength(5001);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(output.details).toMatchObject({
      fullOutputPath: path,
      truncation: { totalLines: 5000, outputLines: 2000 },
    });
    rmSync(path);
  });

  it("keeps the end of one endless line", async () => {
    const output = await run("head -c 200000 /dev/zero | tr '\\0' x; printf END");
    expect(output.text).toMatch(/xEND\n\n\[This is the last 50\.0 KB of 195\.3 KB/);
    rmSync(/(\/\S+\.log)\]/.exec(output.text)?.[1] ?? "", { force: true });
  });

  it("survives a flood with bounded memory", async () => {
    const before = process.memoryUsage().rss;
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().rss);
    }, 50);
    const output = await run("yes 'a line of some length that is repeated' | head -c 300000000");
    clearInterval(watch);
    expect(output.isError).toBe(false);
    expect(output.text.length).toBeLessThan(60_000);
    expect(output.streamed.length).toBeLessThan(20_000_000);
    expect(highest - before).toBeLessThan(300 * 1024 * 1024);
    const path = /(\/\S+\.log)\]/.exec(output.text)?.[1] ?? "";
    expect(output.text).toContain("The first part of the output is in");
    expect(statSync(path).size).toBe(256 * 1024 * 1024);
    rmSync(path);
  }, 120_000);

  it("makes safe text of anything", async () => {
    const emoji = await run("printf '\\xf0\\x9f'; sleep 0.3; printf '\\x98\\x80'");
    expect(emoji.text).toBe("\u{1F600}");
    const noise = await run("head -c 4096 /dev/urandom");
    expect(noise.text).toContain("binary");
    expect(noise.text.isWellFormed()).toBe(true);
    expect(JSON.parse(JSON.stringify(noise.text))).toBe(noise.text);
    const escapes = await run(
      "printf '\\033[31mred\\033[0m \\033[2J\\033]0;title\\007\\033[10;10Hx\\b\\007'",
    );
    expect(escapes.text).toBe("\u001b[31mred\u001b[0m x");
  });

  it("gives a command no secrets, and the session's variables", async () => {
    const env = scrubbedEnv(
      {
        HOME: "/h",
        OPENAI_API_KEY: "k",
        GITHUB_TOKEN: "t",
        MY_SECRET: "s",
        DB_PASSWORD: "p",
        ESPALIER_X: "x",
        A: undefined,
      },
      { PI_MODEL: "m" },
    );
    expect(env).toEqual({ HOME: "/h", PI_MODEL: "m" });
    process.env.ESPALIER_TEST_API_KEY = "leak";
    const output = await runTool(bash, { command: "env" }, folder, undefined, { PI_MODEL: "gardener" });
    delete process.env.ESPALIER_TEST_API_KEY;
    expect(output.text).toContain("PI_MODEL=gardener");
    expect(output.text).not.toContain("leak");
  });

  it("says so when the folder is gone", async () => {
    expect(await runTool(bash, { command: "pwd" }, `${folder}/gone`)).toMatchObject({
      isError: true,
      text: expect.stringContaining("does not exist"),
    });
    expect(existsSync(`${folder}/gone`)).toBe(false);
  });

  it("takes only a timeout that can be kept", async () => {
    await expect(run("true", { timeout: 0 })).rejects.toThrow("timeout");
    await expect(run("true", { timeout: 3_000_000 })).rejects.toThrow("timeout");
    expect((await run("true", { timeout: "5" })).isError).toBe(false);
  });
});
