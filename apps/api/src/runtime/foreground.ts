/** Knows whether somebody waits for an answer, so that work nobody waits for can step aside. */
export class Foreground {
  #waiting = 0;
  #idle: (() => void)[] = [];

  /** Does work that somebody waits for. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    try {
      return await work();
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) for (const go of this.#idle.splice(0)) go();
    }
  }

  /** Resolves when nobody waits; at once if it is so already. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
