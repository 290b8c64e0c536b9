import { landingOf, ProblemError, pathToLeaf } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import type { SessionRuntime } from "./session-runtime.ts";

/**
 * Where a move to `target` really lands: never inside a batch. The end of a branch is left as it is: nothing follows there
 * that could be split, and calls without results are answered for the model only.
 */
export const landing = async (
  runtime: SessionRuntime,
  target: EntryId | null,
): Promise<{ leaf: EntryId | null; note?: string }> => {
  if (target === null) return { leaf: null };
  const { tree } = runtime.journal.state;
  if (!tree.has(target)) throw new ProblemError("not_found", `Entry ${target} is not in this session.`);
  const worked = runtime.openRuns.some(({ tip }) => tip === target);
  if (!worked && tree.branches(target).length === 0) return { leaf: target };
  // The batch a call belongs to ends below the target: its results are on the path of any leaf that goes on from here.
  const below = worked ? target : furthest(runtime, target);
  const ids = pathToLeaf(tree, below).filter((id) => !tree.isAside(id));
  const { items } = await runtime.reader.known(below);
  const { target: leaf, moved } = landingOf(items, ids, target);
  if (moved === null) return { leaf };
  return {
    leaf,
    note:
      moved === "after"
        ? "Moved behind the batch of tool calls."
        : "Moved before a batch whose calls are not all answered.",
  };
};

/** Follows single results downwards, so that a whole batch below an entry is on the path; stops at the first branch. */
const furthest = (runtime: SessionRuntime, from: EntryId): EntryId => {
  const { tree } = runtime.journal.state;
  let at = from;
  for (let below = tree.branches(at); ; below = tree.branches(at)) {
    const next = below.find((id) => tree.get(id)?.role === "toolResult");
    if (next === undefined) return at;
    at = next;
  }
};
