import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { createSseReader, type SseFrame } from "./sse-reader.ts";

const read = (text: string, size = Number.POSITIVE_INFINITY): SseFrame[] => {
  const bytes = new TextEncoder().encode(text);
  const reader = createSseReader();
  const frames: SseFrame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  return [...frames, ...reader.end()];
};

describe("createSseReader", () => {
  it("gives the same frames for LF, CRLF and CR, whole or byte by byte", () => {
    const lines = [": ping", "event: a", 'data: {"t":"\u{1F331} é"}', "", "data:x", "data: y", "", ""];
    const expected = [
      { event: "a", data: '{"t":"\u{1F331} é"}' },
      { event: "", data: "x\ny" },
    ];
    for (const end of ["\n", "\r\n", "\r"])
      for (const size of [1, 2, 3, 7, 1000]) expect(read(lines.join(end), size)).toEqual(expected);
  });

  it("drops comments and passes on what it does not know", () => {
    expect(read(": OPENROUTER PROCESSING\n\n:\n\nevent: x-foo\ndata: 1\n\ndata: : wrapped\n\n")).toEqual([
      { event: "x-foo", data: "1" },
      { event: "", data: ": wrapped" },
    ]);
  });

  it("counts an event at the very end that lacks its blank line, or even its line end", () => {
    expect(read("data: a\n\ndata: [DONE]")).toEqual([
      { event: "", data: "a" },
      { event: "", data: "[DONE]" },
    ]);
    expect(read("data: a\r\ndata: b\r\n")).toEqual([{ event: "", data: "a\nb" }]);
  });

  it("keeps lines that are no field, for the error text", () => {
    const reader = createSseReader();
    reader.push(new TextEncoder().encode('data: a\n\nerror: {"message":"out of room"}\n\n'));
    expect(reader.strayLines()).toEqual(['error: {"message":"out of room"}']);
  });

  it("never throws, wherever the bytes come from", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 }), (chunks) => {
        const reader = createSseReader();
        for (const chunk of chunks) reader.push(chunk);
        reader.end();
      }),
      { numRuns: runs(200) },
    );
  });
});
