import type { EntryDraft } from "@espalier/protocol";
import { joinPath } from "../group/join-groups.ts";
import type { AnyEntry } from "../session/known-entry.ts";
import { answerUnrun } from "./execute-tool-calls.ts";

/** What a model would read between a call and an answer to it: behind any of these, a call is not open at the path's end. */
const SPOKEN: ReadonlySet<string> = new Set(["user", "bash", "note", "compaction", "branch_summary"]);

const MAY_HAVE_RUN =
  "This call was cut off before its result was stored. It may have run, wholly or in part, and was not run again. See what it did before you repeat it.";

/**
 * Error results for the calls at a path's end that have none, for somebody who goes on there: whether such a call ran is not
 * known, so none is run by itself. Empty when the path's last words are not a step with open calls. `now` in epoch ms.
 */
export const answerOpenCalls = (path: readonly AnyEntry[], now: number): EntryDraft[] => {
  const last = joinPath(path).findLast(({ kind }) => kind === "step" || SPOKEN.has(kind));
  if (last?.kind !== "step") return [];
  const open = last.groups.flatMap((group) => (group.kind === "missing_results" ? [group.use] : []));
  return answerUnrun(open, MAY_HAVE_RUN, now);
};
