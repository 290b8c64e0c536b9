import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { inBrowser, newPage } from "./support/browser.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { percentile } from "./support/measure.ts";
import { modelsFile, startProvider } from "./support/provider.ts";
import { withServer } from "./support/running-server.ts";

const TOKENS = 200;
const EVERY_MS = 20;
const tokens = Array.from({ length: TOKENS }, (_, at) => `tok${at}. `);

/** From now on notes when each token is in the page for the first time, epoch ms by the page's clock. */
const watchTokens = (page: Page): Promise<void> =>
  page.evaluate((count) => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    let next = 0;
    const look = (): void => {
      const feed = document.querySelector('[role="feed"]');
      const text = feed?.textContent ?? "";
      const now = performance.timeOrigin + performance.now();
      for (; next < count && text.includes(`tok${next}.`); next += 1) seen.push(now);
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  }, TOKENS);

const seenTokens = async (page: Page): Promise<readonly number[]> => {
  await page.waitForFunction(
    (count) => (window as unknown as { seen: number[] }).seen.length === count,
    TOKENS,
  );
  return page.evaluate(() => (window as unknown as { seen: number[] }).seen);
};

const delays = (sent: readonly number[], seen: readonly number[]): number[] =>
  seen.map((at, index) => at - (sent[index] ?? Number.NaN));

const nowMs = (): number => performance.timeOrigin + performance.now();
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The same tokens by a bare event stream into a bare page. */
const bareDelays = async (browser: Browser): Promise<number[]> => {
  const sent: number[] = [];
  const server = createServer(async (request, response) => {
    if (request.url !== "/stream") {
      response.writeHead(200, { "content-type": "text/html" }).end('<!doctype html><body><p role="feed">');
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const token of tokens) {
      await wait(EVERY_MS);
      sent.push(nowMs());
      response.write(`data: ${token}\n\n`);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const page = await newPage(browser);
  try {
    await page.goto(`http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`);
    await watchTokens(page);
    await page.evaluate(() => {
      const source = new EventSource("/stream");
      source.onmessage = ({ data }) => document.querySelector('[role="feed"]')?.append(`${data} `);
      source.onerror = () => source.close();
    });
    return delays(sent, await seenTokens(page));
  } finally {
    await page.close();
    server.closeAllConnections();
    server.close();
  }
};

/** Model to screen, through the provider's stream, the run, the event stream and the transcript; short and after 1,000 turns. */
export const bench: Bench = async () => {
  let sent: number[] = [];
  const provider = await startProvider(() => ({ tokens, everyMs: EVERY_MS, sent: () => sent.push(nowMs()) }));
  try {
    return await withServer(
      ({ dataDir, piDir, workspace }) => {
        mkdirSync(dataDir, { recursive: true });
        writeFileSync(join(dataDir, "models.json"), modelsFile(provider.url));
        const file = (id: string): string =>
          join(piDir, `sessions/--e2e--/2026-01-01T00-00-00-000Z_${id}.jsonl`);
        const shape = { textBytes: 600, branchEvery: 0 };
        writeSession(file("short"), "short", workspace, { ...shape, entries: 4 });
        writeSession(file("long"), "long", workspace, { ...shape, entries: 4_000 });
      },
      ({ link, post }) =>
        inBrowser(async (browser) => {
          const measure = async (session: string): Promise<number[]> => {
            sent = [];
            const page = await newPage(browser);
            try {
              await page.goto(await link(`/s/${session}`));
              await page.locator('[role="feed"] article').first().waitFor();
              await watchTokens(page);
              await post(`/sessions/${session}/commands`, {
                type: "prompt",
                text: "go",
                model: "bench/steps",
              });
              return delays(sent, await seenTokens(page));
            } finally {
              await page.close();
            }
          };
          const floor = await bareDelays(browser);
          const lines = (name: string, of: readonly number[]): Line[] =>
            ([50, 95] as const).map((share) =>
              line(
                `${name}-p${share}`,
                percentile(of, share / 100),
                "ms",
                of.length,
                percentile(floor, share / 100),
              ),
            );
          return [
            ...lines("token-to-dom", await measure("short")),
            ...lines("token-to-dom-long", await measure("long")),
          ];
        }),
    );
  } finally {
    await provider.close();
  }
};
