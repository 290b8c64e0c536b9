import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeEntry, serializeEntry, serializeHeader } from "@espalier/core";
import { assistant, chain, result, user } from "@espalier/core/testing";
import { entryId } from "@espalier/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";
import { checkVerb } from "./check.ts";
import { inspectVerb } from "./inspect.ts";
import type { InspectReport } from "./inspect-report.ts";
import type { Verb } from "./verb.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "espalier-verbs-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = async (verb: Verb, ...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
  const said = { out: "", err: "" };
  const code = await verb.run(argv, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    env: {},
  });
  return { code, ...said };
};
const inspect = async (file: string): Promise<InspectReport> =>
  JSON.parse((await run(inspectVerb, file, "--json")).out) as InspectReport;
const hash = async (path: string): Promise<string> =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
const json = async (path: string) => JSON.parse(await readFile(path, "utf8"));
const HEADER = serializeHeader({
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
});
const write = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};

const data = dataFolder();
const recorded =
  data === null ? [] : (await readdir(join(data, "sessions/pi"))).filter((name) => name.endsWith(".jsonl"));

describe.skipIf(data === null)("inspect on recorded sessions", () => {
  it.each(recorded)("%s", async (name) => {
    const file = join(data ?? "", "sessions/pi", name);
    const before = await hash(file);
    const report = await inspect(file);
    const stats = await json(file.replace(".jsonl", ".stats.json"));
    const { session: _header, ...entriesByType } = stats.entriesByType;
    expect(report).toMatchObject({
      file,
      version: stats.version,
      bytes: stats.bytes,
      entries: stats.entries,
    });
    expect(report.entriesByType).toEqual(entriesByType);
    expect(report.messagesByRole).toEqual(stats.messagesByRole);
    expect(report.toolCalls).toEqual({
      calls: stats.toolCalls,
      withResult: stats.callsWithResult,
      withoutResult: stats.callsWithoutResult,
      orphanedResults: stats.resultsWithoutCall,
    });
    if (stats.tree === null) {
      expect(report.tree).toEqual({ roots: 1, branchPoints: 0, leaves: 1, depth: stats.entries });
    } else {
      const { roots, branchPoints, leaves, maxDepth } = stats.tree;
      expect(report.tree).toEqual({ roots, branchPoints, leaves, depth: maxDepth });
    }
    expect(report.compactions.map(({ tokensBefore }) => tokensBefore)).toEqual(
      stats.compactions.map((each: { tokensBefore: number }) => each.tokensBefore),
    );
    expect(report.damage).toEqual([]);
    const golden = await json(file.replace(".jsonl", ".context.json")).catch(() => null);
    if (golden !== null) {
      expect(report.name).toBe(golden.name);
      expect(report.labels).toEqual(golden.labels);
      expect(
        report.leaves.map(({ leafId, contextEntryIds, model, thinkingLevel, batches, groups }) => ({
          leafId,
          contextEntryIds,
          model,
          thinkingLevel,
          toolGroups: {
            assistantMessagesWithCalls: batches.total,
            complete: batches.complete,
            missingResults: batches.missing,
            orphanedResults: groups.orphaned_result,
          },
        })),
      ).toEqual(
        golden.leaves.map((leaf: InspectReport["leaves"][number] & { toolGroups: { calls: number } }) => {
          const { calls: _calls, ...toolGroups } = leaf.toolGroups;
          const { leafId, contextEntryIds, model, thinkingLevel } = leaf;
          return { leafId, contextEntryIds, model, thinkingLevel, toolGroups };
        }),
      );
    }
    expect(await hash(file)).toBe(before);
    expect((await run(checkVerb, file, "--json")).out).toBe('{\n "ok": true,\n "damage": []\n}\n');
    expect((await run(inspectVerb, file)).out).toContain(`${stats.entries} entries`);
  });
});

