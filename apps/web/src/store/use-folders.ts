import { useMemo } from "react";
import { useSession } from "./session-context.tsx";

/** The folder the shown session works in, and the one it was made in, when that is another. */
export const useFolders = (): readonly string[] => {
  const now = useSession((open) => open.facts?.folder.cwd ?? "");
  const first = useSession((open) => open.facts?.header.cwd ?? "");
  return useMemo(() => [...new Set([now, first])].filter((folder) => folder !== ""), [now, first]);
};
