import {
  applyEvent,
  isOpen,
  leafThrough,
  problemOf,
  type SessionState,
  stateOfSnapshot,
} from "@espalier/core";
import type {
  Command,
  CommandAnswer,
  CommandId,
  EntryId,
  Problem,
  SessionEvent,
  SessionId,
  Snapshot,
} from "@espalier/protocol";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ApiClient } from "../client/api-client.ts";
import type { StreamFrame } from "../client/event-stream.ts";
import { cutView, emptyView, extendView, holdsEnd, mergeWindow, type PathView, viewOf } from "./path-view.ts";
import { factsAfter, factsOf, type SessionFacts } from "./session-facts.ts";

/** Items of a window: what is read first, and what is added at an edge. */
const WINDOW = 60;

export interface OpenSession {
  readonly id: SessionId;
  readonly phase: "loading" | "ready" | "failed";
  readonly problem: Problem | null;
  readonly session: SessionState | null;
  readonly facts: SessionFacts | null;
  readonly view: PathView;
  /** The entry the address names; null: the session's leaf is followed. */
  readonly at: EntryId | null;
  /** A window of the path is on its way. */
  readonly reading: boolean;
  /** Entries that another program wrote since the session was opened and nobody has looked at. */
  readonly foreign: number;
  /** The first of them. */
  readonly firstForeign: EntryId | null;
  /** Why the file on the disk is not what was read, until somebody has decided what to do about it. */
  readonly lost: string | null;
}

export type SessionStore = StoreApi<OpenSession>;

/** Model and thinking level for the next message; `window`: of the model, in tokens. */
export interface Choice extends Partial<Pick<SessionFacts, "model" | "thinkingLevel">> {
  readonly window?: number;
}

/** The calls of the API that a session needs. */
export interface SessionApi extends Pick<ApiClient, "snapshot" | "items" | "command"> {
  /** Whether the browser itself answers for a session, since the server is away: then no events tell of what was done. */
  readonly isLocal?: (id: SessionId) => boolean;
}

/** What a session needs of the event stream. */
export interface SessionFeed {
  readonly onFrames: (listener: (frames: readonly StreamFrame[]) => void) => () => void;
}

/** Calls `flush` once after a burst: before the next picture, or a quarter of a second later in a hidden page. */
export type Scheduler = (flush: () => void) => void;

export const pageScheduler: Scheduler = (flush) => {
  if (document.visibilityState === "visible") requestAnimationFrame(flush);
  else setTimeout(flush, 250);
};

/**
 * One session as this page shows it: core's reducer over the event stream, and the path that is read. Events older than the
 * snapshot are dropped; a gap in `rev` reads the snapshot again.
 */
export class SessionClient {
  readonly store: SessionStore;
  readonly #api: SessionApi;
  readonly #tellChoice: (choice: Choice) => void;
  readonly #schedule: Scheduler;
  readonly #stop: () => void;
  #pending: StreamFrame[] = [];
  #scheduled = false;
  #loading: Promise<void> | null = null;
  #turn = 0;
  #reads = 0;
  /** Texts that this tab put into a queue. */
  readonly #queued = new Set<string>();

  /** `tellChoice` hands what was chosen here to the other tabs. */
  constructor(
    id: SessionId,
    api: SessionApi,
    feed: SessionFeed,
    schedule: Scheduler,
    tellChoice: (choice: Choice) => void = () => undefined,
  ) {
    this.#api = api;
    this.#tellChoice = tellChoice;
    this.#schedule = schedule;
    this.store = createStore<OpenSession>(() => ({
      id,
      phase: "loading",
      problem: null,
      session: null,
      facts: null,
      view: emptyView,
      at: null,
      reading: false,
      foreign: 0,
      firstForeign: null,
      lost: null,
    }));
    this.#stop = feed.onFrames((frames) => this.#take(frames));
  }

