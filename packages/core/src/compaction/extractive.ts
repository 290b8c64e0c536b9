import type { ToolCallContent } from "@espalier/protocol";
import type { ContextMessage, Projected } from "../context/context-message.ts";
import { pairedCalls } from "../context/pair-messages.ts";
import { cut, textOf, withoutFiles } from "./summary-prompt.ts";
import { listOf, sectionOf } from "./summary-sections.ts";

/** Characters of one quoted text, and how many of a kind are quoted. */
const QUOTE_CHARS = 4000;
const LINE_CHARS = 300;
const SUMMARY_CHARS = 2000;
const MOST = 40;

type Said<Role extends ContextMessage["role"]> = Extract<ContextMessage, { role: Role }>;
type Result = Said<"toolResult">;

const EXIT = /Command exited with code (\d+)/;

const firstLine = (text: string): string => cut(text.trim().split("\n", 1)[0]?.trim() ?? "", LINE_CHARS);

/** Command in one line, so that a list stays one. */
const inLine = (text: string): string => cut(text.trim().replaceAll(/\s*\n\s*/g, " ; "), LINE_CHARS);

/** The newest of a list, with a word about the others. */
const newest = (lines: readonly string[]): string[] => {
  const left = lines.length - MOST;
  return left <= 0 ? [...lines] : [`- (${left} earlier ones left out)`, ...lines.slice(-MOST)];
};

const orNone = (lines: readonly string[]): string => (lines.length === 0 ? "(none)" : lines.join("\n"));

const exitCode = (result: Result): number | null => {
  const { details } = result;
  const told =
    typeof details === "object" && details !== null && "exitCode" in details ? details.exitCode : undefined;
  if (typeof told === "number") return told;
  const found = EXIT.exec(textOf(result.content))?.[1];
  if (found !== undefined) return Number(found);
  return result.isError ? null : 0;
};

const subjectOf = ({ arguments: args }: ToolCallContent): string => {
  for (const name of ["command", "path", "pattern", "query", "url"]) {
    const value: unknown = args?.[name];
    if (typeof value === "string" && value !== "") return inLine(value);
  }
  return cut(JSON.stringify(args ?? {}), LINE_CHARS);
};

const callsOf = (messages: readonly Projected[]): ReturnType<typeof pairedCalls> =>
  pairedCalls(messages.map(({ message }) => message));

const commandLines = (messages: readonly Projected[]): string[] => {
  const typed = messages.flatMap(({ message }) => {
    if (message.role !== "bashExecution") return [];
    const end = message.cancelled ? "stopped" : `exit ${message.exitCode ?? 0}`;
    return [`- \`${inLine(message.command)}\` (${end}), typed by the person`];
  });
  const run = callsOf(messages).flatMap(({ call, result }) => {
    const command: unknown = call.arguments?.command;
    if (call.name !== "bash" || typeof command !== "string" || result === null) return [];
    const code = exitCode(result);
    return [`- \`${inLine(command)}\` (${code === null ? "failed" : `exit ${code}`})`];
  });
  return [...run, ...typed];
};

const LIST_ITEM = /^\s*(?:[-*+]|\d+[.)])\s+\S/;

/** The last list of at least two items in a text: what a plan looks like. */
const lastList = (text: string): string | null => {
  let best: string[] = [];
  let now: string[] = [];
  for (const line of [...text.split("\n"), ""]) {
    // Lines that are indented go on with the item above them.
    if (LIST_ITEM.test(line) || (now.length > 0 && /^\s+\S/.test(line))) now.push(line);
    else if (line.trim() !== "" || now.length > 0) {
      if (now.filter((one) => LIST_ITEM.test(one)).length >= 2) best = now;
      now = [];
    }
  }
  return best.length === 0 ? null : best.join("\n");
};

const answersOf = (messages: readonly Projected[]): string[] =>
  messages.flatMap(({ message }) => {
    if (message.role !== "assistant") return [];
    const text = message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
    return text.trim() === "" ? [] : [text.trim()];
  });

const lastPlan = (answers: readonly string[]): string => {
  for (const answer of answers.toReversed()) {
    const list = lastList(answer);
    if (list !== null) return cut(list, SUMMARY_CHARS);
  }
  return "(no list of steps was written)";
};

const errorLines = (messages: readonly Projected[]): string[] => [
  ...callsOf(messages).flatMap(({ call, result }) =>
    result?.isError ? [`- ${call.name} ${subjectOf(call)}: ${lastWords(textOf(result.content))}`] : [],
  ),
  ...messages.flatMap(({ message }) =>
    message.role === "assistant" && (message.errorMessage ?? "") !== ""
      ? [`- ${firstLine(message.errorMessage ?? "")}`]
      : [],
  ),
];

