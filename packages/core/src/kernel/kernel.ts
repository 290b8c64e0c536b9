import { type EffectFailure, Scope, type Undo } from "./scope.ts";

/** A capability by name; `Value` is its type. Two services are the same iff their names are. */
export interface Service<Value> {
  readonly name: string;
  /** Never set; ties the name to its type. */
  readonly type?: (value: Value) => Value;
}
export const service = <Value>(name: string): Service<Value> => ({ name });

// A list of services of any type: only their names are read.
type AnyService = Pick<Service<never>, "name">;

export interface PluginContext {
  readonly scope: Scope;
  /** Only services named in `requires`; readable until the plugin is down. */
  readonly get: <Value>(wanted: Service<Value>) => Value;
  /** Only services named in `provides`. */
  readonly provide: <Value>(offered: Service<Value>, value: Value) => Undo;
}

export interface Plugin {
  readonly id: string;
  readonly requires?: readonly AnyService[];
  readonly provides?: readonly AnyService[];
  /** Registers effects on `context.scope`. When it throws, everything it had registered is taken back. */
  readonly apply: (context: PluginContext) => void | Promise<void>;
}

interface Loaded {
  readonly plugin: Plugin;
  readonly scope: Scope;
}

/**
 * Loads and unloads plugins. Transitions run one after another. A plugin is loaded when all it requires is there; unloading
 * takes down those that need it first, newest first, and returns what failed on the way.
 */
export class Kernel {
  readonly #root = new Scope("kernel");
  readonly #loaded = new Map<string, Loaded>();
  readonly #services = new Map<string, { owner: string; value: unknown }>();
  #queue: Promise<unknown> = Promise.resolve();

  /** Ids in order of loading with their live effects. */
  plugins(): { id: string; effects: string[] }[] {
    return [...this.#loaded.values()].map(({ plugin, scope }) => ({
      id: plugin.id,
      effects: scope.effects(),
    }));
  }

  /** A service's value now, for the composition root. */
  use<Value>(wanted: Service<Value>): Value {
    return this.#value(wanted, "the host");
  }

  load(plugin: Plugin): Promise<void> {
    return this.#serial(() => this.#load(plugin));
  }

  unload(id: string): Promise<readonly EffectFailure[]> {
    return this.#serial(() => this.#unload(id));
  }

  /** Unloads everything. */
  close(): Promise<readonly EffectFailure[]> {
    return this.#serial(async () => {
      const failures: EffectFailure[] = [];
      for (const id of [...this.#loaded.keys()].reverse()) failures.push(...(await this.#unload(id)));
      return [...failures, ...(await this.#root.close())];
    });
  }

  #serial<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async #load(plugin: Plugin): Promise<void> {
    if (this.#loaded.has(plugin.id)) throw new RangeError(`plugin "${plugin.id}" is loaded already`);
    const missing = (plugin.requires ?? []).filter(({ name }) => !this.#services.has(name));
    if (missing.length > 0) {
      throw new Error(`plugin "${plugin.id}" waits for ${missing.map(({ name }) => name).join(", ")}`);
    }
    const scope = this.#root.child(plugin.id);
    try {
      await plugin.apply(this.#context(plugin, scope));
      const owed = (plugin.provides ?? []).filter(
        ({ name }) => this.#services.get(name)?.owner !== plugin.id,
      );
      if (owed.length > 0)
        throw new Error(`plugin "${plugin.id}" did not provide ${owed.map(({ name }) => name).join(", ")}`);
    } catch (error) {
      await scope.close();
      throw error;
    }
    this.#loaded.set(plugin.id, { plugin, scope });
  }

  async #unload(id: string): Promise<readonly EffectFailure[]> {
    const loaded = this.#loaded.get(id);
    if (!loaded) return [];
    const given = new Set((loaded.plugin.provides ?? []).map(({ name }) => name));
    const failures: EffectFailure[] = [];
    for (const { plugin } of [...this.#loaded.values()].reverse()) {
      const needs = plugin.id !== id && (plugin.requires ?? []).some(({ name }) => given.has(name));
      if (needs) failures.push(...(await this.#unload(plugin.id)));
    }
    failures.push(...(await loaded.scope.close()));
    this.#loaded.delete(id);
    return failures;
  }

  #context(plugin: Plugin, scope: Scope): PluginContext {
    const names = (list: readonly AnyService[] | undefined) => new Set((list ?? []).map(({ name }) => name));
    const [requires, provides] = [names(plugin.requires), names(plugin.provides)];
    return {
      scope,
      get: (wanted) => {
        if (!requires.has(wanted.name))
          throw new Error(`plugin "${plugin.id}" did not name ${wanted.name} in requires`);
        return this.#value(wanted, `plugin "${plugin.id}"`);
      },
      provide: (offered, value) => {
        if (!provides.has(offered.name))
          throw new Error(`plugin "${plugin.id}" did not name ${offered.name} in provides`);
        return scope.effect(`service ${offered.name}`, () => {
          const holder = this.#services.get(offered.name);
          if (holder) throw new RangeError(`${offered.name} is provided by plugin "${holder.owner}" already`);
          this.#services.set(offered.name, { owner: plugin.id, value });
          return () => void this.#services.delete(offered.name);
        });
      },
    };
  }

  #value<Value>(wanted: Service<Value>, who: string): Value {
    const held = this.#services.get(wanted.name);
    if (!held) throw new Error(`${who} asked for ${wanted.name}, which nobody provides`);
    // The name ties the value to its type: `provide` took it under the same Service<Value>.
    return held.value as Value;
  }
}
