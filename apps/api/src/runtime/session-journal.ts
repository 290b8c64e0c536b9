import {
  type AnyEntry,
  applyEvent,
  emptyState,
  isAside,
  leafAtOpen,
  makeEntry,
  newEntryId,
  ProblemError,
  problemOf,
  type SessionState,
  type SessionStore,
  SessionTree,
  type StoredSession,
} from "@espalier/core";
import type {
  Entry,
  EntryDraft,
  EntryId,
  Row,
  RunId,
  SessionEvent,
  SessionEventOf,
  SessionHeader,
  SessionId,
} from "@espalier/protocol";
import type { ActiveRun } from "./active-run.ts";
import { DeltaJoiner } from "./delta-joiner.ts";
import type { EventLog } from "./event-log.ts";
import type { LocalState } from "./local-state.ts";
import { wireEntry } from "./wire-entry.ts";

/** Slices of rows that are completed before a session is first shown: some megabytes of its file. */
const FIRST_SLICES = 16;
/** Rows in one event, at least this many and a quarter of all: a page draws its tree anew after each. */
const TOLD_AT_ONCE = 5000;

export interface JournalParts {
  readonly store: SessionStore;
  readonly log: EventLog;
  readonly local: LocalState;
  readonly now: () => number;
  /** Read at every commit: when it says "entry", a commit returns with its entries on the disk itself. */
  readonly durability: () => "turn" | "step" | "entry";
}

export interface Place {
  /** The entry the drafts hang under; null makes a new root. */
  readonly parent: EntryId | null;
  readonly run?: RunId;
  readonly source: SessionEventOf<"entries">["source"];
}

/**
 * One session's facts: its file, its state, and the events that tell of it. `commit` is the only way anything gets into
 * the file, and the only place that knows the order: disk, then memory, then wire.
 */
export class SessionJournal {
  readonly id: SessionId;
  readonly header: SessionHeader;
  readonly #parts: JournalParts;
  readonly #joiner: DeltaJoiner;
  #stored: StoredSession | null;
  #state: SessionState;
  #queue: Promise<unknown> = Promise.resolve();
  /** Why the file is not what was read any more, or null. */
  #lost: string | null = null;
  /** Entries of writes that failed, by the drafts they were made of. */
  readonly #tried = new WeakMap<readonly EntryDraft[], { parent: EntryId | null; entries: Entry[] }>();
  /** Their ids: what is found of them in the file was written by nobody else. */
  readonly #ours = new Set<EntryId>();
  readonly #watchers = new Set<"followed" | "run">();
  #unwatch: (() => void) | null = null;
  /** A line was not what it seemed when the file was opened: it must be read again. */
  #misread = false;
  #looked = false;

