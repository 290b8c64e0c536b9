import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { inBrowser, newPage } from "./support/browser.ts";
import { type Bench, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { residentOf } from "./support/measure.ts";
import { withServer } from "./support/running-server.ts";

const RUNS = 5;

const firstPaint = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    for (;;) {
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      if (paint !== undefined) return paint.startTime;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });

/** Bytes that came over the wire until now, kB. */
const countBytes = async (page: Page): Promise<() => number> => {
  const client = await page.context().newCDPSession(page);
  await client.send("Network.enable");
  let bytes = 0;
  client.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes / 1000;
};

/** Clicks the session's link; answers when the first text of its transcript is in the page, ms after the click. */
const openSession = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const link = document.querySelector<HTMLElement>('a[href^="/s/"]');
        if (link === null) return reject(new Error("there is no link to the session"));
        const start = performance.now();
        const timer = setTimeout(() => reject(new Error("the transcript has no text after 15 s")), 15_000);
        const watcher = new MutationObserver(() => {
          const item = document.querySelector('[role="feed"] article');
          if (item === null || item.textContent === "") return;
          watcher.disconnect();
          clearTimeout(timer);
          resolve(performance.now() - start);
        });
        watcher.observe(document.body, { childList: true, subtree: true, characterData: true });
        link.click();
      }),
  );

interface Visit {
  readonly paint: number;
  readonly bytes: number;
  readonly session: number;
}

const visit = async (browser: Browser, link: string): Promise<Visit> => {
  const page = await newPage(browser);
  try {
    const bytes = await countBytes(page);
    await page.goto(link);
    const paint = await firstPaint(page);
    const open = page.getByRole("button", { name: "Open", exact: true });
    await page.locator('a[href^="/s/"]').or(open).first().waitFor();
    const beforeText = bytes();
    if (await open.isVisible()) await open.click();
    await page.locator('a[href^="/s/"]').first().waitFor();
    return { paint, bytes: beforeText, session: await openSession(page) };
  } finally {
    await page.close();
  }
};

/** First paint of a page that holds one word. */
const barePaint = async (browser: Browser): Promise<number> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>bare</title><p>word");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const page = await newPage(browser);
  try {
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    return await firstPaint(page);
  } finally {
    await page.close();
    server.close();
  }
};

/** Bytes and times of the page as a new visitor meets it, with one session of 550 entries. */
export const bench: Bench = () =>
  withServer(
    ({ piDir, workspace }) =>
      writeSession(join(piDir, "sessions/--e2e--/2026-01-01T00-00-00-000Z_long.jsonl"), "long", workspace, {
        entries: 550,
        textBytes: 2_500,
        branchEvery: 60,
      }),
    ({ link, pid }) =>
      inBrowser(async (browser) => {
        const floor: number[] = [];
        const visits: Visit[] = [];
        for (let run = 0; run < RUNS; run += 1) {
          floor.push(await barePaint(browser));
          visits.push(await visit(browser, await link()));
        }
        const least = (of: readonly number[]): number => Math.min(...of);
        return [
          line("first-paint", least(visits.map(({ paint }) => paint)), "ms", RUNS, least(floor)),
          line("first-paint-bytes", least(visits.map(({ bytes }) => bytes)), "kB", RUNS),
          line("first-paint-session", least(visits.map(({ session }) => session)), "ms", RUNS),
          line("first-paint-memory", residentOf(pid), "MB", 1),
        ];
      }),
  );