  get #state(): OpenSession {
    return this.store.getState();
  }

  close(): void {
    this.#stop();
  }

  /** Reads the snapshot, around `at` or at the leaf. Several calls at once read once. */
  async load(at: EntryId | null = this.#state.at): Promise<void> {
    this.store.setState({ at });
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    try {
      this.#start(await this.#snapshot());
    } catch (error) {
      this.store.setState({ phase: "failed", problem: problemOf(error) });
    }
  }

  /** The snapshot around the entry that the address names; an entry that is not there (any more) means the leaf. */
  async #snapshot(): Promise<Snapshot> {
    const { id, at } = this.#state;
    if (at === null) return this.#api.snapshot(id);
    try {
      return await this.#api.snapshot(id, at);
    } catch (error) {
      if (problemOf(error).code !== "not_found") throw error;
      return this.#api.snapshot(id);
    }
  }

  #start(snapshot: Snapshot): void {
    const session = stateOfSnapshot(snapshot);
    this.store.setState({
      phase: "ready",
      problem: null,
      session,
      facts: factsOf(snapshot),
      view: viewOf({ ...snapshot, leafId: endOfPath(session, this.#state.at) }),
      reading: false,
    });
    this.#flush();
  }

  /** Reads the path through `at` (null: the session's leaf, followed from now on). Nothing is written. */
  async read(at: EntryId | null): Promise<void> {
    const { session, view } = this.#state;
    if (!session) return this.load(at);
    // What is still on its way was asked for by another address.
    this.#reads += 1;
    this.#turn += 1;
    this.store.setState({ at, reading: false });
    const leaf = endOfPath(session, at);
    if (leaf === null) {
      this.store.setState({ view: emptyView });
      return;
    }
    const known = leaf === view.leafId ? view.keys : null;
    const index = known && at !== null ? known.indexOf(at) : -1;
    const held = index >= view.from && index < view.from + view.items.length;
    if (known && (at === null ? holdsEnd(view) : held)) return;
    await this.#readWindow(leaf, at);
  }

  /** Adds items at one edge of what is held. */
  async extend(edge: "earlier" | "later"): Promise<void> {
    const { view, reading } = this.#state;
    if (reading || view.leafId === null) return;
    const end = view.from + view.items.length;
    const from = edge === "earlier" ? Math.max(0, view.from - WINDOW) : end;
    const to = edge === "earlier" ? view.from : Math.min(view.keys.length, end + WINDOW);
    if (from >= to) return;
    await this.#window(view.leafId, from, to, true);
  }

  async #readWindow(leaf: EntryId, at: EntryId | null): Promise<void> {
    this.#reads += 1;
    const read = this.#reads;
    // The server alone knows how many items the path has: its keys come first, then the part that is wanted.
    const keys = this.#state.view.leafId === leaf ? this.#state.view.keys : await this.#keysOf(leaf);
    // Another path was asked for meanwhile.
    if (keys === null || read !== this.#reads) return;
    const place = at === null ? keys.length : this.#placeOf(keys, at);
    const from = Math.max(0, Math.min(place - WINDOW / 2, keys.length - WINDOW));
    await this.#window(leaf, from, Math.min(keys.length, from + WINDOW), false);
  }

  async #keysOf(leaf: EntryId): Promise<readonly EntryId[] | null> {
    try {
      return (await this.#api.items(this.#state.id, leaf, 0, 0)).keys;
    } catch (error) {
      this.store.setState({ problem: problemOf(error) });
      return null;
    }
  }

  /** Index of the item that holds `at`: its own, or the nearest one above it. */
  #placeOf(keys: readonly EntryId[], at: EntryId): number {
    const tree = this.#state.session?.tree;
    const places = new Map(keys.map((key, index) => [key, index]));
    for (let id: EntryId | null = at; id !== null; id = tree?.get(id)?.parentId ?? null) {
      const place = places.get(id);
      if (place !== undefined) return place;
    }
    return keys.length;
  }

  async #window(leaf: EntryId, from: number, to: number, merge: boolean): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    this.store.setState({ reading: true });
    try {
      const window = await this.#api.items(this.#state.id, leaf, from, to);
      if (turn !== this.#turn) return;
      const { view } = this.#state;
      // The path may have grown while the answer was on its way: what arrived since is read again.
      if (merge && view.leafId === leaf)
        this.store.setState({ view: mergeWindow(view, window), reading: false });
      else if (!merge) this.store.setState({ view: viewOf(window), reading: false });
      else this.store.setState({ reading: false });
    } catch (error) {
      if (turn === this.#turn) this.store.setState({ reading: false, problem: problemOf(error) });
    }
  }

  /** Sends a command; a lost answer is asked for once more under the same id. Throws ProblemError. */
  async send(command: Command): Promise<CommandAnswer> {
    const named = { ...command, commandId: command.commandId ?? (crypto.randomUUID() as CommandId) };
    const once = () => this.#api.command(this.#state.id, named);
    const answer = await once().catch((error: unknown) => {
      if (problemOf(error).code !== "io") throw error;
      return once();
    });
    if (this.#api.isLocal?.(this.#state.id)) await this.load();
    if (command.type === "steer" || command.type === "follow_up") this.#queued.add(command.text);
    if (command.type === "queue_update" && command.text !== undefined) this.#queued.add(command.text);
    return answer;
  }

  /** Whether this tab queued one of these texts: they come back to where they were written. */
  hasQueued(texts: readonly string[]): boolean {
    return texts.some((text) => this.#queued.has(text));
  }

  /** What was chosen for the next message: it is written with that message, so no event tells of it, but each tab the others. */
  chose(choice: Choice): void {
    this.hearChoice(choice);
    this.#tellChoice(choice);
  }

  /** What was chosen in another tab. */
  hearChoice({ window, ...chosen }: Choice): void {
    const { facts } = this.#state;
    if (!facts) return;
    const context = window === undefined ? facts.context : { ...facts.context, window };
    this.store.setState({ facts: { ...facts, ...chosen, context } });
  }

  /** The session goes on in another file: its own is of an older version and stays as it is. */
  moveTo(id: SessionId): void {
    const { session } = this.#state;
    if (session) this.store.setState({ session: { ...session, movedTo: id } });
  }

  forgetForeign(): void {
    this.store.setState({ foreign: 0, firstForeign: null });
  }

  forgetLost(): void {
    this.store.setState({ lost: null });
  }

  #take(frames: readonly StreamFrame[]): void {
    for (const held of frames) {
      const { session, event } = held.frame;
      if (session === this.#state.id) {
        this.#pending.push(held);
        // The snapshot that follows is of another file and has no place for it.
        if (event.type === "notice" && event.code === "session_changed")
          this.store.setState({ lost: event.text });
      }
      if (event.type === "resync" || (event.type === "hello" && this.#isOtherServer(event.epoch)))
        void this.load();
    }
    if (this.#pending.length === 0 || this.#scheduled) return;
    this.#scheduled = true;
    this.#schedule(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #isOtherServer(epoch: string): boolean {
    const known = this.#state.facts?.epoch;
    return known !== undefined && known !== epoch;
  }

  #flush(): void {
    // Until the snapshot is there, events wait: those that are in it already are dropped by their `rev`.
    if (!this.#state.session || this.#loading) {
      if (this.#loading) void this.#loading.then(() => this.#flush());
      return;
    }
    const frames = this.#pending;
    this.#pending = [];
    let next = this.#state;
    for (const { frame } of frames) {
      const { session } = next;
      if (!session || frame.rev <= session.rev) continue;
      if (frame.rev !== session.rev + 1) {
        void this.load();
        return;
      }
      next = step(next, session, frame.event as SessionEvent);
    }
    if (next === this.#state) return;
    this.store.setState(next);
    this.#follow();
    if (frames.some(({ frame }) => needsCount(frame.event as SessionEvent))) void this.#recount();
  }

  /** Reads what is known of the session beside its entries; what is being read stays where it is. */
  async refreshFacts(): Promise<void> {
    try {
      const facts = factsOf(await this.#api.snapshot(this.#state.id, undefined, 0));
      this.store.setState({ facts });
    } catch (error) {
      this.store.setState({ problem: problemOf(error) });
    }
  }

  /** Reads how full the window is. */
  async #recount(): Promise<void> {
    const { id, session } = this.#state;
    if (!session) return;
    try {
      const { context } = await this.#api.snapshot(id, undefined, 0);
      const { facts } = this.#state;
      if (facts) this.store.setState({ facts: { ...facts, context } });
    } catch {
      // The sum of estimates stays; the next snapshot corrects it.
    }
  }

  /** When the leaf went elsewhere and is followed, reads the path that ends there. */
  #follow(): void {
    const { at, session, view } = this.#state;
    if (at !== null || !session || session.leafId === view.leafId) return;
    const cut = cutView(view, session.leafId);
    if (cut) this.store.setState({ view: cut });
    else if (session.leafId !== null) void this.#readWindow(session.leafId, null);
  }
}

/** Where the path ends that is read: the leaf, or the end of the branch that `at` lies on. An unknown `at` means the leaf. */
const endOfPath = (session: SessionState, at: EntryId | null): EntryId | null =>
  at !== null && session.tree.has(at) ? leafThrough(session.tree, at, session.leafId) : session.leafId;

/** Events after which the window's use cannot be told by adding up: a run's end, a compaction. */
const needsCount = (event: SessionEvent): boolean =>
  (event.type === "run" && !isOpen(event.run)) ||
  (event.type === "entries" &&
    event.rows.some((row) => row.type === "compaction" || row.type === "context_edit"));

const step = (open: OpenSession, before: SessionState, event: SessionEvent): OpenSession => {
  const session = applyEvent(before, event);
  const facts = open.facts && factsAfter(open.facts, event);
  if (event.type !== "entries") return { ...open, session, facts };
  const foreign = event.source === "foreign" ? event.rows.filter(({ id }) => !session.tree.isAside(id)) : [];
  return {
    ...open,
    session,
    facts,
    view: extendView(open.view, session.tree, event.entries),
    foreign: open.foreign + (event.source === "foreign" ? event.entries.length : 0),
    firstForeign: open.firstForeign ?? foreign[0]?.id ?? null,
  };
};
