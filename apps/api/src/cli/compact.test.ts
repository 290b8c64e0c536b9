import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataFolder } from "../../../../testing/data-folder.ts";
import { compactVerb } from "./compact.ts";

const run = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
  const said = { out: "", err: "" };
  const code = await compactVerb.run(argv, {
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

const data = dataFolder();
describe.skipIf(data === null)("compact --dry-run", () => {
  const file = join(data ?? "", "sessions/pi/tree-s6.v3.jsonl");

  it("says where pi would cut, and writes nothing", async () => {
    const before = createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
    const { code, out } = await run(
      file,
      "--dry-run",
      "--leaf",
      "0d21c79f",
      "--keep-recent",
      "3000",
      "--json",
    );
    expect(code).toBe(0);
    const plan = JSON.parse(out);
    expect(plan).toMatchObject({
      firstKeptEntryId: "f5ade971",
      isSplitTurn: true,
      turnStartEntryId: "d128414c",
      tokensBefore: 77896,
    });
    expect([plan.messagesToSummarize.length, plan.turnPrefix.length]).toEqual([37, 9]);
    expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore);
    const none = await run(file, "--dry-run", "--leaf", "54a50ede", "--keep-recent", "50000", "--json");
    expect(JSON.parse(none.out)).toEqual({ nothing: expect.any(String) });
    expect((await run(file, "--dry-run")).out).toContain("keeps from");
    expect(
      createHash("sha256")
        .update(await readFile(file))
        .digest("hex"),
    ).toBe(before);
  });

  it("says how it is used and what is not there", async () => {
    for (const argv of [
      [],
      [file],
      [file, "--dry-run", "--keep-recent", "x"],
      [file, "--dry-run", "--keep-recent=-1"],
    ]) {
      expect((await run(...argv)).code).toBe(2);
    }
    expect(await run(file, "--dry-run", "--leaf", "nobody")).toMatchObject({ code: 1, out: "" });
  });
});
