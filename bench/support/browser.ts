import { type Browser, chromium, type Page } from "playwright";
import { findChromium } from "../../scripts/chromium.js";

/** Gives `work` a Chromium and closes it afterwards. */
export const inBrowser = async <Result>(work: (browser: Browser) => Promise<Result>): Promise<Result> => {
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
};

/** A page at the size of a desk's screen. */
export const newPage = async (browser: Browser): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(20_000);
  // The bench's own functions run in the page; the loader that strips their types leaves calls of this in them.
  await page.addInitScript("globalThis.__name = (named) => named;");
  return page;
};
