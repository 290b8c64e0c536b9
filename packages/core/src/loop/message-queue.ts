import type { QueueItem, RunId, UserContent } from "@espalier/protocol";

export interface QueuedMessage {
  readonly id: string;
  readonly run: RunId;
  readonly kind: QueueItem["kind"];
  readonly text: string;
  readonly images: readonly UserContent[];
}

export type DrainMode = "one-at-a-time" | "all";

/**
 * What waits for a run: steering goes in after the current batch, follow-ups after the run would end. Order is the
 * user's; an item leaves the queue only when it is taken, removed, or its run is over.
 */
export class MessageQueue {
  #items: readonly QueuedMessage[] = [];

  get items(): readonly QueuedMessage[] {
    return this.#items;
  }

  add(item: QueuedMessage): void {
    this.#items = [...this.#items, item];
  }

  /** Undefined when it is not there (any more). */
  remove(id: string): QueuedMessage | undefined {
    const found = this.#items.find((item) => item.id === id);
    this.#items = this.#items.filter((item) => item !== found);
    return found;
  }

  /** Changes an item in place; `index` moves it. False when it is not there. */
  update(id: string, change: { text?: string; kind?: QueueItem["kind"]; index?: number }): boolean {
    const at = this.#items.findIndex((item) => item.id === id);
    const known = this.#items[at];
    if (!known) return false;
    const next = { ...known, text: change.text ?? known.text, kind: change.kind ?? known.kind };
    const rest = this.#items.filter((item) => item !== known);
    rest.splice(Math.min(change.index ?? at, rest.length), 0, next);
    this.#items = rest;
    return true;
  }

  /** Takes what is due for `run`, in order: the first item, or all of them. */
  take(run: RunId, kind: QueueItem["kind"], mode: DrainMode): QueuedMessage[] {
    const due = this.#items.filter((item) => item.run === run && item.kind === kind);
    const taken = mode === "all" ? due : due.slice(0, 1);
    this.#items = this.#items.filter((item) => !taken.includes(item));
    return taken;
  }

  /** Takes everything that waits for `run`: it goes back to the composer. */
  clear(run: RunId): QueuedMessage[] {
    const taken = this.#items.filter((item) => item.run === run);
    this.#items = this.#items.filter((item) => item.run !== run);
    return taken;
  }
}

/** The wire form of what waits. */
export const queueItems = (queue: MessageQueue): QueueItem[] =>
  queue.items.map(({ id, run, kind, text, images }) => ({ id, run, kind, text, images: images.length }));
