import { isOpen, runAt } from "@espalier/core";
import type { EntryId, Snapshot } from "@espalier/protocol";
import type { SessionRuntime } from "./session-runtime.ts";

/**
 * A session as a page opens it. State, place in the event line and rows are taken in one go, without waiting in between, so
 * that the events after `rev` go on exactly from here.
 */
export const makeSnapshot = async (
  runtime: SessionRuntime,
  epoch: string,
  window: { at?: EntryId; limit?: number },
): Promise<Snapshot> => {
  const { journal, reader } = runtime;
  const folder = await runtime.folder();
  // Until `reading` nothing waits; what is read after it are paths up to leaves of this moment, which do not change any more.
  const seq = journal.seq();
  const { state, stored } = journal;
  const rows = [...state.tree.rows];
  const reading = reader.openAt(window.at, window.limit ?? 60);
  const leaf = state.leafId;
  const read = await reading;
  const { use } = await reader.known(leaf);
  const selection = await runtime.selection(leaf);
  const size = selection.model === null ? 0 : await runtime.process.models.windowOf(selection.model);
  return {
    id: journal.id,
    epoch,
    seq,
    rev: state.rev,
    path: stored?.path ?? "",
    root: stored?.root ?? "espalier",
    header: journal.header,
    stored: stored !== null,
    // A look that asks for no items counts only, and comes often; rows are many.
    rows: window.limit === 0 ? [] : rows,
    leafId: state.leafId,
    keys: read.keys,
    from: read.from,
    items: read.items,
    run: runAt(state, state.leafId),
    runs: [...state.runs.values()].filter(isOpen),
    partials: Object.fromEntries([...state.partials].map(([run, blocks]) => [run, [...blocks]])),
    tools: [...state.tools.values()],
    approvals: [...state.approvals],
    queue: [...state.queue],
    damage: [...state.damage],
    model: selection.model,
    thinkingLevel: selection.thinkingLevel,
    context: { ...use, window: size },
    folder,
  };
};
