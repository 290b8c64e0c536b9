import {
  type BranchPlan,
  type BranchSummaryDraft,
  branchLeft,
  carriedPart,
  extractedBranchSummary,
  ProblemError,
  prepareBranchSummary,
  problemOf,
  type QueuedMessage,
  runAt,
  summarizeBranch,
  type TurnEnd,
} from "@espalier/core";
import type { CommandOf, EntryId, ImageContent, ModelInfo, RunId } from "@espalier/protocol";
import type { ActiveRun } from "./active-run.ts";
import { askSummary } from "./compact-run.ts";
import { landing } from "./landing.ts";
import type { Done } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const BY_HAND = "No model could sum the branch up, so what was said on it was put together word for word.";

/** What is told of a branch, and where. */
interface Telling {
  /** The end of the branch that is told of. */
  readonly from: EntryId;
  /** Where the summary goes. */
  readonly to: EntryId | null;
  readonly plan: BranchPlan;
  readonly instructions: string | undefined;
  /** The entry at which the summary's run works, so that Stop finds it and nothing else starts there. */
  readonly at: EntryId | null;
}

/** The model at a place; null when none is ready: then a summary is made without one. */
const modelAt = async (runtime: SessionRuntime, at: EntryId | null): Promise<ModelInfo | null> => {
  const { model } = await runtime.selection(at);
  if (model === null) return null;
  const found = await runtime.process.models.resolve(model);
  return "code" in found ? null : found;
};

/** What is said on the branch from where it parts from the way to `to`; null when there is nothing to tell. */
const planOf = async (
  { journal }: SessionRuntime,
  from: EntryId,
  to: EntryId | null,
  window: number,
): Promise<BranchPlan | null> => {
  const left = branchLeft(journal.state.tree, from, to).filter((id) => !journal.state.tree.isAside(id));
  return left.length === 0 ? null : prepareBranchSummary(await journal.read(left, "once"), window);
};

const writeNow = async (
  runtime: SessionRuntime,
  to: EntryId | null,
  draft: BranchSummaryDraft,
): Promise<EntryId> => {
  const [entry] = await runtime.journal.commit([draft], { parent: to, source: "command" });
  if (!entry) throw new ProblemError("internal", "The summary was not written.");
  return entry.id;
};

/** Messages that waited for the summary go on where it leads: the first as a prompt, the others behind it. */
const sendOn = async (
  runtime: SessionRuntime,
  at: EntryId,
  left: readonly QueuedMessage[],
): Promise<boolean> => {
  const [first, ...others] = left;
  if (first === undefined) return true;
  const images = first.images.filter((block): block is ImageContent => block.type === "image");
  const { run } = await runtime.prompt({ text: first.text, images, at });
  for (const { id: _, ...message } of others)
    runtime.queue.add({ ...message, id: _, run, kind: "follow_up" });
  if (others.length > 0) runtime.tellQueue();
  return true;
};

/**
 * Asks the model as a run; when it fails the branch's own words do. Stopped, nothing is written and nobody is moved. Who stood here when
 * it began goes along; who went elsewhere meanwhile is left there.
 */
const tellByModel = async (runtime: SessionRuntime, telling: Telling): Promise<RunId> => {
  const { journal, process } = runtime;
  const { from, to, plan, instructions, at } = telling;
  const stoodAt = journal.state.leafId;
  const work = async (run: ActiveRun): Promise<TurnEnd> => {
    const options = {
      fromId: from,
      time: process.now(),
      ...(instructions === undefined ? {} : { instructions }),
    };
    const made = await summarizeBranch(plan, (request) => askSummary(runtime, run, request), options).catch(
      (error: unknown) => ({ problem: problemOf(error) }),
    );
    if (run.stop.signal.aborted) return { status: "aborted" };
    if ("problem" in made)
      journal.emit({
        type: "notice",
        level: "info",
        code: "extracted",
        text: `${made.problem.message} ${BY_HAND}`,
      });
    const draft = "draft" in made ? made.draft : extractedBranchSummary(plan, from);
    const [entry] = await runtime.commitFor(run, [draft], to);
    if (entry === undefined) return { status: "done" };
    if (journal.state.leafId === stoodAt) journal.moveLeaf(entry.id);
    run.handOn = (left) => sendOn(runtime, entry.id, left);
    return { status: "done" };
  };
  const end = at === null ? [] : await journal.read([at]);
  return runtime.startWork("branch_summary", at, end, work);
};

const tell = async (runtime: SessionRuntime, telling: Telling, model: ModelInfo | null): Promise<Done> => {
  if (model !== null) return { run: await tellByModel(runtime, telling) };
  const entryId = await writeNow(runtime, telling.to, extractedBranchSummary(telling.plan, telling.from));
  return { entryId, note: BY_HAND };
};

/**
 * Tells at `to` of the branch that is left, and goes there. Null when there is nothing to tell, or a run still works at one of the two
 * places: then the move is a plain one.
 */
export const leaveWithSummary = async (
  runtime: SessionRuntime,
  to: EntryId | null,
  instructions: string | undefined,
): Promise<Done | null> => {
  const { state } = runtime.journal;
  const from = state.leafId;
  if (from === null || runAt(state, from) !== null || (to !== null && runAt(state, to) !== null)) return null;
  const model = await modelAt(runtime, from);
  const plan = await planOf(runtime, from, to, model?.contextWindow ?? 0);
  if (plan === null) return null;
  return tell(runtime, { from, to, plan, instructions, at: from }, model);
};

/** Tells at an end of another branch: in short, or word for word what was chosen of it. */
export const carryOver = async (
  runtime: SessionRuntime,
  { from, to, entries = [], files = [], instructions }: CommandOf<"carry_over">,
): Promise<Done> => {
  const { state } = runtime.journal;
  if (!state.tree.has(from)) throw new ProblemError("not_found", `Entry ${from} is not in this session.`);
  const { leaf } = await landing(runtime, to ?? state.leafId);
  if (runAt(state, leaf) !== null)
    throw new ProblemError("busy", "A run is working there: carry over when it has ended, or stop it.");
  const model = entries.length + files.length > 0 ? null : await modelAt(runtime, leaf);
  const plan = await planOf(runtime, from, leaf, model?.contextWindow ?? 0);
  if (plan === null)
    throw new ProblemError("nothing_to_do", "That branch holds nothing that is not here already.");
  if (entries.length + files.length === 0)
    return tell(runtime, { from, to: leaf, plan, instructions, at: leaf }, model);
  const draft = carriedPart(plan, { entries, files }, from);
  if (draft === null)
    throw new ProblemError(
      "nothing_to_do",
      "Nothing of what was chosen stands on that branch since the fork.",
    );
  return { entryId: await writeNow(runtime, leaf, draft) };
};
