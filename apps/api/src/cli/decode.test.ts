import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { decodeVerb } from "./decode.ts";

const folder = mkdtempSync(join(tmpdir(), "espalier-decode-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, "a.sse");
writeFileSync(
  file,
  'data: {"id":"r1","model":"m","choices":[{"index":0,"delta":{"content":"hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
);

const run = async (...argv: string[]): Promise<{ code: number; out: string; err: string }> => {
  let out = "";
  let err = "";
  const code = await decodeVerb.run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    env: {},
  });
  return { code, out, err };
};

describe("decodeVerb", () => {
  it("prints the reading as JSON and nothing else", async () => {
    const { code, out, err } = await run("openai-completions", file, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      text: "hello",
      reasoning: "",
      refusal: "",
      toolCalls: [],
      stopReason: "stop",
      usage: null,
      error: null,
      completed: true,
    });
  });

  it("says it in words without --json", async () => {
    expect((await run("openai-completions", file)).out).toContain("Text\nhello");
  });

  it("tells wrong usage from a failure", async () => {
    expect((await run("openai-completions")).code).toBe(2);
    expect((await run("openai-completions", file, "--nonsense")).code).toBe(2);
    expect(await run("smoke-signals", file)).toMatchObject({
      code: 2,
      err: expect.stringContaining("anthropic-messages"),
    });
    expect(await run("anthropic-messages", join(folder, "none.sse"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("none.sse"),
    });
  });
});