  private constructor(
    id: SessionId,
    header: SessionHeader,
    stored: StoredSession | null,
    leaf: EntryId | null,
    parts: JournalParts,
  ) {
    this.id = id;
    this.header = header;
    this.#parts = parts;
    this.#stored = stored;
    this.#state = {
      ...emptyState(id, stored?.tree ?? new SessionTree(), leaf),
      rev: parts.log.rev(id),
      damage: [...(stored?.damage ?? [])],
    };
    this.#joiner = new DeltaJoiner((event) => this.#publish(event));
    if (stored) this.#follow(stored);
  }

  /** A session whose file appears with its first user message. */
  static fresh(id: SessionId, header: SessionHeader, parts: JournalParts): SessionJournal {
    return new SessionJournal(id, header, null, null, parts);
  }

  static async open(stored: StoredSession, parts: JournalParts): Promise<SessionJournal> {
    const leaf = (await parts.local.atRoot(stored.path)) ? null : leafAtOpen(stored.tree);
    return new SessionJournal(stored.id, stored.header, stored, leaf, parts);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Null until the file is there. */
  get stored(): StoredSession | null {
    return this.#stored;
  }

  /** Tells everybody. Never waits; pieces of text are joined on the way. */
  emit(event: SessionEvent): void {
    this.#joiner.push(event);
  }

  /** Number of the last event, with everything told so far in it. Who asks follows the session from there. */
  seq(): number {
    this.#looked = true;
    this.#joiner.flush();
    return this.#parts.log.seq;
  }

  /** Bodies in the order asked for; `once` says that nobody will soon ask for them again. */
  async read(ids: readonly EntryId[], once?: "once"): Promise<AnyEntry[]> {
    try {
      return this.#stored ? await this.#stored.read(ids, once) : [];
    } catch (error) {
      this.#misread ||= problemOf(error).code === "session_changed";
      throw error;
    }
  }

  /**
   * Completes the rows of a session that was opened by its lines' ends, and tells of them once somebody has looked. `soon` is
   * called when a small session is whole, or the newest part of a large one; what is left waits for `quiet` before every slice.
   * Rejects when a line is not what it seemed.
   */
  async fill(soon: () => void, quiet: () => Promise<void>): Promise<void> {
    let untold: Row[] = [];
    try {
      for (let slice = 1; ; slice += 1) {
        const rows = (await this.#stored?.fill()) ?? [];
        untold.push(...rows);
        const isDue = rows.length === 0 || untold.length >= Math.max(TOLD_AT_ONCE, this.#state.tree.size / 4);
        if (isDue && this.#looked && untold.length > 0) this.emit({ type: "rows", rows: untold });
        if (isDue || !this.#looked) untold = [];
        if (rows.length === 0) return;
        if (slice === FIRST_SLICES) soon();
        if (slice >= FIRST_SLICES) await quiet();
      }
    } catch (error) {
      this.#misread = true;
      throw error;
    } finally {
      soon();
    }
  }

  /** Takes in what other programs wrote since. False when the file was replaced, cut or taken away: see `tellLost`. */
  async refresh(): Promise<boolean> {
    try {
      await this.#stored?.refresh();
      this.#lost = null;
      this.#tellDamage();
    } catch (error) {
      const { code, message } = problemOf(error);
      // A disk that could not be read just now has lost nothing: what is known is shown, and the next look tries again.
      this.#lost = code === "session_changed" ? message : null;
    }
    return this.#lost === null && !this.#misread;
  }

  /** Says that the file is not what was read any more, if it is so. Told after a snapshot, so that its reader hears it. */
  tellLost(): void {
    if (this.#lost === null) return;
    this.emit({ type: "notice", level: "error", code: "session_changed", text: this.#lost });
  }

  async sync(): Promise<void> {
    await this.#stored?.sync();
  }

  /**
   * Writes drafts one under the other in one write and tells of them. Asides (labels, names, positions) hang at their
   * parent: the draft after them hangs there too, and the leaf does not move to them. Commits run one after another; a
   * failed one changes nothing and throws ProblemError.
   */
  commit(drafts: readonly EntryDraft[], place: Place): Promise<Entry[]> {
    return this.#inTurn(() => this.#commit(drafts, place));
  }

  /**
   * Writes under the run's tip, or `under` another place, and moves the tip there. It is read when the write's turn comes: results
   * arrive side by side.
   */
  commitFor(run: ActiveRun, drafts: readonly EntryDraft[], under?: EntryId | null): Promise<Entry[]> {
    return this.#inTurn(async () => {
      const parent = under === undefined ? run.tip : under;
      const entries = await this.#commit(drafts, { parent, run: run.id, source: "run" });
      run.grow(entries, (id) => this.#state.tree.isAside(id));
      return entries;
    });
  }

  /** Writes entries as they are, in one write; `make` says which, once it is their turn. Our place is kept. */
  adopt(make: (tree: SessionTree) => readonly AnyEntry[]): Promise<void> {
    return this.#inTurn(async () => {
      const stored = this.#stored;
      if (!stored) throw new ProblemError("nothing_to_do", "The session has no file yet.");
      const entries = make(stored.tree);
      if (entries.length === 0) return;
      await stored.append(entries);
      const event = this.#entriesEvent(entries, undefined, "foreign");
      this.emit(event.type === "entries" ? { ...event, source: "command" } : event);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#queue.then(work);
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Moves the leaf in memory and on the wire, where no file has to know. */
  moveLeaf(leafId: EntryId | null): void {
    if (leafId !== this.#state.leafId) this.emit({ type: "leaf", leafId });
  }

  /** Moves the leaf, once the file says so too. Throws ProblemError with the leaf where it was. */
  goTo(leafId: EntryId | null): Promise<void> {
    return this.#inTurn(async () => {
      await this.#rememberPlace(leafId);
      this.moveLeaf(leafId);
    });
  }

  /**
   * Writes where the session stands, unless its last line says so already, so that other programs reopen it there too. In turn
   * with the commits: between a write and its event the leaf is not where the file says.
   */
  rememberPlace(): Promise<void> {
    return this.#inTurn(() => this.#rememberPlace(this.#state.leafId));
  }

  /** The place before the root has no entry to hang a note on: the data dir keeps it. */
  async #rememberPlace(leafId: EntryId | null): Promise<void> {
    const stored = this.#stored;
    if (!stored || stored.readOnly !== null) return;
    if (leafId === null) return this.#parts.local.setAtRoot(stored.path, true);
    if (await this.#parts.local.atRoot(stored.path)) await this.#parts.local.setAtRoot(stored.path, false);
    if (leafAtOpen(stored.tree) === leafId) return;
    const position: EntryDraft = {
      type: "custom",
      customType: "espalier.position",
      data: { v: 1, at: leafId },
    };
    await this.#commit([position], { parent: leafId, source: "command" });
  }

  /** Looks out for nobody any more. */
  rest(): void {
    this.#watchers.clear();
    this.#watchNow();
  }

  async close(): Promise<void> {
    this.rest();
    this.#joiner.flush();
    await this.#queue;
    await this.#stored?.close();
  }

  async #commit(drafts: readonly EntryDraft[], { parent, run, source }: Place): Promise<Entry[]> {
    if (drafts.length === 0) return [];
    const entries = this.#stored
      ? await this.#append(this.#stored, drafts, parent)
      : await this.#create(this.#chain(drafts, parent));
    await this.#leaveRoot(entries);
    this.emit(this.#entriesEvent(entries, run, source));
    return entries;
  }

  /** Another program may have taken one of our ids since we drew it: then new ones are drawn, once. */
  async #append(
    stored: StoredSession,
    drafts: readonly EntryDraft[],
    parent: EntryId | null,
  ): Promise<Entry[]> {
    const write = async (): Promise<Entry[]> => {
      const entries = this.#chain(drafts, parent);
      try {
        await stored.append(entries);
        await this.#settleEntry(stored);
      } catch (error) {
        // Another try with the same drafts writes only what is not in the file by now.
        this.#tried.set(drafts, { parent, entries });
        for (const { id } of entries) this.#ours.add(id);
        // Written, but not known to be safe: it is in the file, so it is shown.
        const there = entries.filter(({ id }) => stored.tree.has(id));
        if (there.length > 0 && problemOf(error).code !== "conflict")
          this.emit(this.#entriesEvent(there, undefined, "foreign"));
        throw error;
      }
      return entries;
    };
    const written =
      (await this.#completeTried(stored, drafts, parent)) ??
      (await write().catch((error: unknown) => {
        if (problemOf(error).code !== "conflict") throw error;
        return write();
      }));
    this.#tried.delete(drafts);
    this.#tellDamage();
    return written;
  }

  /** Writes the rest of a write that failed, when a part of it reached the file and nothing has changed its place. */
  async #completeTried(
    stored: StoredSession,
    drafts: readonly EntryDraft[],
    parent: EntryId | null,
  ): Promise<Entry[] | null> {
    const tried = this.#tried.get(drafts);
    if (tried === undefined || tried.parent !== parent) return null;
    await stored.refresh();
    const missing = tried.entries.filter(({ id }) => !stored.tree.has(id));
    if (missing.length === tried.entries.length) return null;
    await stored.append(missing);
    await this.#settleEntry(stored);
    return tried.entries;
  }

  async #settleEntry(stored: StoredSession): Promise<void> {
    if (this.#parts.durability() === "entry") await stored.sync();
  }

  /** Lines of others that are no entries are found while we append or look. */
  #tellDamage(): void {
    const damage = this.#stored?.damage ?? [];
    const known = this.#state.damage;
    if (damage.length === known.length && damage.every((one, at) => one === known[at])) return;
    this.emit({ type: "damage", damage: [...damage] });
  }

  #chain(drafts: readonly EntryDraft[], parent: EntryId | null): Entry[] {
    const time = this.#parts.now();
    const made = new Set<EntryId>();
    let under = parent;
    return drafts.map((draft) => {
      const id = newEntryId((taken) => made.has(taken) || this.#state.tree.has(taken));
      made.add(id);
      const entry = makeEntry(draft, { id, parentId: under, time });
      if (!isAside(entry)) under = id;
      return entry;
    });
  }

  async #create(entries: Entry[]): Promise<Entry[]> {
    const begins = entries.some(({ type }) => type === "message");
    if (!begins)
      throw new ProblemError(
        "nothing_to_do",
        "The session is empty: its file appears with the first message.",
      );
    const stored = await this.#parts.store.create(this.header, entries);
    this.#stored = stored;
    this.#state = { ...this.#state, tree: stored.tree, treeVersion: stored.tree.version };
    this.#follow(stored);
    this.#watchNow();
    this.#parts.log.append(null, { type: "sessions_changed" });
    return entries;
  }

  async #leaveRoot(entries: readonly Entry[]): Promise<void> {
    const { leafId } = this.#state;
    if (leafId === null && this.#stored && entries.some((entry) => !isAside(entry))) {
      if (await this.#parts.local.atRoot(this.#stored.path))
        await this.#parts.local.setAtRoot(this.#stored.path, false);
    }
  }

  #entriesEvent(entries: readonly AnyEntry[], run: RunId | undefined, source: Place["source"]): SessionEvent {
    const tree = this.#stored?.tree ?? this.#state.tree;
    const rows = entries.flatMap(({ id }) => tree.get(id) ?? []);
    const tip = entries.findLast(({ id }) => !tree.isAside(id));
    const first = entries.find(({ id }) => !tree.isAside(id));
    const known = this.#state.runs.get(run as RunId);
    // A run moves the leaf only while somebody stands at its tip; a command moves it always.
    const follows = run === undefined || known === undefined || known.tip === this.#state.leafId;
    const leafId = tip && follows && first && source !== "foreign" ? tip.id : this.#state.leafId;
    return {
      type: "entries",
      rows,
      entries: entries.map(wireEntry),
      leafId,
      source,
      ...(run === undefined ? {} : { run }),
    };
  }

  /** Entries that another program wrote are shown; our place stays ours. */
  #follow(stored: StoredSession): void {
    stored.onForeign((entries) => {
      this.emit(this.#entriesEvent(entries, undefined, "foreign"));
      const count = entries.filter(({ id }) => !this.#ours.has(id)).length;
      if (count === 0) return;
      this.emit({
        type: "notice",
        level: "info",
        code: "foreign_entries",
        text: `${count} new ${count === 1 ? "entry" : "entries"} written by another program.`,
      });
    });
  }

  /** Looks out for other programs while there is a reason to: somebody follows the session, or a run works on it. */
  watch(reason: "followed" | "run", on: boolean): void {
    if (on) this.#watchers.add(reason);
    else this.#watchers.delete(reason);
    this.#watchNow();
  }

  #watchNow(): void {
    const wanted = this.#watchers.size > 0 && this.#stored !== null;
    if (wanted) this.#unwatch ??= this.#stored?.watch?.(() => void this.#look()) ?? null;
    else this.#unwatch?.();
    if (!wanted) this.#unwatch = null;
  }

  async #look(): Promise<void> {
    const before = this.#lost;
    if (!(await this.refresh()) && this.#lost !== before) this.tellLost();
  }

  #publish(event: SessionEvent): void {
    this.#state = applyEvent(this.#state, event);
    this.#parts.log.append(this.id, event);
  }
}
