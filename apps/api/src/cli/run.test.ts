import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";
import { type ScriptedServer, startScriptedServer } from "../providers/scripted-server.ts";
import { BUILD_MS, CHILD_MS, espalier, type Home, makeHome, waitFor } from "./child-rig.case.ts";
import { modelsFile, type WireApi, wireAnswer } from "./scripted-wire.case.ts";

let home: Home;
let provider: ScriptedServer;
beforeAll(async () => {
  expect(await espalier(["--version"]).exit).toBe(0);
}, BUILD_MS);
beforeEach(async () => {
  home = makeHome();
  provider = await startScriptedServer();
});
afterEach(async () => {
  await provider.close();
  home.remove();
});

const run = async (...args: string[]) => {
  const child = espalier(["run", ...args, ...home.args], {}, home.work);
  const code = await child.exit;
  return { code, out: child.out(), err: child.err() };
};
const MODEL = ["--model", "acme/some-model"];
const lines = (out: string): Record<string, unknown>[] =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const apis: WireApi[] = ["anthropic-messages", "openai-responses", "openai-completions"];

describe.each(apis)("run through models.json with %s", (api) => {
  beforeEach(() => writeFileSync(join(home.data, "models.json"), modelsFile(api, provider.url)));
  const answer = (text: string, ...calls: Parameters<(typeof wireAnswer)[WireApi]>[1] & object) =>
    provider.answer({ chunks: wireAnswer[api](text, calls) });

  it("does the calls, asks again with their results, and prints the answer", async () => {
    answer(
      "Looking.",
      { id: "call_1", name: "read", args: { path: "README.md" } },
      { id: "call_2", name: "write", args: { path: "new.txt", content: "hi" } },
    );
    answer("It is a garden.");
    const { code, out, err } = await run("what is it?", ...MODEL, "--allow", "write");
    expect({ code, out, err }).toEqual({ code: 0, out: "It is a garden.\n", err: "" });
    expect(readFileSync(join(home.work, "new.txt"), "utf8")).toBe("hi");
    expect(provider.seen).toHaveLength(2);
    expect(JSON.stringify(provider.seen[1]?.body)).toContain("# Garden");
    expect(JSON.stringify(provider.seen[1]?.body)).toContain("call_2");
    const roles = home
      .entries()
      .map((entry) => (entry.message as { role?: string } | undefined)?.role ?? entry.type);
    expect(roles).toEqual([
      "session",
      "model_change",
      "thinking_level_change",
      "system",
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "assistant",
    ]);
    const chain = home.entries().slice(1);
    expect(chain.map(({ parentId }) => parentId)).toEqual([null, ...chain.slice(0, -1).map(({ id }) => id)]);
    expect(readFileSync(home.sessions()[0] ?? "", "utf8")).not.toContain("key-of-a-test");
  });

  it("refuses what --allow does not name, and says so to the model", async () => {
    answer(
      "",
      { id: "call_1", name: "bash", args: { command: "touch made" } },
      { id: "call_2", name: "write", args: { path: "made", content: "x" } },
      { id: "call_3", name: "read", args: { path: "README.md" } },
    );
    answer("ok");
    const { code } = await run("go", ...MODEL, "--allow", "read");
    expect(code).toBe(0);
    expect(existsSync(join(home.work, "made"))).toBe(false);
    const sent = JSON.stringify(provider.seen[1]?.body);
    expect(sent).toContain("--allow exec");
    expect(sent).toContain("--allow write");
    expect(sent).toContain("# Garden");
  });

  it("fails with 1 and one sentence when the provider refuses", async () => {
    provider.answer({ status: 401, chunks: ['{"error":{"message":"bad key"}}'] });
    const { code, out, err } = await run("go", ...MODEL);
    expect(code).toBe(1);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(out.trim()).toBe("");
    expect(err).not.toContain("key-of-a-test");
  });
});

