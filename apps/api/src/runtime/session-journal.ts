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
  RunId,
  SessionEvent,
  SessionEventOf,
  SessionHeader,
  SessionId,
} from "@espalier/protocol";
import { DeltaJoiner } from "./delta-joiner.ts";
import type { EventLog } from "./event-log.ts";
import type { LocalState } from "./local-state.ts";
import { wireEntry } from "./wire-entry.ts";

export interface JournalParts {
  readonly store: SessionStore;
  readonly log: EventLog;
  readonly local: LocalState;
  readonly now: () => number;
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
      damage: stored?.damage ?? [],
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

  /** Number of the last event, with everything told so far in it. */
  seq(): number {
    this.#joiner.flush();
    return this.#parts.log.seq;
  }

  /** Bodies in the order asked for. */
  read(ids: readonly EntryId[]): Promise<AnyEntry[]> {
    return this.#stored ? this.#stored.read(ids) : Promise.resolve([]);
  }

  /** Takes in what other programs wrote since. A file that was replaced or cut is told of, and shown as it was. */
  async refresh(): Promise<void> {
    try {
      await this.#stored?.refresh();
    } catch (error) {
      const { message } = problemOf(error);
      const told = this.#state.notices.some(({ text }) => text === message);
      if (!told) this.emit({ type: "notice", level: "error", code: "session_changed", text: message });
    }
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
    const done = this.#queue.then(() => this.#commit(drafts, place));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Moves the leaf in memory and on the wire. `place` is remembered on disk by `rememberPlace`. */
  moveLeaf(leafId: EntryId | null): void {
    if (leafId !== this.#state.leafId) this.emit({ type: "leaf", leafId });
  }

  /**
   * Writes where the session stands, unless its last line says so already, so that other programs reopen it there too. The
   * place before the root has no entry to hang a note on: the data dir keeps it.
   */
  async rememberPlace(): Promise<void> {
    const stored = this.#stored;
    const { leafId } = this.#state;
    if (!stored || stored.readOnly !== null) return;
    if (leafId === null) return this.#parts.local.setAtRoot(stored.path, true);
    if (leafAtOpen(stored.tree) === leafId) return;
    const position: EntryDraft = {
      type: "custom",
      customType: "espalier.position",
      data: { v: 1, at: leafId },
    };
    await this.commit([position], { parent: leafId, source: "command" });
  }

  async close(): Promise<void> {
    this.#joiner.flush();
    await this.#queue;
    await this.#stored?.close();
  }

  async #commit(drafts: readonly EntryDraft[], { parent, run, source }: Place): Promise<Entry[]> {
    const entries = this.#chain(drafts, parent);
    if (entries.length === 0) return [];
    if (this.#stored) await this.#stored.append(entries);
    else await this.#create(entries);
    await this.#leaveRoot(entries);
    this.emit(this.#entriesEvent(entries, run, source));
    return entries;
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

  async #create(entries: readonly Entry[]): Promise<void> {
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
    this.#parts.log.append(null, { type: "sessions_changed" });
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
      this.emit({
        type: "notice",
        level: "info",
        code: "foreign_entries",
        text: `${entries.length} new ${entries.length === 1 ? "entry" : "entries"} written by another program.`,
      });
    });
  }

  #publish(event: SessionEvent): void {
    this.#state = applyEvent(this.#state, event);
    this.#parts.log.append(this.id, event);
  }
}
