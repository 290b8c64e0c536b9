import type { AnyEntry } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";

/** Bytes of lines whose entries are held; what is held longest unused goes first. */
const BUDGET = 32 * 1024 * 1024;

/** Entries that were read lately, so that a step need not parse the whole context again. */
export class BodyCache {
  readonly #held = new Map<EntryId, { entry: AnyEntry; bytes: number }>();
  /**
   * Stands before the entry that is held longest unused; everything it has passed is gone. Beginning anew for each entry would
   * walk over all that was removed, again and again.
   */
  readonly #oldest = this.#held.keys();
  #bytes = 0;

  has(id: EntryId): boolean {
    return this.#held.has(id);
  }

  get(id: EntryId): AnyEntry | undefined {
    const held = this.#held.get(id);
    if (held === undefined) return undefined;
    this.#held.delete(id);
    this.#held.set(id, held);
    return held.entry;
  }

  set(id: EntryId, entry: AnyEntry, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(id)?.bytes ?? 0);
    this.#held.delete(id);
    this.#held.set(id, { entry, bytes });
    while (this.#bytes > BUDGET) {
      const oldest = this.#oldest.next().value;
      if (oldest === undefined) return;
      this.#bytes -= this.#held.get(oldest)?.bytes ?? 0;
      this.#held.delete(oldest);
    }
  }
}
