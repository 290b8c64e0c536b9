import {
  addToSummary,
  HeaderFinder,
  LineScanner,
  migrateEntry,
  NO_SUMMARY,
  parseLine,
  readEntry,
  type SessionSummary,
} from "@espalier/core";
import type { SessionHeader } from "@espalier/protocol";
import type { OpenFile } from "./fs.ts";
import { readChunks } from "./read-spans.ts";

/** Bytes that may stand before an object inside a line: `[`, `,` and `:`. Quotes in a text are escaped, so no text looks so. */
const BEFORE_OBJECT = [0x5b, 0x2c, 0x3a];

/** Whether another entry begins in the middle of a line: one that was cut off may begin like a message and be none. */
const isGlued = (line: Uint8Array): boolean => {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  for (let at = bytes.indexOf('{"type":"', 1); at > 0; at = bytes.indexOf('{"type":"', at + 1)) {
    if (!BEFORE_OBJECT.includes(bytes[at - 1] ?? 0)) return true;
  }
  return false;
};

/** What a list says of one file. */
export interface FileSummary extends SessionSummary {
  readonly header: SessionHeader;
}

/** A message line as pi writes it: all the list needs of most messages stands in its first bytes. */
const MESSAGE =
  /^\{"type":"message",(?:"id":"[^"\\]*","parentId":(?:null|"[^"\\]*"),)?"timestamp":"([^"\\]*)","message":\{"role":"(\w+)"/;
const HEAD = 300;

const latin = new TextDecoder("latin1");

/**
 * Counts a file's messages without parsing most of them, line by line in bounded memory. Null if it is no session file. The
 * result is that of `addToSummary` over all entries, but for times: those of the entries stand for those of the messages.
 */
export const summarizeFile = (file: OpenFile): Promise<FileSummary | null> =>
  summarizeChunks(readChunks(file, 0));

const EDGE = 32 * 1024;
const LONGEST_HEAD = 512 * 1024;
const NEWLINE = 0x0a;

/** The lines at the beginning of a file, as far as its first user message (within half a megabyte), and those at its end. */
async function* headAndTail(file: OpenFile, size: number): AsyncGenerator<Uint8Array> {
  let length = EDGE;
  let head = await file.read(0, length);
  while (length < LONGEST_HEAD && length < size && !latin.decode(head).includes('"role":"user"')) {
    length *= 4;
    head = await file.read(0, length);
  }
  if (head.length >= size) return yield head;
  const whole = head.subarray(0, head.lastIndexOf(NEWLINE) + 1);
  yield whole;
  const from = Math.max(whole.length, size - EDGE);
  const tail = await file.read(from, size - from);
  yield from === whole.length ? tail : tail.subarray(tail.indexOf(NEWLINE) + 1);
}

/** As `summarizeFile`, from the first and the last lines only: of a larger file fewer messages are counted than there are. */
export const glanceAtFile = (file: OpenFile): Promise<FileSummary | null> =>
  summarizeChunks(headAndTail(file, file.stat().size));

const summarizeChunks = async (chunks: AsyncIterable<Uint8Array>): Promise<FileSummary | null> => {
  const finder = new HeaderFinder();
  let summary = NO_SUMMARY;
  const whole = (bytes: Uint8Array, line: number): void => {
    const parsed = parseLine(bytes);
    if ("problem" in parsed) return finder.unreadable(bytes, line);
    if (finder.offer(parsed.fields, line)) return;
    if (finder.found() === null) return;
    const migrated = migrateEntry(parsed.fields, finder.version, 1);
    if (typeof migrated.type !== "string" || typeof migrated.id !== "string") return;
    summary = addToSummary(summary, readEntry(migrated, migrated.id, parsed.text));
  };
  const scanner = new LineScanner((bytes, { line }) => {
    const quick = finder.found() === null ? null : MESSAGE.exec(latin.decode(bytes.subarray(0, HEAD)));
    const [, timestamp = "", role] = quick ?? [];
    const unsure = bytes.at(-1) !== 0x7d || isGlued(bytes);
    if (role === undefined || unsure || (role === "user" && summary.firstMessage === "")) {
      if (bytes.length > 0) whole(bytes, line);
      return;
    }
    summary = countMessage(summary, role, Date.parse(timestamp) || 0);
  });
  for await (const chunk of chunks) scanner.push(chunk);
  scanner.finish();
  const found = finder.found();
  return found === null ? null : { ...summary, header: found.header };
};

const countMessage = (summary: SessionSummary, role: string, time: number): SessionSummary => ({
  ...summary,
  messageCount: summary.messageCount + 1,
  modified: role === "user" || role === "assistant" ? Math.max(summary.modified, time) : summary.modified,
});
