import {
  type AnyEntry,
  CallIndex,
  leafThrough,
  PathItems,
  ProblemError,
  pathToLeaf,
  pointElsewhere,
} from "@espalier/core";
import type { EntryId, PathItem, PathWindow } from "@espalier/protocol";
import type { SessionJournal } from "./session-journal.ts";
import { wireItem } from "./wire-entry.ts";

const KEPT_PATHS = 4;
/** Entries below a kept path that are added to it; a path that differs by more is read anew. */
const MOST_GROWN = 256;

interface JoinedPath {
  readonly entries: readonly AnyEntry[];
  readonly items: readonly PathItem[];
}

/** Reads and joins paths of one session. A path up to an entry never changes, so a few of them are kept. */
export class PathReader {
  readonly #journal: SessionJournal;
  readonly #kept = new Map<EntryId, Promise<JoinedPath>>();

  constructor(journal: SessionJournal) {
    this.#journal = journal;
  }

  /** The leaf that a reader of `at` sees; without `at` the session's own. Throws `not_found`. */
  leafFor(at: EntryId | undefined): EntryId | null {
    const { tree, leafId } = this.#journal.state;
    if (at === undefined) return leafId;
    if (!tree.has(at)) throw new ProblemError("not_found", `Entry ${at} is not in this session.`);
    return leafThrough(tree, at, leafId);
  }

  /** Items `from` to `to` of the path to `leaf`, ready for the wire. */
  async window(leaf: EntryId | null, from: number, to: number): Promise<PathWindow> {
    if (leaf !== null && !this.#journal.state.tree.has(leaf)) {
      throw new ProblemError("not_found", `Entry ${leaf} is not in this session.`);
    }
    const { items } = await this.joined(leaf);
    const start = Math.max(0, Math.min(from, items.length));
    return {
      leafId: leaf,
      keys: items.map(({ id }) => id),
      from: start,
      items: items.slice(start, Math.max(start, to)).map(wireItem),
    };
  }

  /** The window that a page opens with: around `at`, or the last `limit` items. */
  async openAt(at: EntryId | undefined, limit: number): Promise<PathWindow> {
    const leaf = this.leafFor(at);
    const { items } = await this.joined(leaf);
    const index = at === undefined ? -1 : itemIndexOf(items, at);
    const last = Math.max(0, items.length - limit);
    const from = index < 0 ? last : Math.min(last, Math.max(0, index - Math.floor(limit / 4)));
    return this.window(leaf, from, from + limit);
  }

  joined(leaf: EntryId | null): Promise<JoinedPath> {
    if (leaf === null) return Promise.resolve({ entries: [], items: [] });
    const kept = this.#kept.get(leaf);
    if (kept) return kept;
    const made = this.#join(leaf);
    this.#kept.set(leaf, made);
    made.catch(() => this.#kept.delete(leaf));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_PATHS && oldest !== undefined) this.#kept.delete(oldest);
    return made;
  }

  async #join(leaf: EntryId): Promise<JoinedPath> {
    const { tree } = this.#journal.state;
    const { base, below } = this.#ancestor(leaf);
    const known = base === null ? null : await base;
    const more = await this.#journal.read(
      (known === null ? pathToLeaf(tree, leaf) : below).filter((id) => !tree.isAside(id)),
    );
    const path = PathItems.resume(known?.items ?? []);
    for (const entry of more) path.append(entry);
    const { items } = path;
    const entries = [...(known?.entries ?? []), ...more];
    const ids = entries.map(({ id }) => id);
    return { entries, items: broken(items) ? pointElsewhere(items, ids, await this.#calls()) : items };
  }

  /** The nearest path above that is kept, and what lies below its end: a path that grew by a few entries is not read anew. */
  #ancestor(leaf: EntryId): { base: Promise<JoinedPath> | null; below: EntryId[] } {
    const { tree } = this.#journal.state;
    const below: EntryId[] = [];
    for (let at: EntryId | null = leaf; at !== null && below.length < MOST_GROWN; ) {
      const base = at === leaf ? undefined : this.#kept.get(at);
      if (base !== undefined) return { base, below: below.reverse() };
      below.push(at);
      at = tree.get(at)?.parentId ?? null;
    }
    return { base: null, below: [] };
  }

  /** All calls and results of the session: read only when a path has a broken group whose other half may be elsewhere. */
  async #calls(): Promise<CallIndex> {
    const { tree } = this.#journal.state;
    const told = tree.rows.filter(({ role, flags }) => role === "toolResult" || flags?.includes("calls"));
    const index = new CallIndex();
    for (const entry of await this.#journal.read(told.map(({ id }) => id))) index.add(entry);
    return index;
  }
}

const broken = (items: readonly PathItem[]): boolean =>
  items.some(
    (item) =>
      item.kind === "orphan" ||
      (item.kind === "step" && item.groups.some(({ kind }) => kind === "missing_results")),
  );

const itemIndexOf = (items: readonly PathItem[], entry: EntryId): number =>
  items.findIndex(
    (item) =>
      item.id === entry ||
      (item.kind === "step" &&
        item.groups.some((group) => group.kind === "complete" && group.result.entryId === entry)),
  );
