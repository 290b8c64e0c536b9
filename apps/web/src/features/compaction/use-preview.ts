import {
  compactionLimits,
  contextPath,
  ProblemError,
  pathToLeaf,
  problemOf,
  type SessionTree,
} from "@espalier/core";
import type { EntryId, PathItem, Problem, SessionId } from "@espalier/protocol";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useServices } from "../../store/services.tsx";
import { useSession } from "../../store/session-context.tsx";
import { type Preview, previewOf } from "./preview-model.ts";
import { MOST, type Reader, readCompaction, readItems } from "./use-compaction.ts";

interface LoadedPath {
  readonly items: readonly PathItem[];
  readonly keepRecentTokens: number;
}

type Loading =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly problem: Problem }
  | { readonly kind: "ready"; readonly items: readonly PathItem[]; readonly preview: Preview };

const load = async (
  api: Reader & Pick<ReturnType<typeof useServices>["api"], "settings">,
  session: SessionId,
  {
    leaf,
    newest,
    window,
  }: { readonly leaf: EntryId; readonly newest: EntryId | null; readonly window: number },
  signal: AbortSignal,
): Promise<LoadedPath> => {
  const { compaction = {} } = await api.settings();
  const { keys } = await api.items(session, leaf, 0, 0);
  const kept = newest === null ? null : (await readCompaction(api, session, newest)).firstKeptEntryId;
  const from = kept === null ? 0 : Math.max(0, keys.indexOf(kept as EntryId));
  if (keys.length - from > MOST)
    throw new ProblemError(
      "too_large",
      `More than ${MOST} items could be summarised: compact without looking, or by \`/compact\`.`,
    );
  const items = await readItems(api, session, leaf, [from, keys.length], signal);
  return { items, keepRecentTokens: compactionLimits(compaction, window).keepRecentTokens };
};

const newestOn = (tree: SessionTree, leaf: EntryId | null): EntryId | null =>
  pathToLeaf(tree, leaf).findLast((id) => tree.get(id)?.type === "compaction") ?? null;

/** What a compaction of the path that is read would do. */
export const usePreview = (): Loading => {
  const { api } = useServices();
  const session = useSession((open) => open.id);
  const tree = useSession((open) => open.session?.tree ?? null);
  const leaf = useSession((open) => open.view.leafId);
  const window = useSession((open) => open.facts?.context.window ?? 0);
  const newest = useMemo(() => (tree ? newestOn(tree, leaf) : null), [tree, leaf]);
  const { data, error } = useQuery({
    queryKey: ["preview", session, leaf, newest, window],
    queryFn: ({ signal }) => {
      if (leaf === null) throw new ProblemError("nothing_to_do", "There is nothing to compact yet.");
      return load(api, session, { leaf, newest, window }, signal);
    },
    retry: false,
  });
  const preview = useMemo(() => {
    if (!data || !tree) return null;
    const path = contextPath(tree, leaf);
    const first = data.items[0];
    return previewOf(
      data.items,
      path.slice(Math.max(0, first ? path.indexOf(first.id) : 0)),
      tree,
      data.keepRecentTokens,
    );
  }, [data, tree, leaf]);
  if (error) return { kind: "failed", problem: problemOf(error) };
  return data && preview ? { kind: "ready", items: data.items, preview } : { kind: "loading" };
};
