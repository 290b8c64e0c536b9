import { type AnyEntry, GrowingContext, type QueuedMessage } from "@espalier/core";
import type { EntryId, ModelInfo, RunId, RunInfo } from "@espalier/protocol";

/** A run as the runtime holds it. `context` is that of its tip. */
export class ActiveRun {
  readonly id: RunId;
  readonly model: ModelInfo;
  readonly stop = new AbortController();
  readonly context: GrowingContext;
  info: RunInfo;
  /** Resolves when the run is over and everything of it is told. */
  finished: Promise<void> = Promise.resolve();
  /** Takes what still waits when the run is over; without it that goes back to the person. False: it was not wanted. */
  handOn: ((left: readonly QueuedMessage[]) => Promise<boolean>) | null = null;
  /** What the guard changed for the last request, so that it is told once. */
  guarded = "";
  /** A compaction was asked for while the run works: it comes after the batch. */
  compactAsked: { readonly instructions?: string; readonly verbatim?: readonly string[] } | null = null;
  /** Tokens of the context when making room last gave nothing; null when it has not. */
  noRoomAt: number | null = null;
  #waits = 0;
  #pauses = 0;

  /** `path` holds at least the entries of `contextIds`, the last of them the run's tip. */
  constructor(
    id: RunId,
    model: ModelInfo,
    path: readonly AnyEntry[],
    startedAt: number,
    work?: NonNullable<RunInfo["work"]>,
  ) {
    this.id = id;
    this.model = model;
    this.context = new GrowingContext(path);
    this.info = {
      id,
      status: "running",
      tip: path.at(-1)?.id ?? null,
      model: { provider: model.provider, modelId: model.id },
      step: 0,
      startedAt,
      ...(work === undefined ? {} : { work }),
    };
  }

  get tip(): EntryId | null {
    return this.info.tip;
  }

  /** Takes what was committed under the tip. `isAside` entries do not move it. */
  grow(entries: readonly AnyEntry[], isAside: (id: EntryId) => boolean): void {
    for (const entry of entries) {
      if (isAside(entry.id)) continue;
      this.context.append(entry);
      this.info = { ...this.info, tip: entry.id };
    }
  }

  /** Several calls may wait for a person at once; true when the run's status changes by this one. */
  waits(more: boolean): boolean {
    const before = this.#waits > 0;
    this.#waits += more ? 1 : -1;
    return before !== this.#waits > 0;
  }

  /** Several writes may wait for the disk at once; true when the last of them is done with it. */
  pauses(more: boolean): boolean {
    this.#pauses += more ? 1 : -1;
    return this.#pauses === 0;
  }
}