/** What an error says: its last line that is no word about the exit code, since programs say the reason last. */
const lastWords = (text: string): string => {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !EXIT.test(line));
  return cut((lines.at(-1) ?? "no reason was given").trim(), LINE_CHARS);
};

const quoted = (text: string): string => cut(text.trim(), QUOTE_CHARS);

/** Headings of a summary inside of this one would be read as its own. */
const nested = (summary: string): string =>
  cut(withoutFiles(summary).replaceAll(/^#+\s*/gm, ""), SUMMARY_CHARS);

/** What stood before: the newest compaction's summary, and those of branches that were left since. */
interface Earlier {
  readonly summary: string;
  readonly branches: readonly string[];
}

const earlierOf = (messages: readonly Projected[]): Earlier => {
  const compaction = messages.findLast(({ message }) => message.role === "compactionSummary")?.message;
  return {
    summary: compaction?.role === "compactionSummary" ? withoutFiles(compaction.summary) : "",
    branches: messages.flatMap(({ message }) =>
      message.role === "branchSummary" ? [nested(message.summary)] : [],
    ),
  };
};

/** Characters of all wishes together. */
const WISHES_CHARS = 60_000;
const SHORTEST = 60;

/** Every wish, the longest ones cut as far as needed so that all fit; with thousands of them the newest. */
const fitted = (wishes: readonly string[]): string[] => {
  const most = Math.floor(WISHES_CHARS / SHORTEST);
  const left = wishes.length - most;
  const held = left <= 0 ? wishes : wishes.slice(-most);
  const sizes = held.map(({ length }) => length).toSorted((a, b) => a - b);
  let room = WISHES_CHARS;
  let cap = QUOTE_CHARS;
  for (const [at, size] of sizes.entries()) {
    const share = room / (sizes.length - at);
    if (size > share) {
      cap = Math.max(SHORTEST, Math.floor(share));
      break;
    }
    room -= size;
  }
  const shown = held.map((text) => cut(text, cap));
  return left <= 0 ? shown : [`(${left} earlier ones left out)`, ...shown];
};

/** The person's words: the goal, and everything that was asked since; what an earlier summary held of both comes first. */
const askedOf = (messages: readonly Projected[], summary: string): { goal: string; wishes: string[] } => {
  const asked = messages.flatMap(({ message }) => {
    if (message.role !== "user" && message.role !== "custom") return [];
    const text = quoted(textOf(message.content));
    return text === "" ? [] : [text];
  });
  const before = sectionOf(summary, "## Goal");
  const held = sectionOf(summary, "## Constraints & Preferences");
  const [first, ...rest] = asked;
  return before === ""
    ? { goal: first ?? "(the person said nothing here)", wishes: rest }
    : { goal: before, wishes: [...(held === "" ? [] : held.split("\n\n")), ...asked] };
};

/**
 * A summary that is taken from the messages word for word, under the headings of a model's: what the person asked, the commands that
 * ran with their exit codes, calls without a result, errors, and the last list of steps. An earlier summary among the messages is
 * carried on, section by section. The same messages give the same text.
 */
export const extractiveSummary = (messages: readonly Projected[]): string => {
  const { summary, branches } = earlierOf(messages);
  const { goal, wishes } = askedOf(messages, summary);
  const open = callsOf(messages).flatMap(({ call, result }) =>
    result === null ? [`- [ ] ${call.name} ${subjectOf(call)}: no result`] : [],
  );
  const answers = answersOf(messages);
  const last = answers.at(-1);
  const decisions = sectionOf(summary, "## Key Decisions");
  return [
    `## Goal\n${goal}`,
    `## Constraints & Preferences\n${wishes.length === 0 ? "(none)" : fitted(wishes).join("\n\n")}`,
    `## Progress\n### Done\n${orNone(newest([...listOf(summary, "### Done"), ...commandLines(messages)]))}`,
    ...branches.slice(-1).map((told) => `A branch that was left:\n${told}`),
    ...(last === undefined
      ? []
      : [`The last answer:\n${cut(last, SUMMARY_CHARS).replaceAll(/^#+\s*/gm, "")}`]),
    `### In Progress\n${orNone(newest(open))}`,
    `### Blocked\n${orNone(newest([...listOf(summary, "### Blocked"), ...errorLines(messages)]))}`,
    `## Key Decisions\n${decisions === "" ? "(not told apart: this summary was put together from the messages, without a model)" : decisions}`,
    `## Next Steps\n${lastPlan(answers)}`,
  ].join("\n\n");
};
