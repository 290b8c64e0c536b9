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
export const summarizeFile = async (file: OpenFile): Promise<FileSummary | null> => {
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
    // A line that was cut off may begin like a message and be none.
    if (role === undefined || bytes.at(-1) !== 0x7d || (role === "user" && summary.firstMessage === "")) {
      if (bytes.length > 0) whole(bytes, line);
      return;
    }
    summary = countMessage(summary, role, Date.parse(timestamp) || 0);
  });
  for await (const chunk of readChunks(file, 0)) scanner.push(chunk);
  scanner.finish();
  const found = finder.found();
  return found === null ? null : { ...summary, header: found.header };
};

const countMessage = (summary: SessionSummary, role: string, time: number): SessionSummary => ({
  ...summary,
  messageCount: summary.messageCount + 1,
  modified: role === "user" || role === "assistant" ? Math.max(summary.modified, time) : summary.modified,
});
