import { readFile } from "node:fs/promises";
import {
  CURRENT_VERSION,
  ProblemError,
  parseJsonl,
  repairJsonl,
  type StoredSession,
  serializeEntry,
  serializeHeader,
} from "@espalier/core";
import type { ProcessParts } from "./runtime-parts.ts";
import type { SessionJournal } from "./session-journal.ts";
import { uuidV7 } from "./uuid-v7.ts";

/** The file as it lies on the disk; of a store without files, what it gives of the session. */
const bytesOf = async (stored: StoredSession): Promise<Uint8Array> => {
  try {
    return await readFile(stored.path);
  } catch {
    const entries = await stored.read(stored.tree.rows.map(({ id }) => id));
    return new TextEncoder().encode(serializeHeader(stored.header) + entries.map(serializeEntry).join(""));
  }
};

/** A new session with everything that can be read of a damaged one, which stays as it is. Throws `nothing_to_do` without a file. */
export const repairedCopy = async (
  process: ProcessParts,
  journal: SessionJournal,
): Promise<StoredSession> => {
  const { stored } = journal;
  if (!stored) throw new ProblemError("nothing_to_do", "This session has no file yet.");
  const repaired = repairJsonl(await bytesOf(stored));
  const parsed = repaired && parseJsonl(new TextEncoder().encode(repaired.text));
  if (!parsed) throw new ProblemError("not_a_session", "Nothing of a session can be read in this file.");
  const time = process.now();
  const header = {
    ...parsed.header,
    version: CURRENT_VERSION,
    id: uuidV7(time),
    timestamp: new Date(time).toISOString(),
    parentSession: stored.path,
  };
  const body = repaired.text.slice(repaired.text.indexOf("\n") + 1);
  return process.store.createFrom(header, serializeHeader(header) + body);
};
