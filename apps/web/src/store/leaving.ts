import { branchLeft, runAt } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import type { SessionClient } from "./session-store.ts";

/** A branch that was just left, and where one went. */
export interface LeftBranch {
  /** Its end. */
  readonly from: EntryId;
  readonly entries: number;
  /** Where the session stands since. */
  readonly at: EntryId | null;
  /** Whether to ask what is to be told of it there. */
  readonly ask: boolean;
}

/** A branch that a move leaves. */
export type Left = Pick<LeftBranch, "from" | "entries">;

/** So many entries may be left without a word about what is to be told of them. */
const FEW = 8;

/** What a move to `target` leaves behind: null when that is nothing. */
export const leftBehind = (client: SessionClient, target: EntryId | null): Left | null => {
  const { session } = client.store.getState();
  if (!session || session.leafId === null) return null;
  const { tree, leafId: from } = session;
  const entries = branchLeft(tree, from, target).filter((id) => !tree.isAside(id)).length;
  return entries === 0 ? null : { from, entries };
};

/** Whether it is worth asking what to tell of it: not of a little, nor of a branch that a run still works on. */
export const isWorthTelling = (client: SessionClient, left: Left): boolean => {
  const { session } = client.store.getState();
  return left.entries > FEW && session !== null && runAt(session, left.from) === null;
};

/** Resolves when a run is over: true when it did what it was to do. */
export const whenOver = (client: SessionClient, run: string): Promise<boolean> =>
  new Promise((resolve) => {
    const look = (): boolean => {
      const found = [...(client.store.getState().session?.runs.values() ?? [])].find(({ id }) => id === run);
      if (found?.endedAt === undefined) return false;
      resolve(found.status === "done");
      return true;
    };
    if (look()) return;
    const stop = client.store.subscribe(() => {
      if (look()) stop();
    });
  });
