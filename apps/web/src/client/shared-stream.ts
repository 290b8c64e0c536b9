import type { SessionId } from "@espalier/protocol";
import { EventStream, type StreamFrame, type StreamSource, type StreamStatus } from "./event-stream.ts";

/** What tabs tell each other. */
export type TabWord =
  /** From the reading tab: what arrived. */
  | { readonly kind: "frames"; readonly frames: readonly StreamFrame[] }
  | { readonly kind: "status"; readonly status: StreamStatus }
  /** From the reading tab: say what you want, I read from now on. */
  | { readonly kind: "ask" }
  | { readonly kind: "want"; readonly tab: string; readonly sessions: readonly SessionId[] }
  /** From the reading tab: the server knows what `tab` wants. */
  | { readonly kind: "heard"; readonly tab: string }
  | { readonly kind: "bye"; readonly tab: string };

/** A channel to the other tabs of this browser. */
export interface TabChannel {
  readonly post: (word: TabWord) => void;
  readonly listen: (listener: (word: TabWord) => void) => void;
  readonly close: () => void;
}

/** Calls `hold` when this tab may read the stream, and lets the next tab in when the promise it returns settles. */
export type TabLock = (hold: () => Promise<void>) => void;

export interface SharedStreamParts {
  readonly source: StreamSource;
  readonly channel: TabChannel;
  readonly lock: TabLock;
  readonly tab: string;
}

/** How long a tab waits for the reading tab's word that the server knows its wish; then it goes on without. */
const HEARD_MS = 2_000;

/**
 * One event stream per browser: the tab that holds the lock reads it and shares it, and the next tab takes over when that
 * one closes. Every tab says which sessions it shows.
 */
export class SharedStream {
  readonly #parts: SharedStreamParts;
  readonly #stream: EventStream;
  readonly #frameListeners = new Set<(frames: readonly StreamFrame[]) => void>();
  readonly #statusListeners = new Set<(status: StreamStatus) => void>();
  readonly #wants = new Map<string, readonly SessionId[]>();
  readonly #waiting = new Set<() => void>();
  #own: readonly SessionId[] = [];
  #begun = false;
  #reading = false;
  #lastId = "";
  #status: StreamStatus = "connecting";
  #release: () => void = () => undefined;

  constructor(parts: SharedStreamParts) {
    this.#parts = parts;
    this.#stream = new EventStream(parts.source, {
      frames: (frames) => {
        this.#deliver(frames);
        parts.channel.post({ kind: "frames", frames });
      },
      status: (status) => {
        this.#setStatus(status);
        parts.channel.post({ kind: "status", status });
      },
    });
    parts.channel.listen((word) => this.#hear(word));
  }

  /** Takes part from now on: reads the stream when its turn comes. Call it once the page has a key. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#parts.lock(() => this.#lead());
  }

  get status(): StreamStatus {
    return this.#status;
  }

  /** Calls `listener` with all frames of this browser's stream; returns how to stop. */
  onFrames(listener: (frames: readonly StreamFrame[]) => void): () => void {
    this.#frameListeners.add(listener);
    return () => this.#frameListeners.delete(listener);
  }

  onStatus(listener: (status: StreamStatus) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  /** The sessions this tab shows; resolves when the server knows, so that a snapshot read after it misses nothing. */
  async show(sessions: readonly SessionId[]): Promise<void> {
    this.#own = sessions;
    this.#wants.set(this.#parts.tab, sessions);
    if (this.#reading) return this.#stream.setSessions(this.#union());
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, HEARD_MS);
      this.#waiting.add(done);
      this.#parts.channel.post({ kind: "want", tab: this.#parts.tab, sessions });
    });
  }

  wake(): void {
    if (this.#reading) this.#stream.wake();
  }

  close(): void {
    this.#stream.stop();
    this.#parts.channel.post({ kind: "bye", tab: this.#parts.tab });
    this.#parts.channel.close();
    this.#release();
  }

  #lead(): Promise<void> {
    this.#reading = true;
    this.#parts.channel.post({ kind: "ask" });
    void this.#stream.setSessions(this.#union());
    this.#stream.start(this.#lastId);
    for (const done of [...this.#waiting]) done();
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  #union(): SessionId[] {
    return [...new Set([...this.#wants.values()].flat())];
  }

  #deliver(frames: readonly StreamFrame[]): void {
    const last = frames.at(-1);
    if (last && last.id !== "") this.#lastId = last.id;
    for (const listener of this.#frameListeners) listener(frames);
  }

  #setStatus(status: StreamStatus): void {
    this.#status = status;
    for (const listener of this.#statusListeners) listener(status);
  }

  #hear(word: TabWord): void {
    switch (word.kind) {
      case "frames":
        if (!this.#reading) this.#deliver(word.frames);
        return;
      case "status":
        if (!this.#reading) this.#setStatus(word.status);
        return;
      case "ask":
        this.#parts.channel.post({ kind: "want", tab: this.#parts.tab, sessions: this.#own });
        return;
      case "want":
        if (!this.#reading) return;
        this.#wants.set(word.tab, word.sessions);
        void this.#stream.setSessions(this.#union()).then(() => {
          this.#parts.channel.post({ kind: "status", status: this.#status });
          this.#parts.channel.post({ kind: "heard", tab: word.tab });
        });
        return;
      case "heard":
        if (word.tab === this.#parts.tab) for (const done of [...this.#waiting]) done();
        return;
      case "bye":
        this.#wants.delete(word.tab);
        if (this.#reading) void this.#stream.setSessions(this.#union());
        return;
    }
  }
}

const NAME = "espalier.stream";

/** The browser's own lock and channel. Without Web Locks every tab reads for itself. */
export const browserTabs = (): { channel: TabChannel; lock: TabLock; tab: string } => {
  const channel = new BroadcastChannel(NAME);
  return {
    channel: {
      post: (word) => channel.postMessage(word),
      listen: (listener) => {
        channel.onmessage = (event: MessageEvent<TabWord>) => listener(event.data);
      },
      close: () => channel.close(),
    },
    lock: (hold) => {
      if ("locks" in navigator) navigator.locks.request(NAME, hold).catch(() => undefined);
      else void hold();
    },
    tab: crypto.randomUUID(),
  };
};
