import type { ModelMessage, ModelRequest } from "@espalier/core";
import type { ToolCallContent, ToolResultMessage } from "@espalier/protocol";
import { answer, type Done, hasFailed } from "./answer.ts";
import { parseRequest } from "./parse-request.ts";
import { inWords, joined, type PlannedCall, planCall } from "./plan-calls.ts";
import type { Action, ParsedRequest } from "./request-types.ts";
import { extractiveSummary } from "./summary.ts";

/** What the script says and calls next. */
export interface Reply {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

const HELP = `I am the gardener, a script and no language model: I understand orders in plain words and call the real tools. I can

- read: \`read README.md\`, \`what is in package.json?\`
- list: \`list the files in src\`
- search: \`search for "createApp" in src\`, \`find *.test.ts\`
- run: \`run git status\`
- edit: \`replace "foo" with "bar" in notes.txt\`
- write: \`create hello.txt with "Hello"\`
- several at once: join them with "and", or with "then" to wait in between
- answer about what I read: \`read package.json and tell me its name\`, \`how many lines does README.md have?\`

For anything that needs thought, choose a language model.`;

const said = (text: string, thinking = ""): Reply => ({ thinking, text, calls: [] });

const textOf = (message: ModelMessage | undefined): string => {
  if (message === undefined) return "";
  if (typeof message.content === "string") return message.content;
  return message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
};

interface MadeCall {
  readonly call: ToolCallContent;
  readonly result: ToolResultMessage | undefined;
}

/** The batches of calls in some messages, each with its results in source order. */
const batchesIn = (messages: readonly ModelMessage[]): MadeCall[][] => {
  const batches: MadeCall[][] = [];
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    const calls = message.content.flatMap((part) => (part.type === "toolCall" ? [part] : []));
    if (calls.length === 0) continue;
    const results: ToolResultMessage[] = [];
    for (const next of messages.slice(at + 1)) {
      if (next.role !== "toolResult") break;
      results.push(next);
    }
    batches.push(calls.map((call, index) => ({ call, result: results[index] })));
  }
  return batches;
};

const doneOf = ({ call, result }: MadeCall, action: Action | null): Done => ({
  action,
  call: { name: call.name, args: call.arguments },
  text: textOf(result),
  isError: result?.isError ?? true,
});

/** What a call of an earlier turn was for, as far as its tool tells. */
const actionOf = ({ call }: MadeCall): Action | null => {
  const { path = ".", command, pattern } = call.arguments;
  if (typeof path !== "string") return null;
  switch (call.name) {
    case "read":
      return { kind: "read", path };
    case "ls":
      return { kind: "list", path };
    case "bash":
      return typeof command === "string" ? { kind: "run", command } : null;
    case "grep":
      return typeof pattern === "string" ? { kind: "search", pattern, path } : null;
    case "find":
      return typeof pattern === "string" ? { kind: "findFiles", pattern, path } : null;
    default:
      return null;
  }
};

interface PlannedStep {
  readonly actions: readonly Action[];
  readonly calls: readonly PlannedCall[];
}

const samePlan = (batch: readonly MadeCall[], step: PlannedStep): boolean =>
  batch.length === step.calls.length &&
  batch.every(({ call }, index) => {
    const planned = step.calls[index];
    return planned?.name === call.name && JSON.stringify(planned.args) === JSON.stringify(call.arguments);
  });

const isFolderRead = ({ action, isError, text }: Done): boolean =>
  isError && action?.kind === "read" && /is a (?:folder|directory)/i.test(text);

/** A folder that was taken for a file is listed instead. */
const instead = (done: readonly Done[], tools: ReadonlySet<string>): PlannedCall[] =>
  done
    .filter(isFolderRead)
    .flatMap(({ action }) =>
      action?.kind === "read" ? (planCall({ kind: "list", path: action.path }, tools) ?? []) : [],
    );

/** How far the plan has come, everything that was done for it, and what the last batch did if it was a step of the plan. */
const progressOf = (
  plan: readonly PlannedStep[],
  batches: readonly MadeCall[][],
): { next: number; done: Done[]; latest: Done[] } => {
  let next = 0;
  let latest: Done[] = [];
  let done: Done[] = [];
  for (const batch of batches) {
    const step = plan[next];
    const onPlan = step !== undefined && samePlan(batch, step);
    // A batch beside the plan lists the folders that were taken for files: it stands for those reads.
    const folders = onPlan ? [] : latest.filter(isFolderRead);
    const came = batch.map((made, index) => {
      const path = folders[index]?.call.args.path;
      const listed: Action | null = typeof path === "string" ? { kind: "list", path } : null;
      return doneOf(made, onPlan ? (step?.actions[index] ?? null) : listed);
    });
    done = [...done.filter((each) => !folders.includes(each)), ...came];
    latest = onPlan ? came : [];
    if (onPlan) next += 1;
  }
  return { next, done, latest };
};

