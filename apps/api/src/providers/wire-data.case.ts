import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataFolder, runs } from "../../../../testing/data-folder.ts";
import { createSseReader } from "./sse-reader.ts";
import type { DeltaEvent, StreamReader, StreamReading } from "./stream-reading.ts";

const compared = [
  "text",
  "reasoning",
  "refusal",
  "toolCalls",
  "stopReason",
  "usage",
  "error",
  "completed",
] as const;

/** A reading and the deltas that led to it. */
const readBytes = (
  create: () => StreamReader,
  chunks: Iterable<Uint8Array>,
): { reading: StreamReading; events: DeltaEvent[] } => {
  const sse = createSseReader();
  const reader = create();
  const events: DeltaEvent[] = [];
  const take = (frames: ReturnType<typeof sse.end>): void => {
    for (const frame of frames) events.push(...reader.push(frame));
  };
  for (const chunk of chunks) take(sse.push(chunk));
  take(sse.end());
  return { reading: reader.reading(), events };
};

function* bitesOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** What the deltas alone add up to, block by block. */
const sumOf = (events: readonly DeltaEvent[]): string[] => {
  const sums: string[] = [];
  for (const { index, text } of events) sums[index] = (sums[index] ?? "") + text;
  return sums;
};

const withCrlf = (bytes: Uint8Array): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\r\n", "\n").replaceAll("\n", "\r\n"));

/**
 * Every recorded stream of one API against its expected reading; again one byte at a time and with CRLF; and cut anywhere.
 * `exceptions` names streams and keys that differ, with the reason.
 */
export const wireDataCase = (
  folder: string,
  count: number,
  create: () => StreamReader,
  exceptions: Readonly<Record<string, { keys: readonly string[]; reason: string }>> = {},
): void => {
  const root = dataFolder();
  const suite = root === null ? describe.skip : describe;
  const place = join(root ?? "", "wire", folder);
  const names =
    root === null
      ? []
      : readdirSync(place)
          .filter((name) => name.endsWith(".sse"))
          .map((name) => name.slice(0, -4));
  const bytesOf = (name: string): Uint8Array => readFileSync(join(place, `${name}.sse`));

  suite(`recorded streams of ${folder}`, () => {
    it("are all there", () => expect(names).toHaveLength(count));

    it.each(names)("%s", (name) => {
      const bytes = bytesOf(name);
      const expected: Record<string, unknown> = JSON.parse(
        readFileSync(join(place, `${name}.expected.json`), "utf8"),
      );
      const whole = readBytes(create, [bytes]);
      const reading: StreamReading = JSON.parse(JSON.stringify(whole.reading));
      for (const key of compared) {
        if (exceptions[name]?.keys.includes(key)) expect(reading[key]).not.toEqual(expected[key]);
        else expect(reading[key], key).toEqual(expected[key]);
      }
      const sums = whole.reading.blocks.map((block) =>
        block.type === "toolCall" ? block.call.argumentsRaw : block.text,
      );
      expect(Array.from({ length: sums.length }, (_, index) => sumOf(whole.events)[index] ?? "")).toEqual(
        sums,
      );
      expect(readBytes(create, bitesOf(bytes, 1))).toEqual(whole);
      expect(readBytes(create, bitesOf(withCrlf(bytes), 4096)).reading).toEqual(whole.reading);
    });

    it("cut at any byte, never throw and never finish a call the cut fell into", () => {
      const streams = new Map(names.map((name) => [name, bytesOf(name)]));
      const wholes = new Map<string, StreamReading>();
      fc.assert(
        fc.property(
          fc.constantFrom(...names),
          fc.double({ min: 0, max: 0.999, noNaN: true }),
          (name, share) => {
            const bytes = streams.get(name) ?? new Uint8Array();
            const whole = wholes.get(name) ?? readBytes(create, [bytes]).reading;
            wholes.set(name, whole);
            const { reading } = readBytes(create, [bytes.subarray(0, Math.floor(bytes.length * share))]);
            expect(whole.text.startsWith(reading.text)).toBe(true);
            expect(whole.reasoning.startsWith(reading.reasoning)).toBe(true);
            for (const [index, call] of reading.toolCalls.entries()) {
              if (call.complete) expect(call.argumentsRaw).toBe(whole.toolCalls[index]?.argumentsRaw);
            }
            if (whole.completed && reading.completed) expect(reading.stopReason).toBe(whole.stopReason);
          },
        ),
        { numRuns: runs(400) },
      );
    });
  });
};
