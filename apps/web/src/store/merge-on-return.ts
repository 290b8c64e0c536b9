import type { QueryClient } from "@tanstack/react-query";
import type { OfflineClient } from "../client/offline-client.ts";
import type { SharedStream } from "../client/shared-stream.ts";
import { showToast } from "../ui/toast-store.ts";
import type { SessionPool } from "./session-pool.ts";

interface ReturnParts {
  readonly api: OfflineClient;
  readonly stream: Pick<SharedStream, "onStatus">;
  readonly pool: Pick<SessionPool, "reload">;
  readonly queries: QueryClient;
}

/** One tab merges; the others read again when it is done. */
const alone = async (work: () => Promise<void>): Promise<void> => {
  if ("locks" in navigator) await navigator.locks.request("espalier.merge", work);
  else await work();
};

const entriesOf = (count: number): string => `${count} ${count === 1 ? "entry" : "entries"}`;

/** Whenever the server is there (again): what was made without it is merged, and said in one line. */
export const mergeOnReturn = ({ api, stream, pool, queries }: ReturnParts): void => {
  // What an earlier visit left is merged when the page opens; only a page that was left alone has to read again.
  let toMerge = true;
  let away = false;
  const merge = async (): Promise<void> => {
    const merged = await api.merge();
    const done = merged.filter(({ problem }) => problem === null).reduce((sum, one) => sum + one.entries, 0);
    if (done > 0)
      showToast(
        `${entriesOf(done)} made while the backend was away ${done === 1 ? "is" : "are"} on the disk now.`,
      );
    for (const { problem } of merged)
      if (problem !== null) showToast(`Kept in this browser only: ${problem}`, "error");
  };
  stream.onStatus((status) => {
    if (status === "offline") {
      toMerge = true;
      away = true;
    }
    if (status !== "open" || !toMerge) return;
    const again = away;
    toMerge = false;
    away = false;
    void alone(merge)
      .then(() => (again ? Promise.all([pool.reload(), queries.invalidateQueries()]) : undefined))
      .catch(() => undefined);
  });
};
