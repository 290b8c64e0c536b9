import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { EntryDraft } from "@espalier/protocol";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../testing/data-folder.ts";
import { user } from "../testing/make-entries.ts";
import { makeEntry, newEntryId } from "./append-entry.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { parseLine } from "./parse-line.ts";
import { serializeEntry, serializeHeader } from "./serialize.ts";

const reversed = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).reverse());

const folder = dataFolder();
/** Files whose lines pi wrote as they are, not files that it migrated. */
const native = ["pi160-live-a-tools-fork", "pi160-live-c-errors-and-retries", "jazzyalex-pi-small"];

describe.skipIf(folder === null)("bytes as pi writes them", () => {
  it.each(native)("%s", (name) => {
    const [header = "", ...lines] = new TextDecoder()
      .decode(readData(`sessions/pi/${name}.jsonl`))
      .trimEnd()
      .split("\n");
    expect(serializeHeader(JSON.parse(header))).toBe(`${header}\n`);
    for (const line of lines) {
      const { id, parentId, timestamp, ...fields } = JSON.parse(line);
      const message = fields.message === undefined ? {} : { message: reversed(fields.message) };
      const draft = reversed({ ...fields, ...message }) as EntryDraft;
      expect(serializeEntry(makeEntry(draft, { id, parentId, time: Date.parse(timestamp) }))).toBe(
        `${line}\n`,
      );
    }
  });

  it("keeps the order that lines of a migrated file have", () => {
    const bytes = readData("sessions/pi/tree-large.v3.jsonl");
    const session = parseJsonl(bytes);
    const lines = new TextDecoder().decode(bytes).trimEnd().split("\n").slice(1);
    session?.rows.forEach(({ id }, at) => {
      const entry = session.read(id);
      if (entry !== null) expect(serializeEntry(entry)).toBe(`${lines[at]}\n`);
    });
  });
});

describe("makeEntry", () => {
  it("puts a program's entries in pi's order, place last", () => {
    const stamp = { id: entryId("c"), parentId: null, time: 0 };
    expect(serializeEntry(makeEntry({ data: { v: 1 }, customType: "x", type: "custom" }, stamp))).toBe(
      '{"type":"custom","customType":"x","data":{"v":1},"id":"c","parentId":null,"timestamp":"1970-01-01T00:00:00.000Z"}\n',
    );
    expect(
      serializeEntry(
        makeEntry({ display: true, content: "y", customType: "x", type: "custom_message" }, stamp),
      ),
    ).toBe(
      '{"type":"custom_message","customType":"x","content":"y","display":true,"id":"c","parentId":null,"timestamp":"1970-01-01T00:00:00.000Z"}\n',
    );
  });

  it("draws ids of eight hex digits, and a whole UUID when those are taken", () => {
    expect(newEntryId(() => false)).toMatch(/^[0-9a-f]{8}$/);
    expect(newEntryId((id) => id.length === 8)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    let asked = 0;
    newEntryId(() => (asked += 1) < 5);
    expect(asked).toBe(5);
  });
});

describe("half characters", () => {
  it("become U+FFFD in every text and key, and nothing else changes", () => {
    const entry = user("u", null, [
      { type: "text", text: "a\ud83d" },
      { type: "text", text: "\\ud83d 😀 \u2028" },
    ]);
    const line = serializeEntry({ ...entry, "k\udc00": ["\ud99c", { deep: "\udfff" }] } as never);
    expect(JSON.parse(line)).toMatchObject({
      message: { content: [{ text: "a\uFFFD" }, { text: "\\ud83d 😀 \u2028" }] },
      "k\uFFFD": ["\uFFFD", { deep: "\uFFFD" }],
    });
    const whole = serializeEntry(user("u", null, "\\ud83d"));
    expect(JSON.parse(whole)).toMatchObject({ message: { content: "\\ud83d" } });
  });
});

describe.skipIf(folder === null)("JSON as the test suite has it", () => {
  const suite =
    folder === null
      ? []
      : readdirSync(join(folder, "suites/json-test-suite")).filter((name) => /^[yni]_/.test(name));
  it.each(suite)("%s", (name) => {
    const bytes = readData(`suites/json-test-suite/${name}`);
    const line = parseLine(bytes);
    const isObject = new TextDecoder().decode(bytes).trim().startsWith("{");
    if (name.startsWith("n_")) expect(line).toHaveProperty("problem");
    if (name.startsWith("y_")) expect("fields" in line).toBe(isObject);
    // Inside a file the line harms nobody: what stands around it is read.
    const around = (text: string): Uint8Array => new TextEncoder().encode(text);
    const header = around('{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/"}\n');
    const parts = [
      header,
      around(serializeEntry(user("a", null))),
      bytes,
      around(`\n${serializeEntry(user("b", "a"))}`),
    ];
    const session = parseJsonl(Uint8Array.from(parts.flatMap((part) => [...part])));
    expect(session?.rows.map(({ id }) => id)).toEqual(expect.arrayContaining(["a", "b"]));
  });
});
