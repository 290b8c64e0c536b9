import { randomBytes } from "node:crypto";
import type { EventFrame, ServerEvent, SessionEvent, SessionId } from "@espalier/protocol";

/** What a reconnecting page can be given again: this many events, or this many characters of them. */
const RING_EVENTS = 8192;
const RING_CHARACTERS = 16 * 1024 * 1024;

interface Kept {
  readonly frame: EventFrame;
  readonly json: string;
}

/**
 * Everything that happened since the server started, in one numbered line. The writer never waits: readers keep a place
 * (`seq`) and read on at their own speed; what fell out of the ring they replace by a snapshot.
 */
export class EventLog {
  /** Changes with every launch: an id of another epoch can not be continued. */
  readonly epoch: string = randomBytes(6).toString("hex");
  #seq = 0;
  #first = 1;
  #characters = 0;
  #ring: Kept[] = [];
  readonly #revs = new Map<SessionId, number>();
  readonly #wakers = new Set<() => void>();
  readonly #followers = new Map<string, ReadonlySet<string> | null>();
  readonly #onFollow = new Set<() => void>();

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Events of this session so far. */
  rev(session: SessionId): number {
    return this.#revs.get(session) ?? 0;
  }

  append(session: SessionId, event: SessionEvent): number;
  append(session: null, event: ServerEvent): number;
  append(session: SessionId | null, event: SessionEvent | ServerEvent): number {
    const rev = session === null ? 0 : this.rev(session) + 1;
    if (session !== null) this.#revs.set(session, rev);
    this.#seq += 1;
    const frame: EventFrame = { seq: this.#seq, session, rev, event };
    const kept = { frame, json: JSON.stringify(frame) };
    this.#ring.push(kept);
    this.#characters += kept.json.length;
    this.#trim();
    for (const wake of this.#wakers) wake();
    return this.#seq;
  }

  /** Events after `seq`, at most `limit`, with their JSON; null when some of them are gone. */
  after(seq: number, limit: number): readonly Kept[] | null {
    if (seq + 1 < this.#first || seq > this.#seq) return null;
    const at = seq + 1 - this.#first;
    return this.#ring.slice(at, at + limit);
  }

  /** Says which sessions a reader wants to hear of (null: all), or that it is gone (undefined). */
  follow(reader: string, sessions: ReadonlySet<string> | null | undefined): void {
    if (sessions === undefined) this.#followers.delete(reader);
    else this.#followers.set(reader, sessions);
    for (const tell of this.#onFollow) tell();
  }

  /** Whether any reader wants to hear of this session. */
  isFollowed(session: SessionId): boolean {
    return [...this.#followers.values()].some((wanted) => wanted === null || wanted.has(session));
  }

  /** Calls back when readers come, go or change their minds; returns the undo. */
  onFollow(listener: () => void): () => void {
    this.#onFollow.add(listener);
    return () => this.#onFollow.delete(listener);
  }

  /** Resolves at the next event, or when `signal` aborts, or after `ms`. */
  next(signal: AbortSignal, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wakers.add(done);
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }

  #trim(): void {
    let drop = 0;
    while (
      this.#ring.length - drop > 1 &&
      (this.#ring.length - drop > RING_EVENTS || this.#characters > RING_CHARACTERS)
    ) {
      this.#characters -= this.#ring[drop]?.json.length ?? 0;
      drop += 1;
    }
    // Dropping one by one would move the whole ring for every event.
    if (drop === 0) return;
    this.#ring = this.#ring.slice(drop);
    this.#first += drop;
  }
}
