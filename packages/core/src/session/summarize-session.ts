import type { AnyEntry } from "./known-entry.ts";
import { asKnown } from "./known-entry.ts";

/** What a list of sessions says about one, gathered entry by entry in file order. */
export interface SessionSummary {
  /** `message` entries of every role, on all branches. */
  readonly messageCount: number;
  /** Beginning of the first user message, at most 400 characters; "" when there is none. */
  readonly firstMessage: string;
  /** Last `session_info`, on any branch. */
  readonly name?: string;
  /** Newest time of a user or assistant message in epoch ms; 0 when there is none. */
  readonly modified: number;
}

export const NO_SUMMARY: SessionSummary = { messageCount: 0, firstMessage: "", modified: 0 };

const withName = ({ name: _old, ...summary }: SessionSummary, name: string | undefined): SessionSummary =>
  (name ?? "").trim() === "" ? summary : { ...summary, name: name ?? "" };

const LONGEST = 400;

/** Glued and cut again: a plain slice would keep a whole long message in memory for a line of a list. */
const beginning = (text: string): string =>
  text.length <= LONGEST ? text : ` ${text.slice(0, LONGEST)}`.slice(1).toWellFormed();

/** The summary with one entry more. */
export const addToSummary = (summary: SessionSummary, entry: AnyEntry): SessionSummary => {
  const known = asKnown(entry);
  if (known?.type === "session_info") return withName(summary, known.name);
  if (known?.type !== "message")
    return entry.type === "message" ? { ...summary, messageCount: summary.messageCount + 1 } : summary;
  const { message } = known;
  const counted = { ...summary, messageCount: summary.messageCount + 1 };
  if (message.role !== "user" && message.role !== "assistant") return counted;
  const time = Date.parse(known.timestamp) || message.timestamp;
  const dated = { ...counted, modified: Math.max(counted.modified, time) };
  if (message.role !== "user" || summary.firstMessage !== "") return dated;
  const { content } = message;
  const text =
    typeof content === "string"
      ? content
      : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  return { ...dated, firstMessage: beginning(text) };
};
