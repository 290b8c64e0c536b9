import type {
  Approval,
  Damage,
  EntryId,
  PartialBlock,
  QueueItem,
  RunId,
  RunInfo,
  SessionId,
  Snapshot,
  ToolProgress,
} from "@espalier/protocol";
import { SessionTree } from "../session/session-tree.ts";

export interface Notice {
  /** The rev of the event that brought it: a key for the screen. */
  readonly rev: number;
  readonly level: "info" | "warn" | "error";
  readonly text: string;
  readonly code?: string;
}

/**
 * One session as it is known now. A new object for every event, but for `tree`: that is one growing structure whose
 * `version` changes with every append, since copying 100,000 rows for one entry would be felt.
 */
export interface SessionState {
  readonly id: SessionId;
  /** Events applied so far; the next one applied has rev + 1. */
  readonly rev: number;
  readonly tree: SessionTree;
  readonly treeVersion: number;
  readonly leafId: EntryId | null;
  /** Open runs and those that ended since the state was made. */
  readonly runs: ReadonlyMap<RunId, RunInfo>;
  /** The streaming message of each run, block by block. */
  readonly partials: ReadonlyMap<RunId, readonly PartialBlock[]>;
  /** Calls that run or wait, by `toolKey`. */
  readonly tools: ReadonlyMap<string, ToolProgress>;
  readonly approvals: readonly Approval[];
  readonly queue: readonly QueueItem[];
  readonly damage: readonly Damage[];
  /** Texts that go back to the composer, and the rev of the event that brought them; a view takes each rev once. */
  readonly returned: { readonly rev: number; readonly texts: readonly string[] } | null;
  /** The last 50. */
  readonly notices: readonly Notice[];
  /** Where the session goes on, when it was copied (its file is of an older version and is left as it is). */
  readonly movedTo: SessionId | null;
}

/** Keeps a call apart from others with the same id: its place is unique, its id is not. */
export const toolKey = (entry: EntryId, index: number): string => `${entry}:${index}`;

export const emptyState = (id: SessionId, tree: SessionTree, leafId: EntryId | null): SessionState => ({
  id,
  rev: 0,
  tree,
  treeVersion: tree.version,
  leafId,
  runs: new Map(),
  partials: new Map(),
  tools: new Map(),
  approvals: [],
  queue: [],
  damage: [],
  returned: null,
  notices: [],
  movedTo: null,
});

/** The state a page starts from. */
export const stateOfSnapshot = (snapshot: Snapshot): SessionState => {
  const tree = new SessionTree(snapshot.rows);
  return {
    ...emptyState(snapshot.id, tree, snapshot.leafId),
    rev: snapshot.rev,
    runs: new Map(snapshot.runs.map((run) => [run.id, run])),
    partials: new Map(Object.entries(snapshot.partials).map(([run, blocks]) => [run as RunId, blocks])),
    tools: new Map(snapshot.tools.map((tool) => [toolKey(tool.entryId, tool.index), tool])),
    approvals: snapshot.approvals,
    queue: snapshot.queue,
    damage: snapshot.damage,
  };
};

/** Whether a run still works: it holds its tip and can be stopped. */
export const isOpen = (run: RunInfo): boolean => {
  switch (run.status) {
    case "running":
    case "waiting":
    case "retrying":
    case "stopping":
      return true;
    case "done":
    case "aborted":
    case "failed":
      return false;
  }
};

/** The run whose tip is the leaf: the one that Stop, steering and follow-ups mean. */
export const runAt = (state: SessionState, leaf: EntryId | null): RunInfo | null => {
  for (const run of state.runs.values()) if (isOpen(run) && run.tip === leaf) return run;
  return null;
};
