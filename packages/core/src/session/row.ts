import type { AgentMessage, AssistantMessage, Entry, Outcome, Row, RowFlag } from "@espalier/protocol";
import { isAside, OUTCOME } from "./aside.ts";
import { tokensOfEntry } from "./entry-tokens.ts";
import { type AnyEntry, asKnown, isFields } from "./known-entry.ts";

const LINE_CHARS = 120;
const LOOK_AT = 2 * LINE_CHARS;

/** The first words of a text on one line, at most 120 characters; never ends inside a character. */
export const firstWords = (text: string): string => {
  // Glued and cut again: a plain slice would keep the whole text in memory for as long as the row lives.
  const head = text.length > LOOK_AT ? ` ${text.slice(0, LOOK_AT)}`.slice(1) : text;
  const flat = head.replace(/\s+/g, " ").trim();
  const line = flat.length > LINE_CHARS ? flat.slice(0, LINE_CHARS) : flat;
  return line.isWellFormed() ? line : line.toWellFormed().replace(/\uFFFD$/u, "");
};

type Content = Extract<AgentMessage, { role: "user" }>["content"] | AssistantMessage["content"];

const textOf = (content: Content): string => {
  if (typeof content === "string") return content;
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.find((candidate) => candidate.trim() !== "");
  if (text !== undefined) return text;
  const images = content.filter((block) => block.type === "image").length;
  return images === 0 ? "" : `[${images === 1 ? "image" : `${images} images`}]`;
};

/** The argument a person knows a call by: its command, path, pattern, else the first text. */
const subjectOf = (args: unknown): string => {
  if (typeof args !== "object" || args === null) return "";
  const texts = Object.entries(args).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const named = texts.find(([name]) => ["command", "path", "pattern"].includes(name)) ?? texts[0];
  return named === undefined ? "" : named[1];
};

const lineOfAssistant = (message: AssistantMessage): string => {
  const text = textOf(message.content);
  if (text !== "") return text;
  const calls = message.content.flatMap((block) =>
    block.type === "toolCall" ? [`${block.name} ${subjectOf(block.arguments)}`.trim()] : [],
  );
  return calls.length > 0 ? calls.join(", ") : (message.errorMessage ?? "");
};

const lineOfMessage = (message: AgentMessage): string => {
  switch (message.role) {
    case "assistant":
      return lineOfAssistant(message);
    case "bashExecution":
      return message.command;
    case "system":
    case "user":
    case "toolResult":
    case "custom":
      return textOf(message.content);
  }
};

const flagsOfMessage = (message: AgentMessage): RowFlag[] => {
  if (message.role === "toolResult") return message.isError ? ["error"] : [];
  if (message.role !== "assistant") return [];
  const flags: RowFlag[] = [];
  if (message.stopReason === "error" || message.stopReason === "aborted") flags.push(message.stopReason);
  if (message.content.some((block) => block.type === "toolCall")) flags.push("calls");
  return flags;
};

type Details = Pick<
  Row,
  "role" | "target" | "name" | "flags" | "line" | "before" | "cost" | "files" | "outcome"
>;

const MOST_FILES = 20;

/** Paths that the edit and write calls of an answer name. */
const filesOf = ({ content }: AssistantMessage): string[] => {
  const paths = content.flatMap((block) => {
    if (block.type !== "toolCall" || (block.name !== "edit" && block.name !== "write")) return [];
    const { path } = (block.arguments ?? {}) as { path?: unknown };
    return typeof path === "string" && path !== "" ? [path.slice(0, 400)] : [];
  });
  return [...new Set(paths)].slice(0, MOST_FILES);
};

const detailsOfAnswer = (message: AssistantMessage): Details => {
  const total = message.usage.cost?.total;
  const files = filesOf(message);
  return {
    ...(typeof total === "number" && total > 0 ? { cost: total } : {}),
    ...(files.length === 0 ? {} : { files }),
  };
};

const outcomes: ReadonlySet<unknown> = new Set<Outcome>(["worked", "failed", "abandoned"]);

/** What an outcome mark says; a mark of a later version, or a malformed one, is only a custom entry. */
const detailsOfOutcome = (data: unknown): Details => {
  if (!isFields(data) || typeof data.at !== "string") return {};
  return {
    target: data.at,
    ...(outcomes.has(data.outcome) ? { outcome: data.outcome as Outcome } : {}),
    ...(typeof data.note === "string" ? { line: data.note } : {}),
  };
};

const detailsOfMessage = (message: AgentMessage): Details => {
  const flags = flagsOfMessage(message);
  return {
    role: message.role,
    line: lineOfMessage(message),
    ...(message.role === "assistant" ? detailsOfAnswer(message) : {}),
    ...(message.role === "toolResult" ? { name: message.toolName } : {}),
    ...(message.role === "custom" ? { name: message.customType } : {}),
    ...(flags.length > 0 ? { flags } : {}),
  };
};

const detailsOf = (entry: Entry): Details => {
  switch (entry.type) {
    case "message":
      return detailsOfMessage(entry.message);
    case "model_change":
      return { name: `${entry.provider}/${entry.modelId}` };
    case "thinking_level_change":
      return { name: entry.thinkingLevel };
    case "compaction":
      return { target: entry.firstKeptEntryId, line: entry.summary, before: entry.tokensBefore };
    case "branch_summary":
      return { target: entry.fromId, line: entry.summary };
    case "custom":
      return {
        name: entry.customType,
        ...(entry.customType === OUTCOME ? detailsOfOutcome(entry.data) : {}),
      };
    case "custom_message":
      return { name: entry.customType, line: textOf(entry.content) };
    case "label":
      return { target: entry.targetId, ...(entry.label ? { name: entry.label } : {}) };
    case "session_info":
      return entry.name ? { name: entry.name } : {};
    case "usage":
      return { name: entry.kind };
    case "context_edit":
      return { target: entry.targetId };
  }
};

const timeOf = (timestamp: unknown): number => {
  const time = typeof timestamp === "string" ? Date.parse(timestamp) : Number.NaN;
  return Number.isFinite(time) ? time : 0;
};

/** A role worth showing even where the message is of no known shape. */
const foreignRole = (entry: AnyEntry): Details => {
  const message = "message" in entry ? (entry.message as { role?: unknown } | null) : null;
  return typeof message?.role === "string" ? { role: message.role } : {};
};

/** What the tree shows of an entry, without its body. */
export const rowOf = (entry: AnyEntry): Row => {
  const known = asKnown(entry);
  const { line, flags = [], ...details } = known === null ? foreignRole(entry) : detailsOf(known);
  const words = firstWords(line ?? "");
  const marks: RowFlag[] = isAside(entry) ? [...flags, "aside"] : flags;
  return {
    id: entry.id,
    parentId: entry.parentId,
    type: entry.type,
    time: timeOf(entry.timestamp),
    tokens: tokensOfEntry(entry),
    ...details,
    ...(words === "" ? {} : { line: words }),
    ...(marks.length === 0 ? {} : { flags: marks }),
  };
};
