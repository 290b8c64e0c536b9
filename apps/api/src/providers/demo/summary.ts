import type { ModelMessage } from "@espalier/core";

/** One thing that was said or done in the conversation to summarise. */
interface Said {
  readonly who: "user" | "assistant" | "calls" | "result" | "other";
  readonly head: string;
  readonly text: string;
}

const HEAD = /^\[((?:Earlier summary|Summary of|User|Assistant|Result|Tool result)[^\]\n]*)\]:?[ \t]*/i;

const kindOf = (head: string): Said["who"] => {
  if (/^user ran/i.test(head)) return "other";
  if (/^user/i.test(head)) return "user";
  if (/call/i.test(head)) return "calls";
  if (/^assistant/i.test(head)) return "assistant";
  return /result/i.test(head) ? "result" : "other";
};

/** The conversation as it stands in the request: "[User] ...", "[Assistant called] ...", with blank lines between. */
const readConversation = (text: string): Said[] => {
  const said: { who: Said["who"]; head: string; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const found = HEAD.exec(line);
    if (found)
      said.push({ who: kindOf(found[1] ?? ""), head: found[1] ?? "", lines: [line.slice(found[0].length)] });
    else said.at(-1)?.lines.push(line);
  }
  return said.map(({ who, head, lines }) => ({ who, head, text: lines.join("\n").trim() }));
};

const clipped = (text: string, chars: number): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > chars ? `${line.slice(0, chars).toWellFormed()}...` : line;
};

const unique = (lines: readonly string[], most: number): string[] => [...new Set(lines)].slice(-most);

/** Lines under a heading of an earlier summary, without placeholders. */
const section = (summary: string, heading: string): string[] => {
  const lines = summary.split("\n");
  const start = lines.indexOf(heading);
  if (start < 0) return [];
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^#{2,3} /.test(line));
  return (end < 0 ? rest : rest.slice(0, end)).filter(
    (line) => line.trim() !== "" && line.trim() !== "(none)",
  );
};

const CONSTRAINT =
  /\b(?:must|should|never|always|only|don't|do not|please use|prefer|without|at most|no more than)\b/i;
const DECISION = /\b(?:decided|instead of|because|rather than|chose|settled on)\b/i;

interface Facts {
  readonly goal: string;
  readonly lastRequest: string;
  readonly constraints: string[];
  readonly done: string[];
  readonly blocked: string[];
  readonly decisions: string[];
  readonly context: string[];
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?])\s+|\n/).map((each) => each.trim());

const gather = (said: readonly Said[], earlier: string): Facts => {
  const requests = said.filter(({ who, text }) => who === "user" && text !== "").map(({ text }) => text);
  const calls = said.flatMap(({ who, text }) => (who === "calls" ? text.split("\n") : []));
  const failures = said.filter(({ who, head }) => who === "result" && /error/i.test(head));
  const words = said.filter(({ who }) => who === "assistant").map(({ text }) => text);
  const paths = calls.flatMap((call) => /path="((?:[^"\\]|\\.)*)"/.exec(call)?.[1] ?? []);
  const goalBefore = section(earlier, "## Goal").join(" ");
  return {
    goal: clipped(goalBefore || requests[0] || "Not said.", 600),
    lastRequest: clipped(requests.at(-1) ?? goalBefore, 400),
    constraints: unique(
      [
        ...section(earlier, "## Constraints & Preferences"),
        ...requests
          .flatMap(sentences)
          .filter((each) => CONSTRAINT.test(each))
          .map((each) => `- ${clipped(each, 200)}`),
      ],
      12,
    ),
    done: unique(
      [
        ...section(earlier, "### Done"),
        ...requests.slice(0, -1).map((each) => `- [x] ${clipped(each, 160)}`),
        ...calls.filter((call) => call.trim() !== "").map((call) => `- [x] ${clipped(call, 160)}`),
      ],
      30,
    ),
    blocked: unique(
      failures.map(({ text }) => `- ${clipped(text, 200)}`),
      6,
    ),
    decisions: unique(
      [
        ...section(earlier, "## Key Decisions"),
        ...words
          .flatMap(sentences)
          .filter((each) => DECISION.test(each))
          .map((each) => `- **${clipped(each, 200)}**`),
      ],
      8,
    ),
    context: unique(
      [
        ...section(earlier, "## Critical Context"),
        ...paths.map((path) => `- ${path}`),
        ...words.slice(-2).map((each) => `- The assistant said: ${clipped(each, 300)}`),
      ],
      20,
    ),
  };
};

const block = (lines: readonly string[]): string => (lines.length === 0 ? "(none)" : lines.join("\n"));

const bodies: Readonly<Record<string, (facts: Facts) => string>> = {
  "## Goal": ({ goal }) => goal,
  "## Constraints & Preferences": ({ constraints }) => block(constraints),
  "## Progress": () => "",
  "### Done": ({ done }) => block(done),
  "### In Progress": ({ lastRequest }) => (lastRequest === "" ? "(none)" : `- [ ] ${lastRequest}`),
  "### Blocked": ({ blocked }) => block(blocked),
  "## Key Decisions": ({ decisions }) => block(decisions),
  "## Next Steps": ({ lastRequest }) =>
    `1. ${lastRequest === "" ? "Wait for the next request." : `Go on with: ${lastRequest}`}`,
  "## Critical Context": ({ context }) => block(context),
  "## Original Request": ({ goal }) => goal,
  "## Progress So Far": ({ done }) => block(done),
  "## Context Needed to Continue": ({ context }) => block(context),
};

const lastUserText = (messages: readonly ModelMessage[]): string => {
  const last = messages.findLast((message) => message.role === "user");
  if (last?.role !== "user") return "";
  return typeof last.content === "string"
    ? last.content
    : last.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
};

const tagged = (text: string, tag: string): string =>
  new RegExp(`<${tag}>\\n?([\\s\\S]*?)\\n?</${tag}>`).exec(text)?.[1] ?? "";

/** The headings a request asks for, in its order; none when it asks for no summary. */
const headingsIn = (task: string): string[] =>
  task
    .split("\n")
    .map((line) => line.trim())
    .filter((line, index, all) => Object.hasOwn(bodies, line) && all.indexOf(line) === index);

/**
 * Answers a request for a summary of a conversation by picking from it: requests, calls, failures, paths. Null when the
 * request is none. The headings are the ones asked for, in their order.
 */
export const extractiveSummary = (messages: readonly ModelMessage[]): string | null => {
  const asked = lastUserText(messages);
  const conversation = tagged(asked, "conversation");
  const task = asked
    .slice(asked.lastIndexOf("</conversation>") + 1)
    .replace(/<previous-summary>[\s\S]*<\/previous-summary>/, "");
  const headings = headingsIn(task);
  if (!headings.includes("## Goal") && !headings.includes("## Original Request")) return null;
  const facts = gather(readConversation(conversation), tagged(asked, "previous-summary"));
  return headings.map((heading) => `${heading}\n${bodies[heading]?.(facts) ?? ""}`.trimEnd()).join("\n\n");
};
