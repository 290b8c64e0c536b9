import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, runs } from "../../../../testing/data-folder.ts";
import { createTerminalFilter } from "./terminal-text.ts";
import { headChars, tailBytes, truncateHead, truncateTail } from "./truncate-output.ts";

const clean = (...pieces: string[]): string => {
  const filter = createTerminalFilter();
  return pieces.map(filter.push).join("");
};
const COLOUR = new RegExp(`${String.fromCharCode(0x1b)}\\[[\\d;:]*m`, "g");
/** No sequence but colours, no control character but tab and line ends. */
const isSafe = (text: string): boolean => !/[^\P{Cc}\t\n\r]/u.test(text.replaceAll(COLOUR, ""));

describe("createTerminalFilter", () => {
  it("keeps colours and drops every other sequence, also one cut between pieces", () => {
    expect(
      clean("a\u001b[1;31mb\u001b[", "0mc\u001b]8;;http://x", "\u001b\\link\u001b[2Kd\u001b(Be\u001b7f"),
    ).toBe("a\u001b[1;31mb\u001b[0mclinkdef");
  });

  it("gives safe text for anything, however it is cut", () => {
    const text = fc.string({
      unit: fc.constantFrom("\u001b", "[", "]", "m", "3", ";", "\u0007", "\\", "a", "\n", "\u009b", "P"),
    });
    fc.assert(
      fc.property(text, fc.nat(40), (whole, at) => {
        expect(isSafe(clean(whole))).toBe(true);
        expect(clean(whole.slice(0, at), whole.slice(at))).toBe(clean(whole));
      }),
      { numRuns: runs(500) },
    );
  });

  const root = dataFolder();
  it.skipIf(root === null)("makes recorded terminal output safe", () => {
    const place = join(root ?? "", "suites/xterm-escapes");
    const names = readdirSync(place, { recursive: true, encoding: "utf8" }).filter((name) =>
      /\.(in|txt|bin|esc)$/.test(name),
    );
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(isSafe(clean(readFileSync(join(place, name), "utf8"))), name).toBe(true);
  });
});

describe("truncateHead and truncateTail", () => {
  it("keep whole lines within both limits, and say what is missing", () => {
    const piece = fc.string({ unit: fc.constantFrom("a", "é", "\u{1F331}", "\n"), maxLength: 200 });
    const limits = fc.record({
      maxLines: fc.integer({ min: 1, max: 20 }),
      maxBytes: fc.integer({ min: 8, max: 60 }),
    });
    fc.assert(
      fc.property(piece, limits, (text, limit) => {
        const head = truncateHead(text, limit);
        const tail = truncateTail(text, limit);
        expect(text.startsWith(head.content)).toBe(true);
        expect(text.endsWith(tail.content) || text.endsWith(`${tail.content}\n`)).toBe(true);
        for (const cut of [head, tail]) {
          expect(cut.content.isWellFormed()).toBe(true);
          expect(cut.truncated).toBe(cut.truncatedBy !== null);
          if (!cut.truncated) expect(cut.content).toBe(text);
          else {
            expect(Buffer.byteLength(cut.content)).toBeLessThanOrEqual(limit.maxBytes);
            expect(cut.outputLines).toBeLessThanOrEqual(limit.maxLines);
          }
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it("never split a character", () => {
    expect(headChars("ab\u{1F331}", 3)).toBe("ab");
    expect(tailBytes("\u{1F331}ab", 5)).toBe("ab");
    expect(tailBytes("\u{1F331}ab", 6)).toBe("\u{1F331}ab");
  });
});
