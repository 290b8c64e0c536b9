import { createParser } from "eventsource-parser";

/** One event of a provider's stream. `event` is "" when the server did not name it. */
export interface SseFrame {
  readonly event: string;
  readonly data: string;
}

export interface SseReader {
  /** Takes the next bytes, cut anywhere; returns the frames they complete. Never throws. */
  readonly push: (bytes: Uint8Array) => SseFrame[];
  /** Call once after the last byte: an event without its closing blank line counts, since some servers leave it out. */
  readonly end: () => SseFrame[];
  /** Lines that are no field of the standard, e.g. `error: {...}` from a gateway; the first few, for the error text. */
  readonly strayLines: () => readonly string[];
}

const MAX_STRAY_LINES = 4;

/** Reads a raw response body. Comments are dropped; LF, CRLF and CR end lines alike; UTF-8 may be cut between chunks. */
export const createSseReader = (): SseReader => {
  const decoder = new TextDecoder("utf-8");
  const stray: string[] = [];
  let frames: SseFrame[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push({ event: event ?? "", data }),
    onError: ({ line, type }) => {
      if (type === "unknown-field" && line !== undefined && stray.length < MAX_STRAY_LINES) stray.push(line);
    },
  });
  const feed = (text: string): SseFrame[] => {
    frames = [];
    if (text !== "") parser.feed(text);
    return frames;
  };
  return {
    push: (bytes) => feed(decoder.decode(bytes, { stream: true })),
    end: () => feed(`${decoder.decode()}\n\n`),
    strayLines: () => stray,
  };
};
