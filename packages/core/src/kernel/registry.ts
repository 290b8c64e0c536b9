import type { Scope, Undo } from "./scope.ts";

/** Named values that come and go with the scopes that registered them. Registering a name twice is refused. */
export class Registry<Value> {
  readonly kind: string;
  readonly #values = new Map<string, Value>();

  constructor(kind: string) {
    this.kind = kind;
  }

  /** Adds `value` until `scope` closes or the returned undo is called. Throws RangeError when the name is taken. */
  register(scope: Scope, name: string, value: Value): Undo {
    return scope.effect(`${this.kind} ${name}`, () => {
      if (this.#values.has(name)) throw new RangeError(`${this.kind} "${name}" is registered already`);
      this.#values.set(name, value);
      return () => void this.#values.delete(name);
    });
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  /** A copy of what is registered now, by name, so that loading order changes nothing. */
  all(): ReadonlyMap<string, Value> {
    return new Map([...this.#values].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  }
}

/** Handlers that run one after another, ordered by (order, name), never by load time. */
export class HookList<Handler> {
  readonly kind: string;
  readonly #handlers: { readonly name: string; readonly order: number; readonly handler: Handler }[] = [];

  constructor(kind: string) {
    this.kind = kind;
  }

  add(scope: Scope, name: string, handler: Handler, order = 0): Undo {
    return scope.effect(`${this.kind} ${name}`, () => {
      const item = { name, order, handler };
      this.#handlers.push(item);
      this.#handlers.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      return () => void this.#handlers.splice(this.#handlers.indexOf(item), 1);
    });
  }

  handlers(): Handler[] {
    return this.#handlers.map(({ handler }) => handler);
  }
}
