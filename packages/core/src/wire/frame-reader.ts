import type { EventFrame, ServerEvent, SessionEventType } from "@espalier/protocol";

/** What the reader made of the bytes. */
export type WireItem =
  /** A frame whose envelope is well-formed and whose event type is known. `id` is `<epoch>.<seq>`, "" if none came. */
  | { readonly kind: "frame"; readonly id: string; readonly frame: EventFrame }
  /** A comment line: the server is alive. */
  | { readonly kind: "heartbeat" }
  /** How long to wait before a reconnect, ms. */
  | { readonly kind: "retry"; readonly ms: number }
  /** A frame that was left out. Its number is missing from the session's `rev`, so a client notices the gap. */
  | {
      readonly kind: "skipped";
      readonly id: string;
      readonly reason: "not_json" | "not_a_frame" | "unknown_event" | "oversized";
    };

export interface FrameReader {
  /** Takes the next bytes, cut anywhere; returns what they complete, in order. Never throws. */
  readonly push: (bytes: Uint8Array) => WireItem[];
  /** Id of the last event that ended, read or skipped, for Last-Event-ID; "" before the first. */
  readonly lastEventId: () => string;
}

/** The largest frame we take, in UTF-16 units: a snapshot-sized event is far below it, and memory stays bounded. */
export const MAX_FRAME_CHARS = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;

/**
 * Reads our own event stream (the page's side). Follows the line rules of the HTML standard, section 9.2.6: LF, CRLF or CR
 * end a line, a blank line ends an event, a line that starts with ":" is a comment. An event that the end of the stream
 * cuts off is dropped, as the standard says: the server sends it again after the reconnect.
 */
export const createFrameReader = (maxFrameChars: number = MAX_FRAME_CHARS): FrameReader => {
  const lines = createLineSplitter(maxFrameChars);
  let data: string[] = [];
  let size = 0;
  /** Holds from the end of its event on, so that a frame the connection's end cuts off is asked for again. */
  let pendingId = "";
  let lastId = "";

  const endEvent = (items: WireItem[]): void => {
    lastId = pendingId;
    if (size > maxFrameChars) items.push({ kind: "skipped", id: lastId, reason: "oversized" });
    else if (data.length > 0) items.push(readFrame(lastId, data.join("\n")));
    data = [];
    size = 0;
  };

  const takeLine = (text: string, cut: boolean, items: WireItem[]): void => {
    if (text === "") return endEvent(items);
    if (text.startsWith(":")) {
      items.push({ kind: "heartbeat" });
      return;
    }
    const colon = text.indexOf(":");
    const field = colon < 0 ? text : text.slice(0, colon);
    const rest = colon < 0 ? "" : text.slice(colon + 1);
    const value = rest.startsWith(" ") ? rest.slice(1) : rest;
    if (field === "data") {
      size += cut ? maxFrameChars + 1 : value.length;
      if (size <= maxFrameChars) data.push(value);
      else data = [];
    } else if (field === "id" && !value.includes("\0")) pendingId = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) items.push({ kind: "retry", ms: Number(value) });
  };

  return {
    push: (bytes) => {
      const items: WireItem[] = [];
      lines(bytes, (text, cut) => takeLine(text, cut, items));
      return items;
    },
    lastEventId: () => lastId,
  };
};

/** Turns chunks into lines. Of a line longer than the limit only the head is given (`cut`), enough to know its field. */
const createLineSplitter = (
  maxChars: number,
): ((bytes: Uint8Array, take: (line: string, cut: boolean) => void) => void) => {
  const decoder = new TextDecoder("utf-8");
  let line = "";
  let cut = false;
  /** A CR ended the last line: an LF right after it belongs to the same line end. */
  let afterCr = false;

  const extend = (piece: string): void => {
    if (cut) return;
    cut = line.length + piece.length > maxChars;
    line = cut ? (line + piece.slice(0, 16)).slice(0, 16) : line + piece;
  };

  return (bytes, take) => {
    const text = decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const wasCr = afterCr;
      afterCr = code === CR;
      if (code !== LF && code !== CR) continue;
      if (!(code === LF && wasCr)) {
        extend(text.slice(start, at));
        const [whole, isCut] = [line, cut];
        line = "";
        cut = false;
        take(whole, isCut);
      }
      start = at + 1;
    }
    extend(text.slice(start));
  };
};

/** Names only, not the schemas: the page carries this file, and the compiler asks for every name. */
const knownEvents: Readonly<Record<SessionEventType | ServerEvent["type"], true>> = {
  hello: true,
  resync: true,
  sessions_changed: true,
  entries: true,
  rows: true,
  leaf: true,
  run: true,
  delta: true,
  partial_end: true,
  tool: true,
  tool_output: true,
  approval: true,
  approval_closed: true,
  queue: true,
  returned: true,
  notice: true,
  damage: true,
  guarded: true,
  moved: true,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The envelope is checked field by field, the event by its tag: the server is ours and of the same protocol version. */
const isFrame = (value: unknown): value is EventFrame =>
  isObject(value) &&
  Number.isSafeInteger(value.seq) &&
  Number.isSafeInteger(value.rev) &&
  (value.session === null || typeof value.session === "string") &&
  isObject(value.event) &&
  typeof value.event.type === "string";

const readFrame = (id: string, text: string): WireItem => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "skipped", id, reason: "not_json" };
  }
  if (!isFrame(value)) return { kind: "skipped", id, reason: "not_a_frame" };
  if (!Object.hasOwn(knownEvents, value.event.type)) return { kind: "skipped", id, reason: "unknown_event" };
  return { kind: "frame", id, frame: value };
};
