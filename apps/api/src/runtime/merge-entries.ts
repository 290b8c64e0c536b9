import { type AnyEntry, asKnown, newEntryId, ProblemError, type SessionTree } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import type { Done } from "./session-commands.ts";
import type { SessionJournal } from "./session-journal.ts";

/** The same words, whatever order the keys came in. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, held: unknown) =>
    typeof held === "object" && held !== null && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );

const isSame = (a: AnyEntry, b: AnyEntry): boolean => canonical(a) === canonical(b);

/** What an entry points at, with ids that were drawn anew. */
const retargeted = (entry: AnyEntry, renamed: ReadonlyMap<string, EntryId>): AnyEntry => {
  const known = asKnown(entry);
  if (known === null || renamed.size === 0) return entry;
  const now = <Id extends string>(id: Id): Id | EntryId => renamed.get(id) ?? id;
  if (known.type === "label" || known.type === "context_edit")
    return { ...known, targetId: now(known.targetId) };
  if (known.type === "compaction") return { ...known, firstKeptEntryId: now(known.firstKeptEntryId) };
  return known.type === "branch_summary" ? { ...known, fromId: now(known.fromId) } : entry;
};

/**
 * Entries made elsewhere as they go into a session: those that are in it already are left out, an id that another entry has taken is
 * drawn anew with all that points to it. Throws `bad_command` for an entry whose parent is in neither.
 */
export const entriesToMerge = (
  tree: SessionTree,
  made: readonly AnyEntry[],
  present: ReadonlyMap<EntryId, AnyEntry>,
): AnyEntry[] => {
  const renamed = new Map<string, EntryId>();
  const fresh = new Set<EntryId>();
  const merged: AnyEntry[] = [];
  for (const entry of made) {
    const there = present.get(entry.id);
    if (there !== undefined && isSame(there, entry)) continue;
    const parentId = entry.parentId === null ? null : (renamed.get(entry.parentId) ?? entry.parentId);
    if (parentId !== null && !tree.has(parentId) && !fresh.has(parentId))
      throw new ProblemError(
        "bad_command",
        `Entry ${entry.id} hangs under ${parentId}, which this session does not have.`,
      );
    const isTaken = (id: EntryId): boolean => tree.has(id) || fresh.has(id);
    const id = isTaken(entry.id) ? newEntryId(isTaken) : entry.id;
    if (id !== entry.id) renamed.set(entry.id, id);
    fresh.add(id);
    const same = id === entry.id && parentId === entry.parentId;
    merged.push(retargeted(same ? entry : { ...entry, id, parentId }, renamed));
  }
  return merged;
};

/** Writes what is new among entries that were made while the server was away, in one write. Nothing is written when one is refused. */
export const mergeEntries = async (journal: SessionJournal, made: readonly AnyEntry[]): Promise<Done> => {
  const known = made.flatMap(({ id }) => (journal.state.tree.has(id) ? [id] : []));
  const present = new Map((await journal.read(known)).map((entry) => [entry.id, entry] as const));
  let count = 0;
  await journal.adopt((tree) => {
    const entries = entriesToMerge(tree, made, present);
    count = entries.length;
    return entries;
  });
  return { note: `${count} ${count === 1 ? "entry" : "entries"} merged.` };
};
