import {
  bareEntry,
  CallIndex,
  GrowingContext,
  leafThrough,
  PathItems,
  ProblemError,
  pathToLeaf,
  pointElsewhere,
  runAt,
  tokensOfWords,
} from "@espalier/core";
import type { ContextUse, EntryId, ModelRef, PathItem, PathWindow } from "@espalier/protocol";
import type { SessionJournal } from "./session-journal.ts";
import { entriesOfItems, wholeItems } from "./whole-items.ts";
import { wireItem } from "./wire-entry.ts";

const KEPT_PATHS = 4;
/** Entries below a kept path that are added to it; a path that differs by more is read anew. */
const MOST_GROWN = 256;
/** Entries whose bodies are in memory at one time while a path is read. */
const AT_ONCE = 200;

/** A path as it stood when it was asked for. Never changes. */
export interface KnownPath {
  /** Items without their words. */
  readonly items: readonly PathItem[];
  readonly model: ModelRef | null;
  /** As the path names it; null when nothing was set. */
  readonly thinkingLevel: string | null;
  /** What its context takes up; `window` is 0. */
  readonly use: ContextUse;
}

/** What goes on growing below. */
interface Growth {
  readonly items: PathItems;
  context: GrowingContext;
}

interface Kept {
  readonly known: KnownPath;
  readonly growth: Growth;
}

const EMPTY: KnownPath = {
  items: [],
  model: null,
  thinkingLevel: null,
  use: new GrowingContext().use(0),
};

/**
 * Paths of one session, joined and counted, without their words: those are read for the part that somebody looks at. A path up to
 * an entry never changes, so a few are kept; one that grew is added to, at the cost of what is new.
 */
export class PathReader {
  readonly #journal: SessionJournal;
  readonly #kept = new Map<EntryId, Promise<Kept>>();
  readonly #calls = new CallIndex();
  #indexed = 0;
  #indexing: Promise<void> = Promise.resolve();

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

  /** Items `from` to `to` of the path to `leaf`, ready for the wire. Throws `not_found`. */
  async window(leaf: EntryId | null, from: number, to: number): Promise<PathWindow> {
    if (leaf !== null && !this.#journal.state.tree.has(leaf)) {
      throw new ProblemError("not_found", `Entry ${leaf} is not in this session.`);
    }
    const { items } = await this.known(leaf);
    const start = Math.max(0, Math.min(from, items.length));
    const shown = items.slice(start, Math.max(start, to));
    const whole = wholeItems(shown, await this.#journal.read(entriesOfItems(shown)));
    return {
      leafId: leaf,
      keys: items.map(({ id }) => id),
      from: start,
      items: (await this.#pointed(whole, leaf)).map(wireItem),
    };
  }

  /** The window that a page opens with: around `at`, or the last `limit` items. */
  async openAt(at: EntryId | undefined, limit: number): Promise<PathWindow> {
    const leaf = this.leafFor(at);
    const { items } = await this.known(leaf);
    const index = at === undefined ? -1 : itemIndexOf(items, at);
    const last = Math.max(0, items.length - limit);
    const from = index < 0 ? last : Math.min(last, Math.max(0, index - Math.floor(limit / 4)));
    return this.window(leaf, from, from + limit);
  }

  async known(leaf: EntryId | null): Promise<KnownPath> {
    if (leaf === null) return EMPTY;
    const kept = this.#kept.get(leaf);
    if (kept) return (await kept).known;
    const made = this.#make(leaf);
    this.#kept.set(leaf, made);
    made.catch(() => this.#kept.delete(leaf));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_PATHS && oldest !== undefined) this.#kept.delete(oldest);
    return (await made).known;
  }

  async #make(leaf: EntryId): Promise<Kept> {
    const { tree } = this.#journal.state;
    const { base, below } = this.#ancestor(leaf);
    const growth: Growth =
      base === null ? { items: new PathItems(), context: new GrowingContext() } : (await base).growth;
    const ids = base === null ? pathToLeaf(tree, leaf) : below;
    for (let at = 0; at < ids.length; at += AT_ONCE) await this.#grow(growth, ids.slice(at, at + AT_ONCE));
    const { items, context } = growth;
    const { model, thinkingLevel } = context;
    return { growth, known: { items: items.items, model, thinkingLevel, use: context.use(0) } };
  }

  async #grow(growth: Growth, ids: readonly EntryId[]): Promise<void> {
    const { tree } = this.#journal.state;
    for (const entry of await this.#journal.read(ids, "once")) {
      const bare = bareEntry(entry);
      if (!tree.isAside(entry.id)) growth.items.append(bare);
      // What hangs somewhere for the eye only begins a context anew, as in pi.
      if (tree.get(entry.id)?.flags?.includes("reattached")) growth.context = new GrowingContext();
      growth.context.append(bare, tokensOfWords(entry));
    }
  }

  /** The nearest path above that is kept, and what lies below its end. It is taken away: what grows belongs to one leaf. */
  #ancestor(leaf: EntryId): { base: Promise<Kept> | null; below: EntryId[] } {
    const { tree } = this.#journal.state;
    const below: EntryId[] = [];
    for (let at: EntryId | null = leaf; at !== null && below.length < MOST_GROWN; ) {
      const base = at === leaf ? undefined : this.#kept.get(at);
      if (base !== undefined) {
        this.#kept.delete(at);
        return { base, below: below.reverse() };
      }
      below.push(at);
      at = tree.get(at)?.parentId ?? null;
    }
    return { base: null, below: [] };
  }

  /** Broken groups with a pointer to their other half on another branch. A step that is being worked on is not broken. */
  async #pointed(items: readonly PathItem[], leaf: EntryId | null): Promise<readonly PathItem[]> {
    const { state } = this.#journal;
    if (runAt(state, leaf) !== null || !items.some(isBroken)) return items;
    const indexed = this.#indexing.then(() => this.#index());
    this.#indexing = indexed.catch(() => undefined);
    await indexed;
    return pointElsewhere(items, pathToLeaf(state.tree, leaf), this.#calls);
  }

  /** Takes in the calls and results that came since the last time. */
  async #index(): Promise<void> {
    const { rows } = this.#journal.state.tree;
    while (this.#indexed < rows.length) {
      const next = rows.slice(this.#indexed, this.#indexed + AT_ONCE);
      const told = next.filter(({ role }) => role === "toolResult" || role === "assistant");
      for (const entry of await this.#journal.read(
        told.map(({ id }) => id),
        "once",
      ))
        this.#calls.add(entry);
      this.#indexed += next.length;
    }
  }
}

const isBroken = (item: PathItem): boolean =>
  item.kind === "orphan" ||
  (item.kind === "step" && item.groups.some(({ kind }) => kind === "missing_results"));

const itemIndexOf = (items: readonly PathItem[], entry: EntryId): number =>
  items.findIndex(
    (item) =>
      item.id === entry ||
      (item.kind === "step" &&
        item.groups.some((group) => group.kind === "complete" && group.result.entryId === entry)),
  );