const intention = (actions: readonly Action[]): string => `I will ${joined(actions.map(inWords))}.`;

const thinkingAbout = (parsed: ParsedRequest, step: number): string => {
  const { actions, total } = { actions: parsed.steps[step] ?? [], total: parsed.steps.length };
  const place = total > 1 ? `This is step ${step + 1} of ${total}. ` : "";
  const asked =
    parsed.asks.length > 0 && step === total - 1 ? " After that there is a question to answer." : "";
  return `${place}The order asks me to ${joined(actions.map(inWords))}.${asked}`;
};

const smallReplies: Readonly<Record<NonNullable<ParsedRequest["small"]>, string>> = {
  hello: `Hello. ${HELP}`,
  help: HELP,
  thanks: "You are welcome.",
};

const notUnderstood = (unclear: readonly string[]): string =>
  unclear.length === 0
    ? ""
    : `I did not understand: ${joined(unclear.map((part) => `"${part.slice(0, 200)}"`))}.`;

/** The plan with the tools there are, and the actions no tool is there for. */
const planFor = (
  parsed: ParsedRequest,
  tools: ReadonlySet<string>,
): { plan: PlannedStep[]; missing: Action[] } => {
  const missing: Action[] = [];
  const plan = parsed.steps.flatMap((actions): PlannedStep[] => {
    const pairs = actions.flatMap((action) => {
      const call = planCall(action, tools);
      if (call === null) missing.push(action);
      return call === null ? [] : [{ action, call }];
    });
    return pairs.length === 0
      ? []
      : [{ actions: pairs.map((pair) => pair.action), calls: pairs.map((pair) => pair.call) }];
  });
  return { plan, missing };
};

const finalAnswer = (
  parsed: ParsedRequest,
  done: readonly Done[],
  earlier: readonly Done[],
  notes: readonly string[],
): string =>
  [answer(done, parsed.asks, earlier), ...notes, notUnderstood(parsed.unclear)]
    .filter((part) => part !== "")
    .join("\n\n");

/** The next reply to a conversation; the same conversation always gets the same reply. */
export const nextReply = (request: ModelRequest): Reply => {
  const { messages } = request;
  if (request.tools.length === 0) {
    const summary = extractiveSummary(messages);
    if (summary !== null) return said(summary);
  }
  const at = messages.findLastIndex((message) => message.role === "user");
  const parsed = parseRequest(textOf(messages[at]));
  if (parsed.small !== null) return said(smallReplies[parsed.small]);
  if (parsed.steps.length === 0 && parsed.asks.length === 0) {
    return said(
      [notUnderstood(parsed.unclear), HELP].filter((part) => part !== "").join("\n\n"),
      "No order that I know.",
    );
  }
  const tools = new Set(request.tools.map(({ name }) => name));
  const { plan, missing } = planFor(parsed, tools);
  const { next, done, latest } = progressOf(plan, batchesIn(messages.slice(at + 1)));
  const earlier = batchesIn(messages.slice(0, Math.max(0, at)))
    .flat()
    .map((made) => doneOf(made, actionOf(made)));
  const notes = missing.map((action) => `I have no tool to ${inWords(action)}.`);
  const listed = instead(latest, tools);
  if (listed.length > 0) {
    return {
      thinking: "That was a folder, so I list it.",
      text: "That is a folder; I will list it.",
      calls: listed,
    };
  }
  const step = plan[next];
  const broken = done.some((each) => hasFailed(each) && instead([each], tools).length === 0);
  if (step !== undefined && !broken) {
    const thinking = thinkingAbout(parsed, Math.min(next, parsed.steps.length - 1));
    return { thinking, text: intention(step.actions), calls: step.calls };
  }
  const undone = step === undefined ? [] : plan.slice(next).flatMap(({ actions }) => actions.map(inWords));
  const stopped = undone.length === 0 ? [] : [`I stopped there and did not ${joined(undone)}.`];
  return said(
    finalAnswer(parsed, done, earlier, [...notes, ...stopped]),
    "The tools have answered; now I say what came of it.",
  );
};
