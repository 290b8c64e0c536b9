import { resolve } from "node:path";
import {
  type AnyEntry,
  CURRENT_VERSION,
  copyForWriting,
  forkPath,
  holdingLabels,
  holdingOutcomes,
  makeEntry,
  newEntryId,
  ProblemError,
  parseJsonl,
  rowOf,
  type StoredSession,
  serializeHeader,
} from "@espalier/core";
import type { Command, EntryId, Row, SessionHeader } from "@espalier/protocol";
import { landing } from "./landing.ts";
import { repairedCopy } from "./repaired-copy.ts";
import type { ProcessParts } from "./runtime-parts.ts";
import type { AcrossSessions } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { uuidV7 } from "./uuid-v7.ts";
import { isFolder } from "./workspace.ts";

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

/** Labels and outcome marks that hold now. */
const marksOf = ({ journal }: SessionRuntime): Promise<AnyEntry[]> => {
  const { tree } = journal.state;
  return journal.read([...holdingLabels(tree), ...holdingOutcomes(tree)]);
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
    await marksOf(runtime),
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

/** Entries read at once when some of them may not be readable. */
const AT_ONCE = 64;

/** Whether a body is of this row: what another program put in its place may well be an entry. */
const isOf = (entry: AnyEntry, row: Row): boolean => {
  const now = rowOf(entry);
  return now.type === row.type && now.time === row.time && (row.line === undefined || now.line === row.line);
};

/** All entries whose bodies can still be read, in file order. */
const readable = async (stored: StoredSession): Promise<Map<EntryId, AnyEntry>> => {
  const found = new Map<EntryId, AnyEntry>();
  const read = async (rows: readonly Row[]): Promise<void> => {
    try {
      const entries = await stored.read(rows.map(({ id }) => id));
      rows.forEach((row, at) => {
        const entry = entries[at];
        if (entry !== undefined && isOf(entry, row)) found.set(row.id, entry);
      });
    } catch {
      // One by one: what cannot be read must not take its neighbours along.
      if (rows.length > 1) for (const row of rows) await read([row]);
    }
  };
  const { rows } = stored.tree;
  for (let at = 0; at < rows.length; at += AT_ONCE) await read(rows.slice(at, at + AT_ONCE));
  return found;
};

/**
 * Everything that can still be read of a session, all branches, as a new one; below an entry that cannot, the rest hangs at the nearest
 * one that can. The note counts what is missing.
 */
export const savedCopy = async (
  runtime: SessionRuntime,
): Promise<{ stored: StoredSession; note: string | null }> => {
  const { journal, process } = runtime;
  const source = journal.stored;
  if (!source) throw new ProblemError("nothing_to_do", "This session has no file yet.");
  const found = await readable(source);
  if (found.size === 0)
    throw new ProblemError("io", `Nothing of ${source.path} can be read any more, so nothing was saved.`);
  const { tree } = source;
  const hung = tree.rows.flatMap((row) => {
    const entry = found.get(row.id);
    if (entry === undefined) return [];
    let parentId = row.parentId;
    while (parentId !== null && !found.has(parentId)) parentId = tree.get(parentId)?.parentId ?? null;
    return [entry.parentId === parentId ? entry : { ...entry, parentId }];
  });
  const time = process.now();
  const stamp = { id: uuidV7(time), time, parentSession: source.path, cwd: journal.header.cwd };
  const { header, entries } = copyForWriting(journal.header, hung, stamp);
  const lost = tree.rows.length - found.size;
  const note = `${lost} of ${tree.rows.length} entries could not be read any more and are not in the copy.`;
  return { stored: await process.store.create(header, entries), note: lost === 0 ? null : note };
};

/** The folder a fork is to work in, as a whole path. Throws `folder_missing` when there is none. */
const forkFolder = async (runtime: SessionRuntime, wanted: string): Promise<string> => {
  const folder = resolve(runtime.workspace.cwd, wanted);
  if (await isFolder(folder)) return folder;
  throw new ProblemError("folder_missing", `There is no folder ${folder}: name one that is there.`);
};

/** The new session of a fork, a clone or a move to `cwd`; null when it would be empty. The source is not touched. */
export const copyFor = async (
  runtime: SessionRuntime,
  command: Copying,
  cwd: string,
): Promise<StoredSession | null> => {
  const { journal, process } = runtime;
  const { tree, leafId } = journal.state;
  switch (command.type) {
    case "clone":
      return pathCopy(runtime, leafId);
    case "folder":
      return movedCopy(runtime, cwd);
    case "save_copy":
      return (await savedCopy(runtime)).stored;
    case "repair":
      return repairedCopy(process, journal);
    case "fork": {
      const row = tree.get(command.entryId);
      if (!row) throw new ProblemError("not_found", `Entry ${command.entryId} is not in this session.`);
      const leaf = command.position === "before" ? row.parentId : row.id;
      const folder = command.cwd === undefined ? undefined : await forkFolder(runtime, command.cwd);
      return pathCopy(runtime, (await landing(runtime, leaf)).leaf, folder);
    }
  }
};
