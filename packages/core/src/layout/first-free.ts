/**
 * How far to the left each lane of one side is taken, as a tree of maxima, so that the first lane with room is found in O(log n).
 * Lanes are numbered from 1, outwards.
 */
export class Frontier {
  readonly #size: number;
  readonly #most: Float64Array;

  constructor(lanes: number) {
    this.#size = 2 ** Math.ceil(Math.log2(lanes + 2));
    this.#most = new Float64Array(2 * this.#size).fill(Number.POSITIVE_INFINITY);
  }

  /** The first lane from `lane` on that nothing takes left of `until`. There is one as long as not every lane is taken. */
  firstFree(lane: number, until: number): number {
    let at = lane + this.#size;
    // Up until a subtree to the right has room, then down to its first lane.
    while ((this.#most[at] ?? 0) < until) {
      while (at % 2 === 1) at = Math.floor(at / 2);
      at += 1;
    }
    while (at < this.#size) {
      at *= 2;
      if ((this.#most[at] ?? 0) < until) at += 1;
    }
    return at - this.#size;
  }

  /** Takes a lane from `from` on. */
  take(lane: number, from: number): void {
    let at = lane + this.#size;
    this.#most[at] = Math.min(this.#most[at] ?? from, from);
    for (at = Math.floor(at / 2); at >= 1; at = Math.floor(at / 2))
      this.#most[at] = Math.max(this.#most[2 * at] ?? 0, this.#most[2 * at + 1] ?? 0);
  }
}
