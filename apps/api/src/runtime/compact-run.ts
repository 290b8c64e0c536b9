import {
  compact,
  compactionLimits,
  extractCompaction,
  type ModelOutcome,
  ProblemError,
  prepareCompaction,
  type SummaryRequest,
  type TurnEnd,
} from "@espalier/core";
import type { CommandOf } from "@espalier/protocol";
import type { ActiveRun } from "./active-run.ts";
import type { Done } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const noUsage: ModelOutcome["usage"] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Asks the run's model for one summary; its text is shown only when it is whole. */
export const askSummary = async (
  runtime: SessionRuntime,
  run: ActiveRun,
  request: SummaryRequest,
): Promise<ModelOutcome> => {
  const model = runtime.process.models.modelFor(run.model);
  const whole = {
    ...request,
    model: run.model,
    tools: [],
    thinkingLevel: "off",
    sessionId: runtime.journal.id,
  } as const;
  for await (const event of model(whole, run.stop.signal)) if (event.type === "end") return event.outcome;
  return {
    content: [],
    stopReason: "error",
    usage: noUsage,
    problem: { code: "provider_stream", message: "The model's stream ended without an ending." },
  };
};

/**
 * Summarises the older part of the path to the leaf. It works as a run: it can be stopped, and no prompt gets in between. It
 * writes one entry, or nothing when the summary is not whole.
 */
export const compactNow = async (
  runtime: SessionRuntime,
  { instructions, firstKept, verbatim, extract }: CommandOf<"compact">,
): Promise<Done> => {
  const { journal, process } = runtime;
  const { leafId } = journal.state;
  const wishes = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(verbatim === undefined ? {} : { verbatim }),
  };
  const busy = runtime.openRuns.find((run) => run.tip === leafId && run.info.work === undefined);
  if (busy) {
    busy.compactAsked = wishes;
    return { run: busy.id, note: "Compacts as soon as the tool calls that are running have returned." };
  }
  const settings = await process.settings.current();
  const { model } = await runtime.selection(leafId);
  const window = model === null ? 0 : await process.models.windowOf(model);
  const { keepRecentTokens } = compactionLimits(settings.compaction ?? {}, window);
  const path = await runtime.path(leafId);
  const plan = prepareCompaction(path, {
    keepRecentTokens,
    time: process.now(),
    ...(firstKept === undefined ? {} : { firstKept }),
  });
  if ("nothing" in plan) throw new ProblemError("nothing_to_do", plan.nothing);
  if (extract === true) {
    const made = extractCompaction(plan, verbatim);
    if ("problem" in made) throw new ProblemError(made.problem.code, made.problem.message);
    const [entry] = await journal.commit([made.draft], { parent: leafId, source: "command" });
    return entry ? { entryId: entry.id } : {};
  }
  const work = async (run: ActiveRun): Promise<TurnEnd> => {
    const options = { time: process.now(), ...wishes };
    const made = await compact(plan, (request) => askSummary(runtime, run, request), options);
    if (run.stop.signal.aborted) return { status: "aborted" };
    if ("problem" in made) return { status: "failed", problem: made.problem };
    await runtime.commitFor(run, [made.draft]);
    return { status: "done" };
  };
  return { run: await runtime.startWork("compaction", leafId, path, work) };
};
