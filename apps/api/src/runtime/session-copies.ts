import {
  type AnyEntry,
  asKnown,
  CURRENT_VERSION,
  copyForWriting,
  forkPath,
  holdingLabels,
  makeEntry,
  newEntryId,
  ProblemError,
  parseJsonl,
  type StoredSession,
  serializeHeader,
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

/** The text from its second line on, when its first is a header of this version that can be written under; else null. */
const bodyOf = (text: string, readOnly: string | null): string | null => {
  const end = text.indexOf("\n") + 1;
  if (readOnly !== null || end === 0) return null;
  try {
    const first: unknown = JSON.parse(text.slice(0, end));
    const isHeader =
      typeof first === "object" && first !== null && "type" in first && first.type === "session";
    return isHeader ? text.slice(end) : null;
  } catch {
    return null;
  }
};

/**
 * A session file that was brought in: kept byte for byte, under its own id where that is free. An older version, or a file
 * without its header in the first line, becomes a version 3 copy. Throws `not_a_session` when it is none.
 */
export const importedCopy = async (process: ProcessParts, text: string): Promise<StoredSession> => {
  const parsed = parseJsonl(new TextEncoder().encode(text));
  if (!parsed) throw new ProblemError("not_a_session", "This file is no session: it has no session header.");
  const time = process.now();
  const fresh: SessionHeader = { ...parsed.header, version: CURRENT_VERSION, id: uuidV7(time) };
  const body = bodyOf(text, parsed.readOnly);
  if (body === null) {
    const entries = parsed.rows.flatMap(({ id }) => parsed.read(id) ?? []);
    return process.store.create(fresh, entries);
  }
  const taken = (await process.store.list()).some(({ id }) => String(id) === parsed.header.id);
  if (!taken && isPlainId(parsed.header.id)) return process.store.createFrom(parsed.header, text);
  return process.store.createFrom(fresh, serializeHeader(fresh) + body);
};

/** An id that can name a file, by pi's rule. */
const isPlainId = (id: string): boolean => /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(id);

const labelsOf = async (runtime: SessionRuntime): Promise<EntryOf<"label">[]> => {
  const { journal } = runtime;
  const held = await journal.read(holdingLabels(journal.state.tree));
  return held.flatMap((entry) => {
    const known = asKnown(entry);
    return known?.type === "label" ? [known] : [];
  });
};

/** A path into a new file. An empty one (before the first message) makes a session that has no file yet: null. */
const pathCopy = async (
  runtime: SessionRuntime,
  leaf: EntryId | null,
  cwd?: string,
): Promise<StoredSession | null> => {
  const { journal, process } = runtime;
  if (leaf === null || !journal.stored) return null;
  const time = process.now();
  const stamp = {
    id: uuidV7(time),
    time,
    parentSession: journal.stored.path,
    ...(cwd === undefined ? {} : { cwd }),
  };
  const { header, entries } = forkPath(
    journal.header,
    await runtime.path(leaf),
    await labelsOf(runtime),
    stamp,
  );
  const named = nameEntry(journal.state.tree.name, entries, time);
  return process.store.create(header, [...entries, ...named]);
};

/** The source's name at the copy's end: names hang beside the path, so the path alone does not bring it along. */
const nameEntry = (name: string | undefined, entries: readonly AnyEntry[], time: number): AnyEntry[] => {
  const has = entries.some(
    (entry) => entry.type === "session_info" && "name" in entry && entry.name === name,
  );
  if (name === undefined || has) return [];
  const taken = new Set(entries.map(({ id }) => id));
  const place = { id: newEntryId((id) => taken.has(id)), parentId: entries.at(-1)?.id ?? null, time };
  return [makeEntry({ type: "session_info", name }, place)];
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
    case "save_copy":
      return movedCopy(runtime, runtime.journal.header.cwd);
    case "fork": {
      const row = tree.get(command.entryId);
      if (!row) throw new ProblemError("not_found", `Entry ${command.entryId} is not in this session.`);
      const leaf = command.position === "before" ? row.parentId : row.id;
      return pathCopy(runtime, (await landing(runtime, leaf)).leaf, command.cwd);
    }
  }
};
