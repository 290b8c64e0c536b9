import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../testing/data-folder.ts";
import { HookList, Kernel, type Plugin, Registry, Scope, service } from "./index.ts";

describe("Scope", () => {
  it("takes effects back in reverse, one after another, once, and goes on past a failing one", async () => {
    const log: string[] = [];
    const scope = new Scope("s");
    const wait = () => new Promise<void>((resolve) => setImmediate(resolve));
    for (const name of ["a", "b", "c"]) {
      scope.effect(name, () => async () => {
        log.push(`${name} start`);
        await wait();
        if (name === "b") throw new Error("no");
        log.push(`${name} end`);
      });
    }
    const [failures, again] = await Promise.all([scope.close(), scope.close()]);
    expect(log).toEqual(["c start", "c end", "b start", "a start", "a end"]);
    expect(failures.map(({ label }) => label)).toEqual(["b"]);
    expect(again).toBe(failures);
    expect(scope.effects()).toEqual([]);
  });

  it("takes no effect once closing began, also from inside an inverse", async () => {
    const scope = new Scope("s");
    let late: unknown;
    scope.effect("a", () => () => {
      try {
        scope.effect("late", () => () => undefined);
      } catch (error) {
        late = error;
      }
    });
    await scope.close();
    expect(String(late)).toContain('"late" was refused');
    expect(scope.signal.aborted).toBe(true);
  });

  it("undoes one effect early and not again at the end", async () => {
    let count = 0;
    const scope = new Scope("s");
    const undo = scope.effect("a", () => () => void count++);
    await undo();
    await undo();
    await scope.close();
    expect(count).toBe(1);
  });
});

const numbers = service<Registry<number>>("numbers");
const host = (registry: Registry<number>): Plugin => ({
  id: "host",
  provides: [numbers],
  apply: ({ provide }) => void provide(numbers, registry),
});
const adds = (id: string, values: readonly string[], fail = false): Plugin => ({
  id,
  requires: [numbers],
  apply: ({ get, scope }) => {
    for (const value of values) get(numbers).register(scope, `${id}.${value}`, value.length);
    if (fail) throw new Error(`${id} fails`);
  },
});

describe("Kernel", () => {
  it("loads and unloads to what was there before", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            id: fc.stringMatching(/^[a-z]{1,6}$/),
            values: fc.uniqueArray(fc.string(), { maxLength: 4 }),
          }),
          {
            maxLength: 5,
            selector: ({ id }) => id,
          },
        ),
        async (plugins) => {
          const registry = new Registry<number>("number");
          const kernel = new Kernel();
          await kernel.load(host(registry));
          for (const { id, values } of plugins) {
            const before = [...registry.all()];
            await kernel.load(adds(`p-${id}`, values));
            await kernel.unload(`p-${id}`);
            expect([...registry.all()]).toEqual(before);
            await kernel.load(adds(`p-${id}`, values));
          }
          await kernel.unload("host");
          expect(registry.all().size).toBe(0);
          expect(kernel.plugins()).toEqual([]);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("takes back a half-done activation", async () => {
    const registry = new Registry<number>("number");
    const kernel = new Kernel();
    await kernel.load(host(registry));
    await expect(kernel.load(adds("bad", ["a", "b"], true))).rejects.toThrow("bad fails");
    expect(registry.all().size).toBe(0);
    await kernel.load(adds("bad", ["a"]));
    expect([...registry.all().keys()]).toEqual(["bad.a"]);
  });

  it("gives only what was named", async () => {
    const kernel = new Kernel();
    await kernel.load(host(new Registry("number")));
    await expect(kernel.load({ id: "x", apply: ({ get }) => void get(numbers) })).rejects.toThrow("requires");
    await expect(
      kernel.load({ id: "y", requires: [service("absent")], apply: () => undefined }),
    ).rejects.toThrow("waits for absent");
    await expect(kernel.load({ id: "z", provides: [numbers], apply: () => undefined })).rejects.toThrow(
      "did not provide",
    );
  });

  it("orders hooks by order and name, not by load", async () => {
    const scope = new Scope("s");
    const hooks = new HookList<() => string>("hook");
    hooks.add(scope, "b", () => "b");
    hooks.add(scope, "a", () => "a");
    hooks.add(scope, "first", () => "first", -1);
    expect(hooks.handlers().map((run) => run())).toEqual(["first", "a", "b"]);
    await scope.close();
    expect(hooks.handlers()).toEqual([]);
  });
});
