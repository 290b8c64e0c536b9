import type { EntryDraft, EntryId, EntryOf, Problem } from "@espalier/protocol";
import { projectEntry } from "../context/build-context.ts";
import type { ContextMessage, Projected } from "../context/context-message.ts";
import { tokensOfMessage } from "../context/estimate-tokens.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { pathToLeaf } from "../session/path-to-leaf.ts";
import type { SessionTree } from "../session/session-tree.ts";
import { readSummary, type SummaryAnswer, type SummaryRequest, summaryRequest } from "./compact.ts";
import { extractiveSummary } from "./extractive.ts";
import { branchPrompt, REQUIRED_HEADINGS, withFiles } from "./summary-prompt.ts";
import { fileOperations, type TouchedFiles, touchedFiles } from "./touched-files.ts";

/** Tokens of the window that stay free for the instructions and the summary itself, as in pi. */
const RESERVE = 16_384;
/** The window, in tokens, of a model that does not say its own. */
const USUAL_WINDOW = 128_000;
/** A summary that does not fit is still told of when no more than this share of the budget is used. */
const ROOM_FOR_SUMMARY = 0.9;

/** What stands before every text of a kind, so that a reader knows what it is. */
const PREAMBLES = {
  summary:
    "A branch of this session was left, and the work goes on from an earlier place. What happened on it:",
  carried: "Carried over from another branch of this session, word for word:",
} as const;

/** What a branch has to tell to whoever goes on elsewhere. */
export interface BranchPlan {
  /** What a summary is made from, in path order: the newest that fit, without tool results. */
  readonly messages: readonly Projected[];
  /** How many older messages did not fit. */
  readonly leftOut: number;
  /** Everything that is said on the branch, tool results among it. */
  readonly said: readonly Projected[];
  readonly files: TouchedFiles;
}

export type BranchSummaryDraft = Extract<EntryDraft, { type: "branch_summary" }>;
type Summary = EntryOf<"compaction"> | EntryOf<"branch_summary">;

/** The entries of the path to `leaf` that are not on the path to `place`, root first. Compactions do not end the way. */
export const branchLeft = (tree: SessionTree, leaf: EntryId | null, place: EntryId | null): EntryId[] => {
  const shared = new Set(pathToLeaf(tree, place));
  return pathToLeaf(tree, leaf).filter((id) => !shared.has(id));
};

const isSummary = (message: ContextMessage): boolean =>
  message.role === "compactionSummary" || message.role === "branchSummary";

/** What each entry of a branch says, edits of it applied. System messages are no part of what happened. */
const saidOn = (branch: readonly AnyEntry[]): Projected[] => {
  const edits = new Map<string, EntryOf<"context_edit">["replacement"]>();
  for (const entry of branch) {
    const known = asKnown(entry);
    if (known?.type === "context_edit") edits.set(known.targetId, known.replacement);
  }
  return branch
    .flatMap((entry) => projectEntry(entry, edits.get(entry.id), true))
    .filter(({ message }) => message.role !== "system");
};

/** The newest messages that fit into `budget` tokens, in path order. */
const newest = (messages: readonly Projected[], budget: number): Projected[] => {
  let used = 0;
  let from = messages.length;
  for (; from > 0; from -= 1) {
    const { message } = messages[from - 1] as Projected;
    const tokens = tokensOfMessage(message);
    if (used + tokens > budget) {
      if (isSummary(message) && used < budget * ROOM_FOR_SUMMARY) from -= 1;
      break;
    }
    used += tokens;
  }
  return messages.slice(from);
};

/**
 * What there is to tell of a branch. `branch` holds its entries (see `branchLeft`), `window` is the model's in tokens, 0 when
 * unknown. Null when nothing is said on it. The files are those of all summaries on the branch and of the messages that fit.
 */
export const prepareBranchSummary = (branch: readonly AnyEntry[], window: number): BranchPlan | null => {
  const said = saidOn(branch);
  const worded = said.filter(({ message }) => message.role !== "toolResult");
  if (worded.length === 0) return null;
  const messages = newest(worded, (window > 0 ? window : USUAL_WINDOW) - RESERVE);
  const summaries = branch.flatMap((entry): Summary[] => {
    const known = asKnown(entry);
    return known?.type === "compaction" || known?.type === "branch_summary" ? [known] : [];
  });
  const operations = fileOperations(
    messages.map(({ message }) => message),
    summaries,
  );
  return { messages, leftOut: worded.length - messages.length, said, files: touchedFiles(operations) };
};

/** A branch summary's entry. */
export const draftOf = (
  kind: keyof typeof PREAMBLES,
  files: TouchedFiles,
  fromId: EntryId,
  text: string,
): BranchSummaryDraft => ({
  type: "branch_summary",
  fromId,
  summary: withFiles(`${PREAMBLES[kind]}\n\n${text}`, files),
  details: { readFiles: [...files.readFiles], modifiedFiles: [...files.modifiedFiles] },
});

/** The entry that tells of a branch in its own words, without a model. `fromId` is the end of that branch. */
export const extractedBranchSummary = (plan: BranchPlan, fromId: EntryId): BranchSummaryDraft =>
  draftOf("summary", plan.files, fromId, extractiveSummary(plan.said));

/**
 * The entry that tells of a branch as a model sums it up. Fails closed: a summary that is cut, empty, or not in the form that was
 * asked for is none. `ask` must not throw. `time` in epoch ms.
 */
export const summarizeBranch = async (
  plan: BranchPlan,
  ask: (request: SummaryRequest) => Promise<SummaryAnswer>,
  options: { readonly fromId: EntryId; readonly instructions?: string; readonly time: number },
): Promise<{ readonly draft: BranchSummaryDraft } | { readonly problem: Problem }> => {
  const { fromId, instructions, time } = options;
  // A window that holds none of it (one message larger than all of it) cannot be asked for a summary.
  if (plan.messages.length === 0)
    return {
      problem: { code: "provider_overflow", message: "The branch does not fit into the model's window." },
    };
  const answer = await ask(summaryRequest(branchPrompt(plan.messages, instructions), time));
  const summary = readSummary(answer, REQUIRED_HEADINGS, "nothing was told of the branch");
  if (typeof summary !== "string") return summary;
  return { draft: { ...draftOf("summary", plan.files, fromId, summary), usage: answer.usage } };
};
