import { type AnyEntry, bareEntry, cutPlaces, LiveCut, type SessionTree } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";

/** A place where the path may be cut. Tokens by the estimate that the cut itself uses. */
interface PossibleCut {
  readonly firstKept: EntryId;
  /** Index of the first item that is kept. */
  readonly index: number;
  readonly summarised: number;
  readonly kept: number;
}

export interface Preview {
  readonly cuts: readonly PossibleCut[];
  /** Which of them a compaction would take by itself; -1 when there is nothing to summarise. */
  readonly proposed: number;
}

/** The entries an item is made of, with what they hold. */
const entriesOf = (item: PathItem): AnyEntry[] => {
  if (item.kind !== "step") return [item.entry];
  const results = item.groups.flatMap((group) =>
    group.kind === "complete"
      ? [
          {
            type: "message" as const,
            id: group.result.entryId,
            parentId: item.id,
            timestamp: "",
            message: group.result.message,
          },
        ]
      : [],
  );
  return [item.entry, ...results];
};

const tokensOf = (item: PathItem, tree: SessionTree): number =>
  entriesOf(item).reduce((sum, { id }) => sum + (tree.get(id)?.tokens ?? 0), 0);

/** Kinds of items that a path may be cut before, as the server has them. */
const CUTTABLE: ReadonlySet<string> = new Set(["user", "step", "bash", "note", "branch_summary"]);

/**
 * Where a path could be cut, and where it would be. `items` are those since the newest compaction's kept part began (all of
 * them without one), `path` the ids of their entries; both root first.
 */
export const previewOf = (
  items: readonly PathItem[],
  path: readonly EntryId[],
  tree: SessionTree,
  keepRecentTokens: number,
): Preview => {
  const tokens = items.map((item) => (item.kind === "compaction" ? 0 : tokensOf(item, tree)));
  const total = tokens.reduce((sum, each) => sum + each, 0);
  const before: number[] = [];
  tokens.reduce((sum, each, at) => {
    before[at] = sum;
    return sum + each;
  }, 0);
  const cuts = cutPlaces(items, path).flatMap(({ index, entryId }): PossibleCut[] => {
    const summarised = before[index] ?? 0;
    if (!CUTTABLE.has(items[index]?.kind ?? "") || summarised === 0) return [];
    return [{ firstKept: entryId, index, summarised, kept: total - summarised }];
  });
  const live = new LiveCut();
  const held = new Map(items.flatMap(entriesOf).map((entry) => [entry.id, entry]));
  for (const id of path) {
    const entry = held.get(id);
    if (entry) live.append(bareEntry(entry), tree.get(id)?.tokens ?? 0);
  }
  const cut = live.find(keepRecentTokens);
  const at = cut === null ? -1 : path.indexOf(cut.firstKeptEntryId);
  // Marks right before a cut go with what is kept: the place is that of the first item that says something.
  const proposed = at < 0 ? -1 : cuts.findIndex(({ firstKept }) => path.indexOf(firstKept) >= at);
  return { cuts, proposed: at >= 0 && proposed < 0 ? cuts.length - 1 : proposed };
};
