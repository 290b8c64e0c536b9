import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { build, type Rollup } from "vite";
import type { IdbStore } from "../apps/web/src/client/idb-store.ts";

/** What the bundled page offers. */
interface SuitePage {
  runSuite(): Promise<{ name: string; problem: string | null }[]>;
  sharedStore(name: string): IdbStore;
}

let script = "";
test.beforeAll(async () => {
  const support = join(import.meta.dirname, "support");
  const built = await build({
    configFile: false,
    root: support,
    logLevel: "silent",
    resolve: { alias: { vitest: join(support, "browser-vitest.ts") } },
    build: {
      write: false,
      minify: false,
      target: "es2023",
      rolldownOptions: { input: join(support, "store-suite.ts"), output: { format: "iife" } },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]) as readonly Rollup.RollupOutput[];
  script = outputs.flatMap(({ output }) => output).find((one) => one.type === "chunk")?.code ?? "";
});

const openPage = async (page: Page): Promise<void> => {
  await page.route("http://localhost:9/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>suite</title>" }),
  );
  await page.goto("http://localhost:9/");
  await page.addScriptTag({ content: script });
};

test("IndexedDB passes the session store's suite in Chromium", async ({ page }) => {
  await openPage(page);
  const results = await page.evaluate(() => (globalThis as unknown as SuitePage).runSuite());
  expect(results.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(results.length).toBeGreaterThanOrEqual(9);
});

test("what one tab appends is foreign to another, told once, and no id is taken twice", async ({ page }) => {
  await openPage(page);
  const second = await page.context().newPage();
  await openPage(second);
  const header =
    '{"type":"session","version":3,"id":"two","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}';
  const line = (id: string, parent: string | null): string =>
    `${JSON.stringify({ type: "custom", customType: "t", id, parentId: parent, timestamp: "2026-01-01T00:00:00.000Z" })}\n`;
  const start = async (target: Page, text: string | null): Promise<void> => {
    await target.evaluate(async (text) => {
      const store = (globalThis as unknown as SuitePage).sharedStore("tabs");
      if (text !== null) await store.createFrom(JSON.parse(text.split("\n")[0] ?? "") as never, text);
      const session = await store.open("two" as never);
      const heard: string[] = [];
      session.onForeign((entries) => heard.push(entries.map(({ id }) => String(id)).join(",")));
      session.watch(() => void session.refresh());
      Object.assign(globalThis, { session, heard, store });
    }, text);
  };
  // The file's last line is not ended: the first append ends it.
  await start(page, `${header}\n${line("a", null)}{"type":"cus`);
  await start(second, null);
  const append = (target: Page, id: string, parent: string): Promise<string> =>
    target.evaluate(
      async ([id, parent]) => {
        const { session } = globalThis as unknown as { session: Awaited<ReturnType<IdbStore["open"]>> };
        const entry = {
          type: "custom",
          customType: "t",
          id,
          parentId: parent,
          timestamp: "2026-01-01T00:00:01.000Z",
        };
        return session.append([entry as never]).then(
          () => "",
          (error: { code: string }) => error.code,
        );
      },
      [id, parent],
    );
  const heard = (target: Page): Promise<string[]> =>
    target.evaluate(() => (globalThis as unknown as { heard: string[] }).heard);
  expect(await append(page, "b", "a")).toBe("");
  await expect.poll(() => heard(second)).toEqual(["b"]);
  expect(await append(second, "b", "a")).toBe("conflict");
  expect(await append(second, "c", "b")).toBe("");
  await expect.poll(() => heard(page)).toEqual(["c"]);
  expect(await heard(second)).toEqual(["b"]);
  const text = await page.evaluate(async () => {
    const { store } = globalThis as unknown as { store: IdbStore };
    return new TextDecoder().decode(await store.bytes("two" as never));
  });
  const lines = text.split("\n");
  expect(lines.slice(0, 3)).toEqual([header, line("a", null).trim(), '{"type":"cus']);
  expect(lines.slice(3, -1).map((each) => (JSON.parse(each) as { id: string }).id)).toEqual(["b", "c"]);
});
