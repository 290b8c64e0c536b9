import { leafThrough, ProblemError, pathToLeaf, problemOf, type SessionTree } from "@espalier/core";
import type { EntryId, EntryOf, PathItem, Problem, SessionId } from "@espalier/protocol";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useServices } from "../../store/services.tsx";
import { useSession } from "../../store/session-context.tsx";

/** Items that are fetched in one go. */
const PAGE = 200;
/** Items of what was summarised that are read at most, the newest: what is more is said. */
export const MOST = 2_000;

/** One compaction as it is looked at. */
export interface LoadedCompaction {
  readonly entry: EntryOf<"compaction">;
  /** The summary it went on from; null for the first one of its path. */
  readonly previous: EntryOf<"compaction"> | null;
  /** What it put away, and what it kept word for word, in path order. */
  readonly summarised: readonly PathItem[];
  readonly kept: readonly PathItem[];
  /** Summarised items that are too many to be shown. */
  readonly before: number;
  /** Index among `summarised` where the turn begins that was cut; -1 when the cut lies between turns. */
  readonly turnStart: number;
}

type Loading =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "ready"; readonly loaded: LoadedCompaction };

/** Compactions on the path through an entry, root first. */
export const compactionsOn = (tree: SessionTree, at: EntryId, leaf: EntryId | null): EntryId[] =>
  pathToLeaf(tree, leafThrough(tree, at, leaf)).filter((id) => tree.get(id)?.type === "compaction");

const startsTurn = (item: PathItem): boolean =>
  ["user", "bash", "note", "branch_summary"].includes(item.kind);

/** Where the turn begins that goes over the cut; -1 when what is kept begins a turn. */
const splitAt = (summarised: readonly PathItem[], kept: readonly PathItem[]): number => {
  const [first] = kept;
  return first === undefined || startsTurn(first) ? -1 : summarised.findLastIndex(startsTurn);
};

/** Reads one compaction with what lies on both sides of its cut. */
export const useCompaction = (id: EntryId): Loading => {
  const { api } = useServices();
  const session = useSession((open) => open.id);
  const tree = useSession((open) => open.session?.tree ?? null);
  const previousId = useMemo(
    () =>
      tree
        ? (pathToLeaf(tree, id).findLast((each) => each !== id && tree.get(each)?.type === "compaction") ??
          null)
        : null,
    [tree, id],
  );
  const { data, error } = useQuery({
    queryKey: ["compaction", session, id, previousId],
    queryFn: ({ signal }) => load(api, session, { id, previousId }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (error) return { kind: "failed", problem: problemOf(error) };
  return data ? { kind: "ready", loaded: data } : { kind: "loading" };
};

export type Reader = Pick<ReturnType<typeof useServices>["api"], "entry" | "items">;

export const readCompaction = async (
  api: Reader,
  session: SessionId,
  id: EntryId,
): Promise<EntryOf<"compaction">> => {
  const { entry } = await api.entry(session, id);
  if (entry.type !== "compaction" || !("summary" in entry))
    throw new ProblemError("not_found", `Entry ${id} is no compaction.`);
  return entry as EntryOf<"compaction">;
};

/** Items `from` to `to` of the path to a leaf, page by page; stops when nobody wants them any more. */
export const readItems = async (
  api: Reader,
  session: SessionId,
  leaf: EntryId,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<PathItem[]> => {
  const items: PathItem[] = [];
  for (let at = from; at < to && !signal.aborted; at += PAGE)
    items.push(...(await api.items(session, leaf, at, Math.min(to, at + PAGE))).items);
  return items;
};

const load = async (
  api: Reader,
  session: SessionId,
  { id, previousId }: { readonly id: EntryId; readonly previousId: EntryId | null },
  signal: AbortSignal,
): Promise<LoadedCompaction> => {
  const entry = await readCompaction(api, session, id);
  const previous = previousId === null ? null : await readCompaction(api, session, previousId);
  const { keys } = await api.items(session, id, 0, 0);
  const end = keys.length - 1;
  const found = keys.indexOf(entry.firstKeptEntryId as EntryId);
  const cut = found < 0 ? end : found;
  const began = previous === null ? 0 : Math.max(0, keys.indexOf(previous.firstKeptEntryId as EntryId));
  const from = Math.max(began, cut - MOST);
  const [summarised, kept] = [
    await readItems(api, session, id, [from, cut], signal),
    await readItems(api, session, id, [cut, end], signal),
  ];
  return { entry, previous, summarised, kept, before: from - began, turnStart: splitAt(summarised, kept) };
};