describe("inspect", () => {
  it("counts remembered positions nowhere", async () => {
    const entries = [
      ...chain(
        (p) => user("u", p),
        (p) => assistant("a", p, { calls: ["t"] }),
        (p) => result("r", p, "t"),
      ),
      makeEntry(
        { type: "custom", customType: "espalier.position", data: { v: 1 } },
        { id: entryId("p"), parentId: entryId("u"), time: 0 },
      ),
    ];
    const file = await write("position.jsonl", HEADER + entries.map(serializeEntry).join(""));
    const report = await inspect(file);
    expect(report.entries).toBe(3);
    expect(report.tree).toEqual({ roots: 1, branchPoints: 0, leaves: 1, depth: 3 });
    expect(report.entriesByType).toEqual({ message: 3 });
    expect(report.leaves).toMatchObject([
      {
        leafId: "r",
        contextEntryIds: ["u", "a", "r"],
        groups: { complete: 1, missing_results: 0, orphaned_result: 0, unknown: 0 },
        batches: { total: 1, complete: 1, missing: 0 },
      },
    ]);
    const beyond = [...entries, user("v", "p")];
    const other = await inspect(await write("beyond.jsonl", HEADER + beyond.map(serializeEntry).join("")));
    expect(other.tree).toEqual({ roots: 1, branchPoints: 1, leaves: 2, depth: 3 });
    expect(other.leaves[1]?.contextEntryIds).toEqual(["u", "v"]);
  });

  it("says in one sentence what is wrong, and how it is used", async () => {
    const missing = await run(inspectVerb, join(folder, "nobody.jsonl"));
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain("not there");
    const empty = await write("empty.jsonl", "");
    for (const verb of [inspectVerb, checkVerb]) {
      expect(await run(verb, empty)).toMatchObject({ code: 1, out: "" });
      expect(await run(verb)).toMatchObject({ code: 2, out: "" });
      expect(await run(verb, "a", "b")).toMatchObject({ code: 2 });
      expect(await run(verb, "a", "--nonsense")).toMatchObject({ code: 2 });
    }
  });
});

describe("check", () => {
  it("names lines whose fields are of the wrong kind, which are kept", async () => {
    const odd = '{"type":"label","id":"l","parentId":null,"timestamp":"x","targetId":5}\n';
    const file = await write("odd.jsonl", HEADER + odd);
    expect(JSON.parse((await run(checkVerb, file, "--json")).out)).toMatchObject({
      ok: true,
      odd: [{ line: 2, id: "l" }],
    });
    expect((await run(checkVerb, file)).out).toContain("line 2: odd: label: ");
  });
});

describe("check --repair", () => {
  it("writes a sound copy and leaves the file alone", async () => {
    const untouched = serializeEntry(user("a", null));
    const split = serializeEntry(user("split", "a", "one\n\ntwo")).replaceAll("\\n", "\n");
    const text = [
      `${HEADER.replace('"type"', '"tpe"')}`,
      untouched,
      "\0".repeat(40),
      "\n",
      split,
      serializeEntry(user("b", "lost")),
      serializeEntry(user("a", "b", "again")),
      serializeEntry(user("c", "c")),
      '{"type":"hologram","id":"h","parentId":"c","x":1.0}\n',
      '{"type":"message","id":"torn',
    ].join("");
    const file = await write("damaged.jsonl", text);
    const out = join(folder, "repaired.jsonl");
    const { out: said } = await run(checkVerb, file, "--repair", out, "--json");
    expect(JSON.parse(said)).toMatchObject({
      ok: false,
      repaired: { path: out, joined: 1, dropped: 2, renamed: 1, reattached: 2 },
    });
    expect(await readFile(file, "utf8")).toBe(text);
    expect((await run(checkVerb, out)).out).toBe("No damage.\n");
    const words = (await run(checkVerb, file, "--repair", join(folder, "again.jsonl"))).out;
    expect(words).toContain("line 4: joined: lines 4 to 6 are one record");
    expect(words).toMatch(/line 7: reattached: b hangs under split now, not under "lost"/);
    expect(words).toContain("line 1: header: ");
    expect((await readdir(folder)).filter((name) => name.includes("staging"))).toEqual([]);
    const copy = await inspect(out);
    expect(copy.damage).toEqual([]);
    expect(copy.entries).toBe(6);
    const lines = (await readFile(out, "utf8")).split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject(JSON.parse(HEADER) as object);
    expect(lines[1]).toBe(untouched.trimEnd());
    expect(lines).toContain('{"type":"hologram","id":"h","parentId":"c","x":1.0}');
    expect(JSON.parse(lines[2] ?? "")).toMatchObject({ id: "split", message: { content: "one\n\ntwo" } });
    expect(await run(checkVerb, file, "--repair", file)).toMatchObject({ code: 1 });
    expect(await readFile(file, "utf8")).toBe(text);
  });
});
