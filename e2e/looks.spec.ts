import { join } from "node:path";
import { expect, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { faults } from "./support/faults.ts";
import { TestHome, watch } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

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
