import { describe, expect, it } from "vitest";
import { assistant, entry, user } from "../testing/make-entries.ts";
import { parseJsonl } from "./parse-jsonl.ts";
import { repairJsonl } from "./repair-jsonl.ts";
import { serializeEntry, serializeHeader } from "./serialize.ts";

const HEADER = serializeHeader({
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
});
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const made = new Map<string, string>();
/** The same line for the same words: entries are dated as they are made. */
const line = (id: string, parent: string | null, text = "x"): string => {
  const key = JSON.stringify([id, parent, text]);
  const known = made.get(key) ?? serializeEntry(user(id, parent, text));
  made.set(key, known);
  return known;
};

/** Repairs, checks that the copy is sound and that repairing it again changes nothing. */
const repair = (text: string) => {
  const repaired = repairJsonl(encode(text));
  if (repaired === null) throw new Error("nothing of a session");
  const copy = parseJsonl(encode(repaired.text));
  expect(copy?.damage).toEqual([]);
  expect(copy?.readOnly).toBeNull();
  expect(repairJsonl(encode(repaired.text))).toMatchObject({ text: repaired.text, steps: [] });
  return { ...repaired, done: repaired.steps.map(({ line: at, what }) => [at, what]) };
};

describe("repairJsonl", () => {
  it("copies a sound file byte for byte, with odd spaces, CRLF, U+2028, half characters and unknown types", () => {
    const odd = [
      line("a", null, "a\u2028b"),
      '{"type":"hologram", "id":"h","parentId":"a","x":1.0}  \n',
      `${line("b", "h").trimEnd()}\r\n`,
      '{"type":"message","id":"c","parentId":"b","timestamp":"x","message":{"role":"user","content":"\\ud83d","timestamp":1}}\n',
    ].join("");
    const text = HEADER + odd;
    expect(repair(text)).toMatchObject({ text, steps: [] });
  });

  it("leaves out zeros and torn lines, and hangs up again what hung under them", () => {
    const { text, done, counts } = repair(
      `${HEADER}${line("a", null)}${"\0".repeat(300)}\n${line("c", "lost")}{"type":"message","id":"torn`,
    );
    expect(done).toEqual([
      [3, "dropped"],
      [4, "reattached"],
      [5, "dropped"],
    ]);
    expect(counts).toEqual({ joined: 0, dropped: 2, renamed: 0, reattached: 1 });
    expect(text.startsWith(HEADER + line("a", null))).toBe(true);
  });

  it("joins a record that raw line ends have split over lines", () => {
    const whole = line("a", null, "one\ntwo\nthree");
    const { text, steps } = repair(HEADER + whole.replaceAll("\\n", "\n") + line("b", "a"));
    expect(text).toBe(HEADER + whole + line("b", "a"));
    expect(steps).toEqual([{ line: 2, what: "joined", detail: "lines 2 to 4 are one record" }]);
  });

  it("draws new ids for those that were taken and breaks circles", () => {
    const { text, done } = repair(
      HEADER + line("a", null) + line("a", null, "second") + line("x", "y") + line("y", "x"),
    );
    expect(done[0]).toEqual([3, "renamed"]);
    expect(done.filter(([, what]) => what === "reattached").length).toBeGreaterThan(0);
    expect(text).toContain("second");
  });

  it("puts a damaged header together, and leaves out a second one and what is no entry", () => {
    const broken = repair(HEADER.replace('"type"', '"type') + line("a", null));
    expect(new Set(broken.done.map(([, what]) => what))).toEqual(new Set(["dropped", "header"]));
    expect(JSON.parse(broken.text.split("\n")[0] ?? "")).toMatchObject({ id: "s", cwd: "/w" });
    const second = repair(`${HEADER}${line("a", null)}${HEADER}{"no":"entry"}\n${line("b", "a")}`);
    expect(second.text).toBe(HEADER + line("a", null) + line("b", "a"));
    expect(second.done).toEqual([
      [3, "dropped"],
      [4, "dropped"],
    ]);
  });

  it("reads a mark at the beginning over, and raises older versions", () => {
    const marked = repair(`\uFEFF${HEADER}${line("a", null)}`);
    expect(marked.text).toBe(HEADER + line("a", null));
    const old = repair(
      HEADER.replace('"version":3', '"version":2') + serializeEntry(assistant("a", null, { text: "x" })),
    );
    expect(old.done).toEqual([[1, "header"]]);
    expect(
      repair(HEADER + serializeEntry(entry("n", null, { type: "session_info", name: "x" }))).steps,
    ).toEqual([]);
  });
});
