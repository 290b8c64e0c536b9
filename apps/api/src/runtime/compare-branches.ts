import {
  BranchAccount,
  boundedFiles,
  branchPair,
  firstApart,
  ProblemError,
  pathToLeaf,
} from "@espalier/core";
import type { BranchReport, Comparison, EntryId, PathItem } from "@espalier/protocol";
import type { PathReader } from "./path-reader.ts";
import type { SessionJournal } from "./session-journal.ts";
import { entriesOfItems, wholeItems } from "./whole-items.ts";
import { wireItem } from "./wire-entry.ts";

/** Items whose bodies are in memory at one time. */
const AT_ONCE = 200;
/** Summaries of one branch that are told, and characters of each. */
const MOST_SUMMARIES = 20;
const SUMMARY_CHARS = 20_000;

interface Parts {
  readonly journal: SessionJournal;
  readonly reader: PathReader;
}

/**
 * Reads both branches from their fork on, a part at a time, and says what each came to. Nothing is written. Throws `not_found` for
 * an entry that is not in the session.
 */
export const compareBranches = async (
  { journal, reader }: Parts,
  a: EntryId,
  b: EntryId,
): Promise<Comparison> => {
  const { tree, leafId } = journal.state;
  for (const id of [a, b])
    if (!tree.has(id)) throw new ProblemError("not_found", `Entry ${id} is not in this session.`);
  const pair = branchPair(tree, a, b, leafId);
  const account = async (end: EntryId): Promise<{ report: BranchReport; last: PathItem | null }> => {
    const { items } = await reader.known(end);
    const first = firstApart(items, pair.shared);
    const branch = new BranchAccount((id) => pair.shared.has(id));
    for (let at = first; at < items.length; at += AT_ONCE) {
      const bare = items.slice(at, at + AT_ONCE);
      for (const item of wholeItems(bare, await journal.read(entriesOfItems(bare), "once"))) branch.add(item);
    }
    const { files, summaries, ...report } = branch.report(end, first);
    const told = await toldElsewhere(journal, end, pair.shared, new Set(items.map(({ id }) => id)));
    return {
      report: {
        ...report,
        files: boundedFiles(files),
        summaries: [...summaries, ...told]
          .slice(0, MOST_SUMMARIES)
          .map((summary) => ({ ...summary, text: summary.text.slice(0, SUMMARY_CHARS).toWellFormed() })),
      },
      last: branch.last === null ? null : wireItem(branch.last),
    };
  };
  const [left, right] = [await account(pair.a), await account(pair.b)];
  return { fork: pair.fork, a: left.report, b: right.report, last: { a: left.last, b: right.last } };
};

/** Branch summaries on other branches that tell of this one: they name an entry of it as the place that was left. */
const toldElsewhere = async (
  journal: SessionJournal,
  end: EntryId,
  shared: ReadonlySet<EntryId>,
  own: ReadonlySet<EntryId>,
): Promise<BranchReport["summaries"]> => {
  const { tree } = journal.state;
  const branch = new Set<string>(pathToLeaf(tree, end).filter((id) => !shared.has(id)));
  const ids = tree.rows
    .filter(({ id, type, target }) => type === "branch_summary" && branch.has(target ?? "") && !own.has(id))
    .slice(0, MOST_SUMMARIES)
    .map(({ id }) => id);
  return (await journal.read(ids)).flatMap((entry) =>
    "summary" in entry && "fromId" in entry && typeof entry.summary === "string"
      ? [{ entryId: entry.id, fromId: String(entry.fromId), text: entry.summary }]
      : [],
  );
};
