import type { SessionEvent, SessionEventOf } from "@espalier/protocol";

/** Longest wait of a delta, ms, and the most characters that are held together. */
const WAIT_MS = 24;
const MOST = 1024;

type Growing = SessionEventOf<"delta"> | SessionEventOf<"tool_output">;

const isGrowing = (event: SessionEvent): event is Growing =>
  event.type === "delta" || event.type === "tool_output";

const joined = (a: Growing, b: Growing): Growing | null => {
  if (
    a.type === "delta" &&
    b.type === "delta" &&
    a.run === b.run &&
    a.index === b.index &&
    a.kind === b.kind
  ) {
    return { ...a, text: a.text + b.text };
  }
  if (
    a.type === "tool_output" &&
    b.type === "tool_output" &&
    a.entryId === b.entryId &&
    a.index === b.index
  ) {
    return { ...a, text: a.text + b.text, total: b.total };
  }
  return null;
};

/** Joins pieces of the same block that come within a frame, so that a token is no event. Order is kept. */
export class DeltaJoiner {
  readonly #send: (event: SessionEvent) => void;
  #held: Growing | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(send: (event: SessionEvent) => void) {
    this.#send = send;
  }

  push(event: SessionEvent): void {
    if (!isGrowing(event)) {
      this.flush();
      this.#send(event);
      return;
    }
    const both = this.#held && joined(this.#held, event);
    if (!both) this.flush();
    this.#held = both ?? event;
    if (this.#held.text.length >= MOST) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const held = this.#held;
    this.#held = null;
    if (held) this.#send(held);
  }
}
