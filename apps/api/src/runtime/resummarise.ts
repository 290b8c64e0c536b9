import {
  asKnown,
  compact,
  contextIds,
  GrowingContext,
  isAncestor,
  ProblemError,
  prepareCompaction,
  systemCheckpoint,
  type TurnEnd,
} from "@espalier/core";
import type { CommandOf, EntryDraft, EntryId, EntryOf } from "@espalier/protocol";
import type { ActiveRun } from "./active-run.ts";
import { askSummary } from "./compact-run.ts";
import type { Done } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";

type Draft = Extract<EntryDraft, { type: "compaction" }>;

const compactionAt = async (runtime: SessionRuntime, id: EntryId): Promise<EntryOf<"compaction">> => {
  if (!runtime.journal.state.tree.has(id))
    throw new ProblemError("not_found", `Entry ${id} is not in this session.`);
  const [entry] = await runtime.journal.read([id]);
  const known = entry && asKnown(entry);
  if (known?.type !== "compaction") throw new ProblemError("bad_command", `Entry ${id} is no compaction.`);
  return known;
};

/** The prompt as it stands where the second summary goes: system messages of the kept part are told by it alone. */
const withSystem = async (runtime: SessionRuntime, draft: Draft, under: EntryId | null): Promise<Draft> => {
  const ids = contextIds(runtime.journal.state.tree, under);
  const { system } = new GrowingContext(await runtime.journal.read(ids));
  const { systemMessage: _, ...rest } = draft;
  const says = system.content !== "" || system.sections.size + system.tools.size > 0;
  return says ? { ...rest, systemMessage: systemCheckpoint(system, runtime.process.now()) } : rest;
};

/** As a person wrote it: nothing is asked of a model. */
const edited = (first: EntryOf<"compaction">, summary: string): Draft => {
  if (summary.trim() === "") throw new ProblemError("bad_command", "The summary is empty.");
  const { firstKeptEntryId, tokensBefore, details } = first;
  return {
    type: "compaction",
    summary,
    firstKeptEntryId,
    tokensBefore,
    ...(details === undefined ? {} : { details }),
  };
};

/**
 * Makes a second summary of what a compaction put away (see the command). With later entries on the path it is appended at the
 * leaf with the same first kept entry, so that they stay in the context; else it becomes the compaction's sibling.
 */
export const resummarise = async (
  runtime: SessionRuntime,
  { entryId, instructions, verbatim, summary }: CommandOf<"resummarise">,
): Promise<Done> => {
  const { journal, process } = runtime;
  const first = await compactionAt(runtime, entryId);
  const { tree, leafId } = journal.state;
  const follows = leafId !== null && leafId !== entryId && isAncestor(tree, entryId, leafId);
  const under = follows ? leafId : first.parentId;
  if (summary !== undefined) {
    const draft = await withSystem(runtime, edited(first, summary), under);
    const [made] = await journal.commit([draft], { parent: under, source: "command" });
    return made ? { entryId: made.id } : {};
  }
  const time = process.now();
  const firstKept = first.firstKeptEntryId as EntryId;
  const plan = prepareCompaction(await runtime.path(first.parentId), {
    keepRecentTokens: 0,
    time,
    firstKept,
  });
  if ("nothing" in plan) throw new ProblemError("nothing_to_do", plan.nothing);
  const work = async (run: ActiveRun): Promise<TurnEnd> => {
    const options = {
      time,
      ...(instructions === undefined ? {} : { instructions }),
      ...(verbatim === undefined ? {} : { verbatim }),
    };
    const made = await compact(plan, (request) => askSummary(runtime, run, request), options);
    if (run.stop.signal.aborted) return { status: "aborted" };
    if ("problem" in made) return { status: "failed", problem: made.problem };
    const [entry] = await runtime.commitFor(run, [await withSystem(runtime, made.draft, under)]);
    // Beside the first one nobody stands at the run's tip: the second is what was asked for.
    if (entry && !follows) await journal.goTo(entry.id);
    return { status: "done" };
  };
  return { run: await runtime.startWork("compaction", under, await runtime.path(under), work) };
};
