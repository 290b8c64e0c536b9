import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ScriptedServer, startScriptedServer } from "../providers/scripted-server.ts";
import {
  BUILD_MS,
  type Child,
  espalier,
  type Home,
  makeHome,
  type Started,
  startServer,
  waitFor,
} from "./child-rig.case.ts";
import { modelsFile, wireAnswer } from "./scripted-wire.case.ts";

let home: Home;
const children: Child[] = [];
const start = async (args?: readonly string[]): Promise<Started> => {
  const started = await startServer(home, args);
  children.push(started.child);
  return started;
};

beforeAll(async () => {
  expect(await espalier(["--version"]).exit).toBe(0);
}, BUILD_MS);
beforeEach(() => {
  home = makeHome();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill("SIGKILL");
    await child.exit;
  }
  home.remove();
});

const taken = (port: number): Promise<Server | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
const portOf = (url: string): number => Number(new URL(url).port);
const free = (server: Server | null): Promise<void> =>
  new Promise((resolve) => (server ? server.close(() => resolve()) : resolve()));

describe("start", () => {
  it("says one line, writes server.json for this user only, and answers", async () => {
    const { child, url, token, key } = await start();
    expect(child.out()).toBe(`Espalier ready on ${url}/#key=${key}\n`);
    const path = join(home.data, "server.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    expect(file).toEqual({
      url,
      token,
      pid: child.process.pid,
      version: expect.stringMatching(/^\d+\./) as string,
    });
    const answer = await fetch(`${url}/api/sessions`, { headers: { "X-Espalier-Token": token } });
    expect(await answer.json()).toEqual({ sessions: [] });
    expect((await fetch(url)).status).toBe(200);
    expect(child.out() + child.err()).not.toContain(token);
  });

  it("takes the next free port when its own is taken, but no other than one it was given", async () => {
    const own = await taken(4517);
    try {
      const { url } = await start([]);
      expect(portOf(url)).toBeGreaterThan(4517);
      const other = makeHome();
      const refused = espalier([
        "start",
        other.work,
        "--port",
        String(portOf(url)),
        "--no-open",
        ...other.args,
      ]);
      expect(await refused.exit).toBe(1);
      expect(refused.err()).toMatch(new RegExp(`^Port ${portOf(url)} is taken.*\\n$`));
      expect(refused.out()).toBe("");
      expect(existsSync(join(other.data, "server.lock"))).toBe(false);
      other.remove();
    } finally {
      await free(own);
    }
  });

  it("points to the running server when there is one on this data dir", async () => {
    const { url, key } = await start();
    const second = espalier(["start", home.work, "--port", "0", "--no-open", ...home.args]);
    expect(await second.exit).toBe(0);
    const link = /ready on (\S+)\/#key=(\S+)/.exec(second.out());
    expect(link?.[1]).toBe(url);
    expect(link?.[2]).not.toBe(key);
    const open = espalier(["open", "--no-open", "--data-dir", home.data]);
    expect(await open.exit).toBe(0);
    const trade = (code: string | undefined) =>
      fetch(`${url}/api/key`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Origin: url },
        body: JSON.stringify({ key: code }),
      });
    expect((await trade(link?.[2])).status).toBe(200);
    expect((await trade(link?.[2])).status).toBe(401);
    expect((await trade(/#key=(\S+)/.exec(open.out())?.[1])).status).toBe(200);
  });

  it("takes over what a dead server left", async () => {
    const first = await start();
    first.child.process.kill("SIGKILL");
    await first.child.exit;
    expect(existsSync(join(home.data, "server.lock"))).toBe(true);
    const open = espalier(["open", "--no-open", "--data-dir", home.data]);
    expect(await open.exit).toBe(1);
    const again = await start();
    expect(again.token).not.toBe(first.token);
    writeFileSync(join(home.folder, "x"), "");
  });

  it("refuses what it does not understand, and other people's networks", async () => {
    for (const args of [["--port", "x"], ["--port", "70000"], ["--host", "0.0.0.0"], ["--fly"], ["a", "b"]]) {
      const child = espalier(["start", ...args, "--no-open", ...home.args]);
      expect(await child.exit).toBe(2);
      expect(child.err().trim().split("\n")).toHaveLength(1);
      expect(child.out()).toBe("");
    }
    const broken = espalier(["start", "--no-open", "--data-dir", join(home.work, "README.md", "x")]);
    expect(await broken.exit).toBe(1);
    expect(broken.err()).not.toMatch(/\n\s+at /);
  });
});

