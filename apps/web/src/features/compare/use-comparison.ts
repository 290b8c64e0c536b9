import { branchPair } from "@espalier/core";
import type { Comparison, EntryId } from "@espalier/protocol";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useServices } from "../../store/services.tsx";
import { useSession } from "../../store/session-context.tsx";

const mirrored = ({ a, b, last, ...rest }: Comparison): Comparison => ({
  ...rest,
  a: b,
  b: a,
  last: { a: last.b, b: last.a },
});

/** What the branches through two entries came to; asked again when one of them grows. */
export const useComparison = (a: EntryId, b: EntryId): UseQueryResult<Comparison> => {
  const { api } = useServices();
  const id = useSession((open) => open.id);
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  const leaf = useSession((open) => open.session?.leafId ?? null);
  const ends = useMemo(() => {
    if (!tree || version === undefined || !tree.has(a) || !tree.has(b)) return null;
    const pair = branchPair(tree, a, b, leaf);
    return [pair.a, pair.b];
  }, [tree, version, leaf, a, b]);
  return useQuery({
    queryKey: ["compare", id, a, b, ...(ends ?? [])],
    queryFn: () => api.compare(id, a, b),
    staleTime: Number.POSITIVE_INFINITY,
    // While the grown branches are read the earlier answer stays, and seen from the other side too; that of other branches does not.
    placeholderData: (before, query) => {
      const [, session, first, second] = query?.queryKey ?? [];
      if (!before || session !== id) return undefined;
      if (first === a && second === b) return before;
      return first === b && second === a ? mirrored(before) : undefined;
    },
  });
};
