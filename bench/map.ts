import { join } from "node:path";
import { drawTree, type Espalier, espalier, foldTree, SessionTree } from "@espalier/core";
import { entryId, type Row } from "@espalier/protocol";
import type { Page } from "playwright";
import { inBrowser, newPage } from "./support/browser.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { fastestOf, percentile } from "./support/measure.ts";
import { withServer } from "./support/running-server.ts";

const ENTRIES = 100_000;
/** Entries between two forks: 2,000 branches. */
const BRANCH_EVERY = 50;
const CHAIN = 200_000;
const FRAMES = 180;
const KEYS = 60;

const ROLES = ["user", "assistant", "toolResult", "assistant"] as const;

const idAt = (at: number) => entryId(`n${at}`);

const rowAt = (at: number, parent: number): Row => ({
  id: idAt(at),
  parentId: parent < 0 ? null : idAt(parent),
  type: "message",
  role: ROLES[at % ROLES.length] ?? "assistant",
  time: at,
  tokens: 10,
});

const treeOf = (entries: number, parentAt: (at: number) => number): SessionTree =>
  new SessionTree(Array.from({ length: entries }, (_unused, at) => rowAt(at, parentAt(at))));

/** Turns are four entries long; every branch starts at one half way up. */
const branched = (at: number): number =>
  at > 0 && at % BRANCH_EVERY === 0 ? Math.floor(at / 8) * 4 - 1 : at - 1;

/** Entries drawn, folded to runs and laid out, against one pass over the rows. */
const layoutLine = async (name: string, tree: SessionTree): Promise<Line> => {
  const leafId = idAt(tree.size - 1);
  let seen = 0;
  const { ours, floor } = await fastestOf(
    7,
    () => {
      const drawn = drawTree(tree);
      const fold = foldTree(drawn, "runs", { labels: tree.labels, leafId });
      seen += espalier(fold, fold.runOf[drawn.nodeOf.get(leafId) ?? -1] ?? -1).right;
    },
    () => {
      for (const row of tree.rows) seen += row.tokens;
    },
  );
  if (seen === 0) throw new Error("nothing was laid out");
  return line(name, ours, "ms", 7, floor);
};

/** All of that again after an entry has come, everything left where it was: what each entry of a run costs an open map. */
const againLine = async (tree: SessionTree): Promise<Line> => {
  let shown: Espalier | null = null;
  let seen = 0;
  const { ours, floor } = await fastestOf(
    9,
    () => {
      const last = tree.size - 1;
      tree.append({ ...rowAt(tree.size, last), role: "assistant" });
      const drawn = drawTree(tree);
      const leafId = idAt(last + 1);
      const fold = foldTree(drawn, "runs", { labels: tree.labels, leafId });
      shown = espalier(fold, fold.runOf[last + 1] ?? -1, shown);
      seen += shown.right;
    },
    () => {
      for (const row of tree.rows) seen += row.tokens;
    },
  );
  if (seen === 0) throw new Error("nothing was laid out");
  return line("map-again", ours, "ms", 9, floor);
};

/** From the press on Map until its first picture is there, ms. */
const openMap = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const button = [...document.querySelectorAll("button")].find((each) => each.textContent === "Map");
        if (!button) return reject(new Error("there is no way to the map"));
        const start = performance.now();
        const timer = setTimeout(() => reject(new Error("the map is not drawn after 20 s")), 20_000);
        const watcher = new MutationObserver(() => {
          if (document.querySelector("canvas[data-drawn]") === null) return;
          watcher.disconnect();
          clearTimeout(timer);
          resolve(performance.now() - start);
        });
        watcher.observe(document.body, { childList: true, subtree: true, attributes: true });
        button.click();
      }),
  );

/** Lengths of frames while the map is slid, ms; `zooms` before that, towards (1) or away from (-1) the reader. */
const panFrames = (page: Page, zooms: number): Promise<number[]> =>
  page.evaluate(
    async ([frames, turns]) => {
      const map = document.querySelector<HTMLElement>("[data-map]");
      if (!map) throw new Error("there is no map");
      const box = map.getBoundingClientRect();
      const wheel = (deltaX: number, deltaY: number, ctrlKey: boolean): void => {
        const at = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
        map.dispatchEvent(
          new WheelEvent("wheel", { ...at, deltaX, deltaY, ctrlKey, bubbles: true, cancelable: true }),
        );
      };
      const next = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));
      for (let turn = 0; turn < Math.abs(turns); turn += 1) wheel(0, -Math.sign(turns) * 25, true);
      for (let at = 0; at < 10; at += 1) await next();
      const lengths: number[] = [];
      let before = await next();
      for (let at = 0; at < frames; at += 1) {
        wheel(at % 60 < 30 ? 24 : -24, at % 40 < 20 ? 6 : -6, false);
        const now = await next();
        lengths.push(now - before);
        before = now;
      }
      return lengths;
    },
    [FRAMES, zooms] as const,
  );

/** Keys of the outline, each from its press until the next picture, ms. */
const outlineKeys = (page: Page): Promise<number[]> =>
  page.evaluate(async (keys) => {
    document.querySelector<HTMLElement>('[role="tree"] [tabindex="0"]')?.focus();
    const taken: number[] = [];
    for (let at = 0; at < keys; at += 1) {
      const key = at % 6 === 5 ? "ArrowLeft" : "ArrowUp";
      const start = performance.now();
      document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      taken.push(performance.now() - start);
    }
    return taken;
  }, KEYS);

const heapOf = async (page: Page): Promise<number> => {
  const client = await page.context().newCDPSession(page);
  await client.send("HeapProfiler.enable");
  await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
};

const inThePage = (): Promise<readonly Line[]> =>
  withServer(
    ({ piDir, workspace }) =>
      writeSession(join(piDir, "sessions/--e2e--/2026-01-01T00-00-00-000Z_large.jsonl"), "large", workspace, {
        entries: ENTRIES,
        textBytes: 60,
        branchEvery: BRANCH_EVERY,
      }),
    ({ link }) =>
      inBrowser(async (browser) => {
        const page = await newPage(browser);
        await page.goto(await link());
        await page.getByRole("button", { name: "Open", exact: true }).click();
        await page.locator('a[href^="/s/"]').first().click();
        await page.getByRole("feed").getByRole("article").first().waitFor();
        await page.locator('[role="treeitem"]').first().waitFor();
        await page.waitForTimeout(2_000);
        const before = await heapOf(page);
        const paint = await openMap(page);
        await page.waitForTimeout(500);
        const near = await panFrames(page, 0);
        const middle = await panFrames(page, -8);
        const far = await panFrames(page, -30);
        const keys = await outlineKeys(page);
        return [
          line("map-paint", paint, "ms", 1),
          line("map-pan-p95", percentile(near, 0.95), "ms", FRAMES),
          line("map-pan-middle-p95", percentile(middle, 0.95), "ms", FRAMES),
          line("map-pan-far-p95", percentile(far, 0.95), "ms", FRAMES),
          line("map-key-p95", percentile(keys, 0.95), "ms", KEYS),
          line("map-heap", await heapOf(page), "MB", 1, before),
        ];
      }),
  );

/** The map of large sessions: laid out by itself, then shown and slid in a browser. */
export const bench: Bench = async () => [
  await layoutLine("map-layout", treeOf(ENTRIES, branched)),
  await layoutLine(
    "map-layout-chain",
    treeOf(CHAIN, (at) => at - 1),
  ),
  await againLine(treeOf(ENTRIES, branched)),
  ...(await inThePage()),
];
