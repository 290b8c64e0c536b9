import { type EventFrame, sessionId } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { createFrameReader, type WireItem } from "./frame-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const frame = (seq: number, text = "x"): EventFrame => ({
  seq,
  rev: seq,
  session: sessionId("s1"),
  event: { type: "notice", level: "info", text },
});
const wire = (value: EventFrame, end = "\n"): string =>
  `id: e.${value.seq}${end}data: ${JSON.stringify(value)}${end}${end}`;

const readAll = (text: string | Uint8Array, cuts: readonly number[] = []): WireItem[] => {
  const all = typeof text === "string" ? bytes(text) : text;
  const reader = createFrameReader();
  const edges = [0, ...[...cuts].map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
  return edges.slice(1).flatMap((edge, index) => reader.push(all.subarray(edges[index], edge)));
};

describe("createFrameReader", () => {
  it("reads a frame with its id", () => {
    expect(readAll(wire(frame(1)))).toEqual([{ kind: "frame", id: "e.1", frame: frame(1) }]);
  });

  it("reads LF, CRLF and CR alike, whole or one byte at a time", () => {
    const text = (end: string) =>
      `: ping${end}${wire(frame(1, "añ\u{1F331}\u2028"), end)}${wire(frame(2), end)}`;
    const expected = [
      { kind: "heartbeat" },
      { kind: "frame", id: "e.1", frame: frame(1, "añ\u{1F331}\u2028") },
      { kind: "frame", id: "e.2", frame: frame(2) },
    ];
    for (const end of ["\n", "\r\n", "\r"]) {
      const size = bytes(text(end)).length;
      expect(readAll(text(end)), JSON.stringify(end)).toEqual(expected);
      expect(
        readAll(
          text(end),
          Array.from({ length: size }, (_, index) => index),
        ),
      ).toEqual(expected);
    }
  });

  it("takes `data:` without a space, several data lines, a BOM and a retry", () => {
    const two = JSON.stringify(frame(3), null, 1)
      .split("\n")
      .map((line) => `data:${line}`)
      .join("\n");
    expect(readAll(`\uFEFFretry: 250\n${two}\n\n`)).toEqual([
      { kind: "retry", ms: 250 },
      { kind: "frame", id: "", frame: frame(3) },
    ]);
  });

  it("keeps its place on what it cannot use", () => {
    const broken = [
      "id: e.1\ndata: {not json\n\n",
      'id: e.2\ndata: {"seq":2}\n\n',
      'id: e.3\ndata: {"seq":3,"rev":3,"session":null,"event":{"type":"from_the_future"}}\n\n',
      "id: e.4\nevent: odd\nfoo: bar\n\n",
      "\n\n\n",
    ].join("");
    expect(readAll(broken + wire(frame(5)))).toEqual([
      { kind: "skipped", id: "e.1", reason: "not_json" },
      { kind: "skipped", id: "e.2", reason: "not_a_frame" },
      { kind: "skipped", id: "e.3", reason: "unknown_event" },
      { kind: "frame", id: "e.5", frame: frame(5) },
    ]);
  });

  it("skips an oversized frame without holding it, and reads the next one", () => {
    const reader = createFrameReader(400);
    const items: WireItem[] = [];
    for (const piece of [
      `id: e.1\ndata: "`,
      ..."y"
        .repeat(50)
        .split("")
        .map((c) => c.repeat(100)),
      '"\n',
    ])
      items.push(...reader.push(bytes(piece)));
    items.push(...reader.push(bytes(`id: e.9\ndata: ${JSON.stringify(frame(8))}\n\n${wire(frame(2))}`)));
    expect(items).toEqual([
      { kind: "skipped", id: "e.9", reason: "oversized" },
      { kind: "frame", id: "e.2", frame: frame(2) },
    ]);
    expect(reader.lastEventId()).toBe("e.2");
  });

  it("drops an event the end of the stream cuts off", () => {
    const reader = createFrameReader();
    expect(reader.push(bytes(wire(frame(1)) + wire(frame(2)).slice(0, -1)))).toEqual([
      { kind: "frame", id: "e.1", frame: frame(1) },
    ]);
    expect(reader.lastEventId()).toBe("e.1");
  });

  it("gives the same items wherever the bytes are cut", () => {
    const piece = fc.oneof(
      fc
        .record({ n: fc.nat(99), text: fc.string({ unit: "binary" }) })
        .map(({ n, text }) => wire(frame(n, text))),
      fc.constantFrom(": hi\n", "\r\n", "\r", "data: {\n\n", "id:\n", "event: x\n", "data\n\n"),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }),
        fc.array(fc.nat(2000), { maxLength: 20 }),
        (pieces, cuts) => {
          const text = pieces.join("");
          expect(readAll(text, cuts)).toEqual(readAll(text));
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("never throws on any bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 10 }), (chunks) => {
        const reader = createFrameReader(50);
        for (const chunk of chunks) reader.push(chunk);
        const items = reader.push(bytes(`\n\n${wire(frame(1))}`));
        expect(items.at(-1)).toMatchObject({ kind: "skipped", reason: "oversized" });
      }),
      { numRuns: runs(200) },
    );
  });
});
