import type {
  AssistantContent,
  EntryDraft,
  Problem,
  StopReason,
  Usage,
  UserMessage,
} from "@espalier/protocol";
import type { Projected } from "../context/context-message.ts";
import { tokensOfMessage } from "../context/estimate-tokens.ts";
import { tokensOfChars } from "../session/entry-tokens.ts";
import { extractiveSummary } from "./extractive.ts";
import type { CompactionPlan } from "./prepare-compaction.ts";
import {
  historyPrompt,
  PREFIX_HEADINGS,
  prefixPrompt,
  REQUIRED_HEADINGS,
  SUMMARY_SYSTEM,
  withFiles,
  withoutFiles,
} from "./summary-prompt.ts";
import { verbatimLines, withVerbatim } from "./verbatim.ts";

/** One request for a summary. No tools, no output limit: the model's own holds, so none can be asked above it. */
export interface SummaryRequest {
  readonly system: string;
  readonly messages: readonly UserMessage[];
}

/** How a summary request ended; a model's outcome has all of it. */
export interface SummaryAnswer {
  readonly content: readonly AssistantContent[];
  readonly stopReason: StopReason;
  readonly usage: Usage;
  readonly problem?: Problem;
}

export type Compacted =
  | { readonly draft: Extract<EntryDraft, { type: "compaction" }> }
  | { readonly problem: Problem };

/** A request that holds everything the summary is made from. `time` in epoch ms. */
export const summaryRequest = (text: string, time: number): SummaryRequest => ({
  system: SUMMARY_SYSTEM,
  messages: [{ role: "user", content: [{ type: "text", text }], timestamp: time }],
});

const refused = (message: string): { problem: Problem } => ({
  problem: { code: "provider_rejected", message },
});

/**
 * The text of an answer, or why it cannot stand for what it would replace. A cut or empty summary is none. `undone` says what
 * did not happen then.
 */
export const readSummary = (
  answer: SummaryAnswer,
  headings: readonly string[],
  undone = "nothing was compacted",
): string | { problem: Problem } => {
  if (answer.problem !== undefined) return { problem: answer.problem };
  if (answer.stopReason === "aborted") return refused(`The summary was stopped; ${undone}.`);
  if (answer.stopReason === "length") {
    return refused(
      `The summary was cut off at the model's output limit; ${undone}. Try a model that can write more.`,
    );
  }
  if (answer.content.some((block) => block.type === "toolCall")) {
    return refused(`The model called a tool instead of writing a summary; ${undone}. Try again.`);
  }
  if (answer.stopReason !== "stop") return refused(`The model gave no summary; ${undone}. Try again.`);
  const text = answer.content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("")
    .trim();
  if (text === "") return refused(`The model's summary is empty; ${undone}. Try again.`);
  const lines = new Set(text.split("\n").map((line) => line.trim()));
  const missing = headings.filter((heading) => !lines.has(heading));
  if (missing.length === 0) return text;
  return refused(`The model's summary lacks ${missing.join(", ")}; ${undone}. Try again.`);
};

const addUsage = (a: Usage | null, b: Usage): Usage => {
  if (a === null) return b;
  const cost = {
    input: a.cost.input + b.cost.input,
    output: a.cost.output + b.cost.output,
    cacheRead: a.cost.cacheRead + b.cost.cacheRead,
    cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
    total: a.cost.total + b.cost.total,
  };
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    cost,
  };
};

/** Whether a summary takes fewer tokens than what it stands for. */
const saves = (plan: CompactionPlan, summary: string): boolean => {
  const replaced = [...plan.messagesToSummarize, ...plan.turnPrefix].reduce(
    (sum, { message }) => sum + tokensOfMessage(message),
    tokensOfChars(plan.previous?.summary.length ?? 0),
  );
  return tokensOfChars(summary.length) < replaced;
};

/**
 * Makes a compaction of a plan: one request for the history and, where the cut falls into a turn, a second one for the turn's
 * beginning, after the first. Fails closed: unless every summary is whole there is no draft, and nothing has changed. `ask`
 * must not throw; it may answer with `stopReason` "aborted". `time` in epoch ms.
 */
export const compact = async (
  plan: CompactionPlan,
  ask: (request: SummaryRequest) => Promise<SummaryAnswer>,
  options: {
    readonly instructions?: string;
    readonly time: number;
    /** Lines that stand in the summary word for word, beside those that the summary before it kept so. */
    readonly verbatim?: readonly string[];
  },
): Promise<Compacted> => {
  const previous = plan.previous?.summary ?? null;
  let usage: Usage | null = null;
  const summaries: string[] = [];
  const add = async (text: string, headings: readonly string[]): Promise<Problem | null> => {
    const answer = await ask(summaryRequest(text, options.time));
    usage = addUsage(usage, answer.usage);
    const summary = readSummary(answer, headings);
    if (typeof summary !== "string") return summary.problem;
    summaries.push(summary);
    return null;
  };
  if (plan.messagesToSummarize.length > 0) {
    const problem = await add(
      historyPrompt(plan.messagesToSummarize, previous, options.instructions),
      REQUIRED_HEADINGS,
    );
    if (problem !== null) return { problem };
  } else {
    summaries.push(previous === null ? "Nothing happened before this turn." : withoutFiles(previous));
  }
  if (plan.turnPrefix.length > 0) {
    const problem = await add(prefixPrompt(plan.turnPrefix, options.instructions), PREFIX_HEADINGS);
    if (problem !== null) return { problem };
  }
  const told = summaries.join("\n\n---\n\n**The turn that goes on below, up to there:**\n\n");
  return compactionOf(plan, told, options.verbatim, usage);
};

/** The entry of a plan and what its summary says, unless that saves nothing. */
const compactionOf = (
  plan: CompactionPlan,
  told: string,
  verbatim: readonly string[] = [],
  usage: Usage | null = null,
): Compacted => {
  const { firstKeptEntryId, tokensBefore, files, systemMessage } = plan;
  const lines = [...verbatimLines(plan.previous?.summary ?? ""), ...verbatim];
  const summary = withFiles(withVerbatim(told, lines), files);
  if (!saves(plan, summary))
    return refused("The summary is no shorter than what it would replace; nothing was compacted.");
  return {
    draft: {
      type: "compaction",
      summary,
      firstKeptEntryId,
      tokensBefore,
      details: { readFiles: [...files.readFiles], modifiedFiles: [...files.modifiedFiles] },
      ...(usage === null ? {} : { usage }),
      ...(systemMessage === undefined ? {} : { systemMessage }),
    },
  };
};

/** Makes a compaction of a plan in the messages' own words, without a model; the same plan gives the same text. */
export const extractCompaction = (plan: CompactionPlan, verbatim: readonly string[] = []): Compacted => {
  const { previous, messagesToSummarize, turnPrefix } = plan;
  const before: Projected[] =
    previous === null
      ? []
      : [
          {
            entryId: previous.id,
            message: {
              role: "compactionSummary",
              summary: previous.summary,
              tokensBefore: previous.tokensBefore,
              timestamp: 0,
            },
          },
        ];
  return compactionOf(plan, extractiveSummary([...before, ...messagesToSummarize, ...turnPrefix]), verbatim);
};
