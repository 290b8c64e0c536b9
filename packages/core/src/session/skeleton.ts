import { type EntryId, entryId, type Row } from "@espalier/protocol";

/** A message's line as pi writes it, as far as the tree needs it. Ids without escapes or characters beyond ASCII only. */
const HEAD =
  /^\{"type":"message",(?:"id":"([^"\\\x80-\uffff]{1,256})","parentId":(?:null|"([^"\\\x80-\uffff]{1,256})"),)?"timestamp":"([\d\-T:.Z+]{10,40})","message":\{"role":"(\w{1,40})"/;
/** Files of older versions that pi has migrated name id and parent behind the message. */
const TAIL = /\},"id":"([^"\\\x80-\uffff]{1,64})","parentId":(?:null|"([^"\\\x80-\uffff]{1,64})")\}$/;
const HEAD_BYTES = 256;
const TAIL_BYTES = 192;
const CLOSED = 0x7d;

const decoder = new TextDecoder();

/** Text of a few bytes of which only ASCII is of interest; other characters may come out as anything beyond ASCII. */
export type AsciiText = (bytes: Uint8Array) => string;

const plainText: AsciiText = (bytes) => decoder.decode(bytes);

/**
 * A row with what the first and the last bytes of a message's line say: id, parent as named, time and role. First words, tokens
 * and marks are missing (`tokens` is 0). Null when the line is no message or not written the usual way: then it has to be parsed.
 * The line's middle is not looked at, so the row holds only until somebody parses it and finds the same.
 */
export const skeletonRow = (line: Uint8Array, text: AsciiText = plainText): Row | null => {
  if (line[line.length - 1] !== CLOSED || line.includes(0)) return null;
  const head = HEAD.exec(text(line.subarray(0, HEAD_BYTES)));
  if (head === null) return null;
  const [, id, parent, timestamp = "", role = ""] = head;
  const time = Date.parse(timestamp);
  if (Number.isNaN(time)) return null;
  // The message stands last there, so both end at once; a line that broke off seldom looks like that.
  if (id !== undefined) return line[line.length - 2] === CLOSED ? rowFrom(id, parent, time, role) : null;
  const tail = TAIL.exec(text(line.subarray(-TAIL_BYTES)));
  return tail === null ? null : rowFrom(tail[1] ?? "", tail[2], time, role);
};

/** One string for all messages of a role. */
const ROLES = new Map(
  ["user", "assistant", "toolResult", "system", "bashExecution", "custom"].map((role) => [role, role]),
);

const rowFrom = (id: string, parent: string | undefined, time: number, role: string): Row => ({
  id: entryId(id),
  parentId: parent === undefined ? null : (parent as EntryId),
  type: "message",
  time,
  tokens: 0,
  role: ROLES.get(role) ?? role,
});
