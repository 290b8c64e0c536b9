import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { doctorVerb } from "./doctor.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-doctor-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const doctor = async (argv: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  let out = "";
  let err = "";
  const io = { out: (text: string) => void (out += text), err: (text: string) => void (err += text), env };
  const code = await doctorVerb("9.9.9").run([...argv, "--data-dir", join(folder, "data")], io);
  return { code, out, err };
};

describe("doctor", () => {
  it("tells of an empty machine and makes nothing", async () => {
    const { code, out } = await doctor(["--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      espalier: "9.9.9",
      node: process.versions.node,
      sqlite: expect.stringMatching(/^3\./),
      dataDir: { exists: false },
      lock: null,
      server: null,
      index: { state: "none" },
      trash: 0,
      problems: [],
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it("says that a key is there, never the key", async () => {
    mkdirSync(join(folder, "data", "trash"), { recursive: true });
    writeFileSync(join(folder, "data", "trash", "t.jsonl"), "");
    const stored = { groq: { type: "api_key", key: "secret-stored" } };
    writeFileSync(join(folder, "data", "credentials.json"), JSON.stringify(stored));
    writeFileSync(
      join(folder, "data", "index.db"),
      "no database, and long enough not to look like an empty one",
    );
    for (const argv of [[], ["--json"]]) {
      const { out } = await doctor(argv, { ANTHROPIC_API_KEY: "secret-variable" });
      expect(out).not.toContain("secret");
      expect(out).toMatch(/anthropic/);
    }
    const report = JSON.parse((await doctor(["--json"], { ANTHROPIC_API_KEY: "secret-variable" })).out);
    expect(report).toMatchObject({
      keys: { anthropic: "environment", groq: "stored", openai: "none" },
      index: { state: expect.stringContaining("cannot be read") },
      trash: 1,
    });
  });

  it("takes no file", async () => {
    expect((await doctor(["x"])).code).toBe(2);
  });
});
