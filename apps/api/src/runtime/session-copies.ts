import {
  type AnyEntry,
  asKnown,
  CURRENT_VERSION,
  copyForWriting,
  forkPath,
  holdingLabels,
  ProblemError,
  parseJsonl,
  type StoredSession,
} from "@espalier/core";
import type { Command, EntryId, EntryOf, SessionHeader } from "@espalier/protocol";
import { landing } from "./landing.ts";
import type { ProcessParts } from "./runtime-parts.ts";
import type { AcrossSessions } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { uuidV7 } from "./uuid-v7.ts";

type Copying = Extract<Command, { type: AcrossSessions }>;

const everything = (stored: StoredSession): Promise<AnyEntry[]> =>
  stored.read(stored.tree.rows.map(({ id }) => id));

/** A version 3 copy, all branches, of a session that cannot be written where it lies. */
export const writableCopy = async (process: ProcessParts, stored: StoredSession): Promise<StoredSession> => {
  const time = process.now();
  const stamp = { id: uuidV7(time), time, parentSession: stored.path };
  const { header, entries } = copyForWriting(stored.header, await everything(stored), stamp);
  return process.store.create(header, entries);
};

/**
 * A session file that was brought in: kept as it is, under its own id where that is free. An older version becomes a version 3
 * copy. Throws `not_a_session` when no header is found.
 */
export const importedCopy = async (process: ProcessParts, text: string): Promise<StoredSession> => {
  const parsed = parseJsonl(new TextEncoder().encode(text));
  if (!parsed) throw new ProblemError("not_a_session", "This file is no session: it has no session header.");
  const entries = parsed.rows.flatMap(({ id }) => parsed.read(id) ?? []);
  const time = process.now();
  const fresh = (): SessionHeader => ({ ...parsed.header, version: CURRENT_VERSION, id: uuidV7(time) });
  if ((parsed.header.version ?? 1) < CURRENT_VERSION) return process.store.create(fresh(), entries);
  const taken = (await process.store.list()).some(({ id }) => String(id) === parsed.header.id);
  return process.store.create(taken ? fresh() : parsed.header, entries);
};

const labelsOf = async (runtime: SessionRuntime): Promise<EntryOf<"label">[]> => {
  const { journal } = runtime;
  const held = await journal.read(holdingLabels(journal.state.tree));
  return held.flatMap((entry) => {
    const known = asKnown(entry);
    return known?.type === "label" ? [known] : [];
  });
};

/** A path into a new file. An empty one (before the first message) makes a session that has no file yet: null. */
const pathCopy = async (runtime: SessionRuntime, leaf: EntryId | null): Promise<StoredSession | null> => {
  const { journal, process } = runtime;
  if (leaf === null || !journal.stored) return null;
  const time = process.now();
  const stamp = { id: uuidV7(time), time, parentSession: journal.stored.path };
  const { header, entries } = forkPath(
    journal.header,
    await runtime.path(leaf),
    await labelsOf(runtime),
    stamp,
  );
  return process.store.create(header, entries);
};

/** Everything into a new file that belongs to another folder. */
const movedCopy = async (runtime: SessionRuntime, cwd: string): Promise<StoredSession> => {
  const { journal, process } = runtime;
  if (!journal.stored) throw new ProblemError("nothing_to_do", "This session has no file yet.");
  const time = process.now();
  const stamp = { id: uuidV7(time), time, parentSession: journal.stored.path, cwd };
  const { header, entries } = copyForWriting(journal.header, await everything(journal.stored), stamp);
  return process.store.create(header, entries);
};

/** The new session of a fork, a clone or a move to `cwd`; null when it would be empty. The source is not touched. */
export const copyFor = async (
  runtime: SessionRuntime,
  command: Copying,
  cwd: string,
): Promise<StoredSession | null> => {
  const { tree, leafId } = runtime.journal.state;
  switch (command.type) {
    case "clone":
      return pathCopy(runtime, leafId);
    case "folder":
      return movedCopy(runtime, cwd);
    case "fork": {
      const row = tree.get(command.entryId);
      if (!row) throw new ProblemError("not_found", `Entry ${command.entryId} is not in this session.`);
      const leaf = command.position === "before" ? row.parentId : row.id;
      return pathCopy(runtime, (await landing(runtime, leaf)).leaf);
    }
  }
};
