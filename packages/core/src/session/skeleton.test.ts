import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, readData, runs } from "../../../../testing/data-folder.ts";
import { anySession } from "../testing/arbitraries.ts";
import { bytesOf } from "../testing/check-session.ts";
import { type ParsedSession, SessionParser } from "./parse-jsonl.ts";
import { wholeRow } from "./parse-line.ts";
import { SessionTree } from "./session-tree.ts";

const HANDED = ["tree-s4.v3", "tree-large.v3", "pi160-live-a-tools-fork"];

const parse = (bytes: Uint8Array, skeletons: boolean, chunk = bytes.length): ParsedSession | null => {
  const parser = new SessionParser({
    skeletons: skeletons ? (part) => new TextDecoder().decode(part) : null,
  });
  for (let at = 0; at < bytes.length; at += Math.max(1, chunk))
    parser.push(bytes.subarray(at, at + Math.max(1, chunk)));
  return parser.finish();
};

/** All rows whole, or null when some line was not what it seemed: what a store does, which then parses every line. */
const filled = (bytes: Uint8Array, quick: ParsedSession): SessionTree | null => {
  const tree = new SessionTree(quick.rows);
  const whole = quick.unread.map((at) => {
    const row = quick.rows[at];
    const span = row && quick.spans.get(row.id);
    return row && span ? wholeRow(bytes.subarray(span.start, span.end), row) : null;
  });
  if (whole.some((row) => row === null)) return null;
  tree.fill(whole.flatMap((row) => row ?? []));
  return tree;
};

/** Looked at from both ends and then filled, a file is what parsing every line says, or the filling finds out. */
const checkQuick = (bytes: Uint8Array, chunk?: number): "same" | "misread" => {
  const full = parse(bytes, false);
  const quick = parse(bytes, true, chunk);
  if (full === null || quick === null) {
    expect(quick).toEqual(full);
    return "same";
  }
  const tree = filled(bytes, quick);
  if (tree === null) return "misread";
  expect(tree.rows).toEqual(full.rows);
  expect([...quick.spans]).toEqual([...full.spans]);
  expect(quick.damage).toEqual(full.damage);
  expect(quick.resume).toEqual(full.resume);
  expect(quick.readOnly).toBe(full.readOnly);
  return "same";
};

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The lines of a file with id and parent behind everything else, as pi leaves them when it migrates a file. */
const migratedOrder = (text: string): string =>
  text
    .split("\n")
    .map((line, at) => {
      if (line === "" || at === 0) return line;
      const { id, parentId, ...rest } = JSON.parse(line) as Record<string, unknown>;
      return JSON.stringify({ ...rest, id, parentId });
    })
    .join("\n");

describe("a file that is looked at from both ends of its lines", () => {
  it("is what parsing every line says, in both orders of keys, cut into any chunks", () => {
    fc.assert(
      fc.property(
        anySession(),
        fc.boolean(),
        fc.integer({ min: 1, max: 600 }),
        (session, migrated, chunk) => {
          const text = decode(bytesOf(session));
          expect(checkQuick(encode(migrated ? migratedOrder(text) : text), chunk)).toBe("same");
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("is read line by line where a line is damaged in its middle", () => {
    fc.assert(
      fc.property(
        anySession(),
        fc.nat(),
        fc.nat({ max: 255 }),
        fc.nat({ max: 3 }),
        (session, place, byte, more) => {
          const bytes = bytesOf(session);
          for (let at = 0; at <= more && bytes.length > 0; at += 1)
            bytes[(place + at * 977) % bytes.length] = byte;
          checkQuick(bytes);
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it.each([
    [
      "a second id further on",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"},"id":"b1","x":{}}',
    ],
    [
      "a second role",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x","role":"system"}}',
    ],
    [
      "another parent at its end",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"},"parentId":"zz","x":{}}',
    ],
    [
      "a quote that does not end",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x}}',
    ],
    [
      "two records in one line",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"y"}}',
    ],
  ])("finds out a line with %s", (_, line) => {
    const header =
      '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
    expect(checkQuick(encode(`${header}\n${line}\n`))).toBe("misread");
  });

  it.each([
    [
      "a zero byte",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x\0"}}',
    ],
    [
      "an id with an escape",
      '{"type":"message","id":"a\\u0031","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}}',
    ],
    [
      "a time that is none",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-99-99T00:00:00.000Z","message":{"role":"user","content":"x"}}',
    ],
    [
      "white space behind it",
      '{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":"x"}} \r',
    ],
  ])("parses a line with %s at once", (_, line) => {
    const header =
      '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
    const bytes = encode(`${header}\n${line}\n`);
    expect(parse(bytes, true)?.unread).toEqual([]);
    expect(checkQuick(bytes)).toBe("same");
  });

  it.skipIf(dataFolder() === null).each(HANDED)("is what parsing says of %s", (name) => {
    const bytes = readData(`sessions/pi/${name}.jsonl`);
    expect(checkQuick(bytes)).toBe("same");
    expect(parse(bytes, true)?.unread.length).toBeGreaterThan(10);
  });
});
