import { createReadStream } from "node:fs";

/** A window of a text file. Line numbers count from 1. */
export interface LineWindow {
  /** The window's lines, line ends included; cut off beyond `maxBytes`. */
  readonly text: string;
  /** All lines of the file; a line end at the very end opens no further one. */
  readonly totalLines: number;
  /** Size of the window's first line, bytes. */
  readonly firstLineBytes: number;
  /** Bytes of the file that are no UTF-8 were replaced. */
  readonly damaged: boolean;
}

const LF = 10;

/**
 * Reads lines `from` .. `from + count - 1` without holding more of the file than `maxBytes` of them, and counts all others.
 * Rejects with the stream's error, or when the signal aborts.
 */
export const readLines = async (
  path: string,
  from: number,
  count: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<LineWindow> => {
  const pieces: Uint8Array[] = [];
  let held = 0;
  let line = 1;
  let firstLineBytes = 0;
  let lastByte = LF;
  let size = 0;
  const keep = (piece: Uint8Array): void => {
    if (line === from) firstLineBytes += piece.length;
    if (line < from || line >= from + count || held >= maxBytes) return;
    const part = piece.subarray(0, maxBytes - held);
    // The chunk's buffer is used again by the stream.
    pieces.push(Uint8Array.from(part));
    held += part.length;
  };
  const source = createReadStream(path, { signal, highWaterMark: 256 * 1024 });
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    let start = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, start)) {
      keep(chunk.subarray(start, at + 1));
      line += 1;
      start = at + 1;
    }
    keep(chunk.subarray(start));
    lastByte = chunk.at(-1) ?? lastByte;
  }
  // A window cut inside a character ends before it.
  const text = new TextDecoder("utf-8").decode(Buffer.concat(pieces), { stream: held >= maxBytes });
  const totalLines = size === 0 ? 0 : lastByte === LF ? line - 1 : line;
  return { text, totalLines, firstLineBytes, damaged: text.includes("\ufffd") };
};
