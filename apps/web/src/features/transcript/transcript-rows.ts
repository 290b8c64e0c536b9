import type { SessionState } from "@espalier/core";
import type { PartialBlock, RunInfo } from "@espalier/protocol";
import type { PathView } from "../../store/path-view.ts";
import { type FeedRow, feedRows } from "../../view/item/feed-rows.ts";

/** A row of the transcript: of the path, or of the answer that is still being written. */
export type TranscriptRow = FeedRow | PartialRow;

interface PartialRow {
  readonly kind: "partial";
  readonly key: string;
  readonly item: number;
  readonly run: RunInfo;
  readonly blocks: readonly PartialBlock[];
}

/** Row lists by the items they were made of: a token of the streaming answer must not join the whole path again. */
const known = new WeakMap<readonly unknown[], FeedRow[]>();

const rowsOf = (view: PathView): FeedRow[] => {
  const found = known.get(view.items);
  if (found) return found;
  const rows = feedRows(view.items);
  known.set(view.items, rows);
  return rows;
};

/** The rows of the path that is read, and of the answer being written at its end. */
export const transcriptRows = (
  view: PathView,
  session: SessionState,
  run: RunInfo | null,
): TranscriptRow[] => {
  const rows = rowsOf(view);
  const blocks = run ? session.partials.get(run.id) : undefined;
  if (!run || !blocks || blocks.length === 0) return rows;
  return [...rows, { kind: "partial", key: `partial:${run.id}`, item: view.items.length, run, blocks }];
};
