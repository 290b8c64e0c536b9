import { ProblemError } from "@espalier/core";
import type { SessionId } from "@espalier/protocol";
import type { ProcessParts } from "./runtime-parts.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/**
 * Moves a session's file to the trash; gives the ticket. `open` is its runtime if it is open: it is closed first, pages that show
 * it are told. Throws ProblemError `busy` while a run of it works, `not_found` for a session without a file.
 */
export const discardSession = async (
  { store, trash, log }: Pick<ProcessParts, "store" | "trash" | "log">,
  id: SessionId,
  open: SessionRuntime | null,
  forget: () => void,
): Promise<string> => {
  if (open !== null && open.openRuns.length > 0)
    throw new ProblemError("busy", "A run of this session is still at work. Stop it first, then delete.");
  const info = (await store.list()).find((one) => one.id === id);
  if (info === undefined) throw new ProblemError("not_found", `There is no file of session ${id}.`);
  if (open !== null) {
    forget();
    await open.close(0);
  }
  const ticket = await trash.discard(info);
  open?.journal.emit({
    type: "notice",
    level: "warn",
    code: "trashed",
    text: "This session was moved to the trash. It can be brought back from the list of sessions.",
  });
  log.append(null, { type: "sessions_changed" });
  return ticket;
};