describe("run", () => {
  it("prints events and a last line with --json", async () => {
    const { code, out, err } = await run("read README.md", "--model", "demo/gardener", "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const all = lines(out);
    const [path] = home.sessions();
    expect(all.at(-1)).toEqual({ type: "done", session: path, id: home.entries()[0]?.id });
    const types = all.slice(0, -1).map(({ event }) => (event as { type: string }).type);
    expect(new Set(types)).toContain("delta");
    expect(all.slice(0, -1).map(({ rev }) => rev)).toEqual(types.map((_, at) => at + 1));
    const inspect = espalier(["inspect", path ?? "", "--json"]);
    expect(await inspect.exit).toBe(0);
    const report = JSON.parse(inspect.out()) as { leaves: { groups: object }[]; damage: unknown[] };
    expect(report.damage).toEqual([]);
    expect(report.leaves.at(-1)?.groups).toMatchObject({
      complete: 1,
      missing_results: 0,
      orphaned_result: 0,
      unknown: 0,
    });
  });

  it("is told apart from wrong usage", async () => {
    expect((await run()).code).toBe(2);
    expect((await run("a", "b")).code).toBe(2);
    expect((await run("a", "--allow", "fly")).code).toBe(2);
    expect((await run("a", "--no-such-option")).code).toBe(2);
    expect(await run("a", "--tools", "read,fly")).toMatchObject({
      code: 2,
      err: expect.stringContaining("fly") as string,
    });
    expect((await run("a", "--model", "no/such")).code).toBe(1);
    expect((await run("a", "--cwd", join(home.folder, "nowhere"), "--model", "demo/gardener")).code).toBe(1);
    expect((await run("a", "--session", join(home.work, "README.md"), "--model", "demo/gardener")).code).toBe(
      1,
    );
    expect((await run("a", "--session", join(home.work, "none"), "--model", "demo/gardener")).code).toBe(1);
    expect(home.sessions()).toEqual([]);
  });

  it("works to its end when nobody reads its words any more", async () => {
    const child = espalier(
      ["run", "read README.md", "--model", "demo/gardener", "--json", ...home.args],
      {},
      home.work,
    );
    child.process.stdout?.once("data", () => child.process.stdout?.destroy());
    expect(await child.exit).toBe(0);
    expect(child.err()).toBe("");
    expect(home.entries().at(-1)).toMatchObject({ message: { role: "assistant", stopReason: "stop" } });
  });

  const data = dataFolder();
  it.skipIf(data === null)("goes on in a file, in place, whose folder is not on this machine", async () => {
    const file = join(home.folder, "copied.jsonl");
    copyFileSync(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"), file);
    const before = readFileSync(file);
    const { code, out } = await run(
      "read README.md",
      "--model",
      "demo/gardener",
      "--session",
      file,
      "--json",
    );
    expect(code).toBe(0);
    expect(lines(out).at(-1)).toMatchObject({ type: "done", session: file });
    const after = readFileSync(file);
    expect(after.subarray(0, before.length)).toEqual(before);
    expect(after.subarray(before.length).toString()).toContain("# Garden");
    expect(home.sessions()).toEqual([]);
  });

  it("leaves a version 2 file alone and goes on in a copy", async () => {
    const file = join(home.folder, "old.jsonl");
    const old = [
      { type: "session", version: 2, id: "old", timestamp: "2025-01-01T00:00:00.000Z", cwd: home.work },
      {
        type: "message",
        id: "aaaaaaa1",
        parentId: null,
        timestamp: "2025-01-01T00:00:01.000Z",
        message: { role: "user", content: "old words", timestamp: 1 },
      },
    ];
    const text = old.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(file, text);
    const { code, out } = await run(
      "read README.md",
      "--model",
      "demo/gardener",
      "--session",
      file,
      "--json",
    );
    expect(code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(lines(out).at(-1)).toMatchObject({ session: home.sessions()[0] });
    expect(home.entries()[0]).toMatchObject({ version: 3, parentSession: file });
  });

  it("is stopped by SIGINT with what there is on disk", { timeout: CHILD_MS }, async () => {
    writeFileSync(join(home.data, "models.json"), modelsFile("openai-completions", provider.url));
    provider.answer({ chunks: wireAnswer["openai-completions"]("half a word").slice(0, 1), then: "hold" });
    const child = espalier(["run", "go", ...MODEL, ...home.args], {}, home.work);
    await waitFor(() => provider.seen.length > 0, "the request");
    await new Promise((resolve) => setTimeout(resolve, 200));
    child.process.kill("SIGINT");
    expect(await child.exit).toBe(1);
    expect(home.entries().at(-1)).toMatchObject({ message: { stopReason: "aborted" } });
    expect(JSON.stringify(home.entries())).toContain("half a word");
  });
});
