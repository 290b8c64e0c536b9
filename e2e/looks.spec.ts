import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { TestHome, watch } from "./support/server.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Accessibility faults by WCAG 2.1 A and AA, as short lines. The script is put in by the test's own debugger, beside the page's policy. */
const faults = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then(({ violations }) => violations)',
  )) as Violation[];
  return found.map(({ id, nodes }) => {
    const told = nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary ?? ""}`);
    return `${id}: ${told.slice(0, 3).join(" | ")}`;
  });
};

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${width} wide, ${colorScheme}`, () => {
      // The page is judged at rest, without motion: a colour half way through its change is no fault.
      test.use({ viewport: { width, height }, colorScheme, contextOptions: { reducedMotion: "reduce" } });
      test("first page and session are accessible, fit the width and break no policy", async ({ page }) => {
        const wrong = watch(page);
        await page.goto(await home.start());
        await expect(page.getByRole("button", { name: "Start" })).toBeVisible();
        await expect(page.getByRole("button", { name: "Open" })).toBeEnabled();
        await expect.poll(() => faults(page)).toEqual([]);
        await page.goto(new URL("/", page.url()).href);
        await page.getByRole("button", { name: "Open" }).click();
        await page
          .getByRole("link", { name: /name 2/ })
          .first()
          .click();
        await expect(
          page.getByRole("feed", { name: "Transcript" }).getByRole("article").last(),
        ).toBeVisible();
        await expect.poll(() => faults(page)).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        expect(wrong).toEqual([]);
      });
    });
  }
}

test("every key of the tree works without a mouse", async ({ page }) => {
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Open" }).click();
  await page
    .getByRole("link", { name: /name 2/ })
    .first()
    .click();
  const tree = page.getByRole("tree", { name: "Session tree" });
  await expect(tree).toBeVisible();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await tree.getByRole("treeitem", { selected: true }).focus();
  await page.keyboard.press("Home");
  await expect.poll(focused).toContain("alright, read");
  await page.keyboard.press("ArrowDown");
  await expect.poll(focused).not.toContain("alright, read");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\?at=/);
  await page.keyboard.press("/");
  await expect(page.getByRole("textbox", { name: "Message" })).toBeFocused();
});
