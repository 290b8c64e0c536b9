import type { AnyEntry } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";

/** Bytes of lines whose entries are held; what is held longest unused goes first. */
const BUDGET = 32 * 1024 * 1024;

/** Entries that were read lately, so that a step need not parse the whole context again. */
export class BodyCache {
  readonly #held = new Map<EntryId, { entry: AnyEntry; bytes: number }>();
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
    for (const [oldest, { bytes: freed }] of this.#held) {
      if (this.#bytes <= BUDGET) break;
      this.#held.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
