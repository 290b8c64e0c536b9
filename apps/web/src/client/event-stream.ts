import { createFrameReader, problemOf, type WireItem } from "@espalier/core";
import { type EventFrame, PROTOCOL_VERSION, type SessionId } from "@espalier/protocol";
import type { TransportStream } from "./transport.ts";

/**
 * "reconnecting": the connection broke and nothing is lost; "offline": the server does not answer; "outdated": the server
 * speaks another protocol version, only a reload helps; "signed_out": it wants a key.
 */
export type StreamStatus = "connecting" | "open" | "reconnecting" | "offline" | "outdated" | "signed_out";

export interface StreamFrame {
  /** `<epoch>.<seq>`, for Last-Event-ID. */
  readonly id: string;
  readonly frame: EventFrame;
}

export interface StreamHandlers {
  readonly frames: (frames: readonly StreamFrame[]) => void;
  readonly status: (status: StreamStatus) => void;
}

/** What the stream asks of the API. */
export interface StreamSource {
  readonly events: (lastEventId: string, signal: AbortSignal) => Promise<TransportStream>;
  readonly subscribe: (sessions: readonly SessionId[], stream: string) => Promise<unknown>;
}

/** The server sends a heartbeat every 15 s; after this long without a byte the connection counts as dead. */
export const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

const nothing = (): void => undefined;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/**
 * Reads the server's one event stream for as long as it runs, reconnecting with jittered back-off and Last-Event-ID. What
 * it hands on may repeat or skip: `rev` inside the frames tells, see `EventFrame`.
 */
export class EventStream {
  readonly #source: StreamSource;
  readonly #handlers: StreamHandlers;
  #life: AbortController | null = null;
  #attempt: AbortController | null = null;
  #sleep: AbortController | null = null;
  #stream: string | null = null;
  #sessions: readonly SessionId[] = [];
  #lastId = "";
  #heardAt = 0;
  #retryMs = FIRST_WAIT_MS;

  constructor(source: StreamSource, handlers: StreamHandlers) {
    this.#source = source;
    this.#handlers = handlers;
  }

  get lastEventId(): string {
    return this.#lastId;
  }

  /** Starts reading after `lastEventId` ("" = from now). Does nothing when it runs. */
  start(lastEventId: string): void {
    if (this.#life) return;
    this.#lastId = lastEventId;
    this.#life = new AbortController();
    void this.#run(this.#life.signal);
  }

  stop(): void {
    this.#life?.abort();
    this.#life = null;
    this.#attempt?.abort();
    this.#sleep?.abort();
    this.#stream = null;
  }

  /** The sessions to hear of from now on; resolves when the server knows (or when the next connection will tell it). */
  async setSessions(sessions: readonly SessionId[]): Promise<void> {
    this.#sessions = sessions;
    if (this.#stream !== null) await this.#source.subscribe(sessions, this.#stream).catch(nothing);
  }

  /** After sleep, or when the network is back: reconnects at once if the connection looks dead. */
  wake(): void {
    this.#sleep?.abort();
    if (this.#stream !== null && Date.now() - this.#heardAt > SILENCE_MS) this.#attempt?.abort();
  }

  async #run(life: AbortSignal): Promise<void> {
    let wait = FIRST_WAIT_MS;
    this.#handlers.status("connecting");
    while (!life.aborted) {
      const outcome = await this.#connect();
      if (life.aborted) return;
      this.#stream = null;
      if (outcome === "outdated" || outcome === "signed_out") {
        this.#handlers.status(outcome);
        this.#life = null;
        return;
      }
      if (outcome === "read") wait = FIRST_WAIT_MS;
      // A server that closes the stream itself is going down: it needs the time it asked for.
      if (outcome === "closed") wait = this.#retryMs;
      this.#handlers.status(outcome === "failed" ? "offline" : "reconnecting");
      this.#sleep = new AbortController();
      await pause(wait * (0.5 + Math.random() / 2), this.#sleep.signal);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }

  /** One connection, until it ends. "read": it broke after something arrived; "closed": the server ended it; "failed": nothing came. */
  async #connect(): Promise<"read" | "closed" | "failed" | "outdated" | "signed_out"> {
    const attempt = new AbortController();
    this.#attempt = attempt;
    let heard = false;
    const watch = setInterval(() => {
      if (Date.now() - this.#heardAt > SILENCE_MS) attempt.abort();
    }, 1_000);
    this.#heardAt = Date.now();
    try {
      const { chunks } = await this.#source.events(this.#lastId, attempt.signal);
      const reader = createFrameReader();
      for await (const chunk of chunks) {
        heard = true;
        this.#heardAt = Date.now();
        if (!(await this.#take(reader.push(chunk)))) return "outdated";
      }
      if (heard) return "closed";
    } catch (error) {
      if (problemOf(error).code === "unauthorized") return "signed_out";
    } finally {
      clearInterval(watch);
      attempt.abort();
    }
    return heard ? "read" : "failed";
  }

  async #take(items: readonly WireItem[]): Promise<boolean> {
    const frames: StreamFrame[] = [];
    for (const item of items) {
      if (item.kind === "retry") this.#retryMs = Math.min(item.ms, LONGEST_WAIT_MS);
      if (item.kind !== "frame") continue;
      const { event } = item.frame;
      if (event.type === "hello") {
        if (event.protocol !== PROTOCOL_VERSION) return false;
        this.#stream = event.stream;
        // Frames that arrive before the server knows the sessions again leave a gap in `rev`, which the reader notices.
        void this.#source.subscribe(this.#sessions, event.stream).catch(nothing);
        this.#handlers.status("open");
      }
      if (item.id !== "") this.#lastId = item.id;
      frames.push({ id: item.id, frame: item.frame });
    }
    if (frames.length > 0) this.#handlers.frames(frames);
    return true;
  }
}
