import {
  type CompactionPlan,
  compact,
  compactionLimits,
  type GrowingContext,
  type Projected,
  prepareCompaction,
  problemOf,
  tokensOfMessage,
} from "@espalier/core";
import type { EntryId, RunInfo } from "@espalier/protocol";
import type { ActiveRun } from "./active-run.ts";
import { askSummary } from "./compact-run.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** What did not help at a length is not tried again before the context has grown by a tenth. */
const GROWN = 1.1;

const tell = (runtime: SessionRuntime, text: string, level: "info" | "error" = "error"): void =>
  runtime.journal.emit({ type: "notice", level, code: "compaction", text });

/** A compaction that waited for a batch of a run that is over now. */
export const tellNotCompacted = (runtime: SessionRuntime): void =>
  tell(runtime, "The run ended before it could be compacted; nothing has changed. Compact again.");

/** Shows that the run writes a summary, or that it is done with it. */
const tellWork = (runtime: SessionRuntime, run: ActiveRun, work: RunInfo["work"]): void => {
  const { work: _, ...info } = run.info;
  run.info = work === undefined ? info : { ...info, work };
  runtime.journal.emit({ type: "run", run: run.info });
};

const isDue = (run: ActiveRun, dueAbove: number | null): boolean => {
  const { tokens } = run.context;
  if (dueAbove === null || tokens <= dueAbove) return false;
  return run.noRoomAt === null || tokens > run.noRoomAt * GROWN;
};

const nameOf = ({ message }: Projected): string => {
  switch (message.role) {
    case "toolResult":
      return `a result of ${message.toolName}`;
    case "user":
    case "custom":
      return "a message of yours";
    case "bashExecution":
      return `the output of ${message.command.slice(0, 40)}`;
    case "assistant":
      return "an answer";
    case "system":
      return "the system prompt";
    case "branchSummary":
    case "compactionSummary":
      return "a summary";
  }
};

/** The three largest things a context holds, in words. */
const largest = ({ context }: GrowingContext): string =>
  context.messages
    .map((projected) => ({ name: nameOf(projected), tokens: tokensOfMessage(projected.message) }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, 3)
    .map(({ name, tokens }) => `${name} (about ${tokens.toLocaleString("en")} tokens)`)
    .join(", ");

const planFor = async (
  runtime: SessionRuntime,
  run: ActiveRun,
  keepRecentTokens: number,
  refused: EntryId | undefined,
) => {
  const path = (await runtime.path(run.tip)).filter(({ id }) => id !== refused);
  return prepareCompaction(path, { keepRecentTokens, time: runtime.process.now() });
};

const summarise = async (
  runtime: SessionRuntime,
  run: ActiveRun,
  plan: CompactionPlan,
  refused: EntryId | undefined,
): Promise<boolean> => {
  const options = { time: runtime.process.now(), ...run.compactAsked };
  tellWork(runtime, run, "compaction");
  const made = await compact(plan, (request) => askSummary(runtime, run, request), options);
  tellWork(runtime, run, undefined);
  if (run.stop.signal.aborted) return false;
  if ("problem" in made) {
    const way = "It can be compacted without a model: press Preview compaction beside what fills the window.";
    tell(runtime, `The context was not compacted: ${made.problem.message} ${way}`);
    return false;
  }
  // Both or neither: an answer that is left out without a compaction would be lost for nothing.
  const leaveOut =
    refused === undefined ? [] : [{ type: "context_edit" as const, targetId: refused, replacement: null }];
  await runtime.commitFor(run, [...leaveOut, made.draft]);
  const now = run.context.tokens.toLocaleString("en");
  tell(runtime, `Compacted: ${plan.tokensBefore.toLocaleString("en")} to ${now} tokens.`, "info");
  return true;
};

const tryToMakeRoom = async (
  runtime: SessionRuntime,
  run: ActiveRun,
  refused: EntryId | undefined,
): Promise<boolean> => {
  const settings = (await runtime.process.settings.current()).compaction ?? {};
  const { dueAbove, keepRecentTokens } = compactionLimits(settings, run.model.contextWindow);
  const asked = run.compactAsked !== null;
  if (!asked && refused === undefined && !isDue(run, dueAbove)) return false;
  if (!asked && settings.enabled === false) {
    if (refused !== undefined)
      tell(runtime, "The window is full and compaction is switched off. Compact by hand and continue.");
    return false;
  }
  const plan = await planFor(runtime, run, keepRecentTokens, refused);
  if ("nothing" in plan) {
    run.noRoomAt = run.context.tokens;
    const more = refused === undefined ? "" : ` The largest in the context: ${largest(run.context)}.`;
    if (asked || refused !== undefined) tell(runtime, `Nothing can be compacted. ${plan.nothing}${more}`);
    return false;
  }
  const smaller = await summarise(runtime, run, plan, refused);
  const { tokens } = run.context;
  run.noRoomAt = smaller && (dueAbove === null || tokens <= dueAbove) ? null : tokens;
  return smaller;
};

/**
 * Compacts the path of a run where it is due, was asked for, or a request was refused as too long (see `TurnPorts.makeRoom`). At most
 * once for one refusal; a summary that is not whole, or not shorter, changes nothing.
 */
export const makeRoom = async (
  runtime: SessionRuntime,
  run: ActiveRun,
  refused?: EntryId,
): Promise<boolean> => {
  try {
    return await tryToMakeRoom(runtime, run, refused);
  } catch (error) {
    run.noRoomAt = run.context.tokens;
    tell(runtime, `The context was not compacted: ${problemOf(error).message}`);
    return false;
  } finally {
    run.compactAsked = null;
  }
};
