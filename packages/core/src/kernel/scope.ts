/** Undoes one effect. Safe to call twice: the second call does nothing. */
export type Undo = () => void | Promise<void>;

export interface EffectFailure {
  readonly scope: string;
  readonly label: string;
  readonly error: unknown;
}

interface Effect {
  readonly label: string;
  readonly undo: Undo;
  done: Promise<void> | null;
}

/**
 * Owns effects and takes them back. An effect is acquired together with its inverse; closing runs the inverses in reverse
 * order of acquisition, one after another, each once, also when one of them fails (failures are returned, never thrown).
 * After `close` has begun no effect can be added.
 */
export class Scope {
  readonly name: string;
  readonly #abort = new AbortController();
  readonly #effects: Effect[] = [];
  #closing: Promise<readonly EffectFailure[]> | null = null;

  constructor(name: string) {
    this.name = name;
  }

  /** Aborts when closing begins. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get closed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Labels of the live effects, oldest first. */
  effects(): string[] {
    return this.#effects.filter(({ done }) => done === null).map(({ label }) => label);
  }

  /** Runs `acquire` and keeps the inverse it returns. Throws when the scope is closed; an acquire that throws leaves nothing. */
  effect(label: string, acquire: () => Undo): Undo {
    if (this.closed) throw new Error(`${this.name} is closed: the effect "${label}" was refused`);
    const effect: Effect = { label, undo: acquire(), done: null };
    this.#effects.push(effect);
    return () => this.#revert(effect);
  }

  /** A scope inside this one: it is closed with it, and may be closed before. */
  child(name: string): Scope {
    const scope = new Scope(`${this.name}/${name}`);
    this.effect(`scope ${name}`, () => async () => {
      const failures = await scope.close();
      if (failures.length > 0) throw new AggregateError(failures.map(({ error }) => error));
    });
    return scope;
  }

  /** Takes everything back; later calls wait for the first. */
  close(): Promise<readonly EffectFailure[]> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<readonly EffectFailure[]> {
    this.#abort.abort();
    const failures: EffectFailure[] = [];
    for (const effect of [...this.#effects].reverse()) {
      try {
        await this.#revert(effect);
      } catch (error) {
        failures.push({ scope: this.name, label: effect.label, error });
      }
    }
    return failures;
  }

  #revert(effect: Effect): Promise<void> {
    effect.done ??= (async () => {
      await effect.undo();
    })();
    return effect.done;
  }
}