describe("a server in the middle of work", () => {
  let provider: ScriptedServer;
  beforeEach(async () => {
    provider = await startScriptedServer();
    writeFileSync(join(home.data, "models.json"), modelsFile("openai-completions", provider.url));
    writeFileSync(join(home.data, "local.json"), JSON.stringify({ allowed: { [home.work]: ["bash"] } }));
  });
  afterEach(() => provider.close());

  const prompt = async ({ post }: Started): Promise<void> => {
    const { id } = (await (await post("/api/sessions", {})).json()) as { id: string };
    const command = { type: "prompt", text: "go", model: "acme/some-model" };
    expect((await post(`/api/sessions/${id}/commands`, command)).status).toBe(200);
  };
  const text = (): string => JSON.stringify(home.entries());

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends on %s with 0, cleans up, and keeps the half answer",
    async (signal) => {
      const server = await start();
      const [piece] = wireAnswer["openai-completions"]("half an answer");
      provider.answer({ chunks: [piece ?? ""], then: "hold" });
      await prompt(server);
      const stream = await fetch(`${server.url}/api/events`, {
        headers: { "X-Espalier-Token": server.token },
      });
      await waitFor(() => provider.seen.length > 0, "the request");
      await new Promise((resolve) => setTimeout(resolve, 200));
      const asked = Date.now();
      server.child.process.kill(signal);
      expect(await server.child.exit).toBe(0);
      expect(Date.now() - asked).toBeLessThan(5000 * 3);
      await stream.text().catch(() => "");
      expect(existsSync(join(home.data, "server.json"))).toBe(false);
      expect(existsSync(join(home.data, "server.lock"))).toBe(false);
      expect(home.entries().at(-1)).toMatchObject({ message: { role: "assistant", stopReason: "aborted" } });
      expect(text()).toContain("half an answer");
    },
  );

  it("ends on SIGTERM with running commands answered and killed", async () => {
    const server = await start();
    const pid = join(home.work, "pid");
    const calls = [{ id: "s", name: "bash", args: { command: `echo $$ > ${pid}; exec sleep 60` } }];
    provider.answer({ chunks: wireAnswer["openai-completions"]("", calls) });
    await prompt(server);
    const child = await waitFor(() => existsSync(pid) && Number(readFileSync(pid, "utf8")), "the command");
    server.child.process.kill("SIGTERM");
    expect(await server.child.exit).toBe(0);
    expect(home.entries().at(-1)).toMatchObject({ message: { role: "toolResult", isError: true } });
    await waitFor(() => !existsSync(`/proc/${child}`), "the end of the command");
  });

  it.each(["first", "last"] as const)(
    "that is killed has what was done on disk, the fast call %s",
    async (order) => {
      const server = await start();
      const pid = join(home.work, "pid");
      const slow = { id: "slow", name: "bash", args: { command: `echo $$ > ${pid}; exec sleep 60` } };
      const fast = { id: "fast", name: "bash", args: { command: "echo swift" } };
      const calls = order === "first" ? [fast, slow] : [slow, fast];
      provider.answer({ chunks: wireAnswer["openai-completions"]("", calls) });
      await prompt(server);
      const child = await waitFor(
        () => existsSync(pid) && Number(readFileSync(pid, "utf8")),
        "the slow command",
      );
      await waitFor(() => text().includes('"toolResult"'), "the fast result");
      server.child.process.kill("SIGKILL");
      await server.child.exit;
      process.kill(child, "SIGKILL");
      const results = home
        .entries()
        .filter(({ message }) => (message as { role?: string } | undefined)?.role === "toolResult");
      expect(results).toMatchObject([
        { message: { toolCallId: "fast", content: [{ text: expect.stringContaining("swift") as string }] } },
      ]);
      // The next start reads the file, answers the open call for the model only, and goes on.
      const [path] = home.sessions();
      const before = readFileSync(path ?? "", "utf8");
      provider.answer({ chunks: wireAnswer["openai-completions"]("on we go") });
      const next = espalier([
        "run",
        "go on",
        "--session",
        path ?? "",
        "--model",
        "acme/some-model",
        ...home.args,
      ]);
      expect(await next.exit).toBe(0);
      expect(next.out()).toBe("on we go\n");
      expect(readFileSync(path ?? "", "utf8").startsWith(before)).toBe(true);
      const sent = JSON.stringify(provider.seen.at(-1)?.body);
      expect(sent).toContain('"tool_call_id":"slow"');
      expect(sent).toContain("swift");
    },
  );
});
