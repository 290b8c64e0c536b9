import { join } from "node:path";
import { expect, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { openRecorded } from "./support/recorded-session.ts";
import { TestHome } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

test("the tree is filtered, and the focus comes back from menu and window", async ({ page }) => {
  await openRecorded(page, home);
  const filter = page.getByRole("button", { name: /Filter of the tree/ });
  await filter.click();
  await page.getByRole("menuitemradio", { name: /User only/ }).click();
  await expect(page.getByText(/^\d+ of \d+ entries$/)).toBeVisible();
  await expect(filter).toBeFocused();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(filter).toBeFocused();
  await filter.click();
  await page.getByRole("menuitemradio", { name: /Labelled/ }).click();
  await expect(page.getByText("Nothing carries a label yet.")).toBeVisible();
});

test("all calls open and close by a key, which means something else after g", async ({ page }) => {
  await openRecorded(page, home);
  const feed = page.getByRole("feed", { name: "Transcript" });
  const calls = (open: boolean) =>
    feed.locator(`article header button[aria-expanded=${open}]:not([aria-haspopup])`);
  await feed.focus();
  await page.keyboard.press("o");
  await expect(calls(false)).toHaveCount(0);
  await page.keyboard.press("o");
  await expect(calls(true)).toHaveCount(0);
  await page.keyboard.press("g");
  await page.keyboard.press("s");
  await expect(page).toHaveURL(/\/$/);
});

test.describe("390 wide", () => {
  test.use({ viewport: { width: 390, height: 844 } });
  test("window, commands and model are in the menu", async ({ page }) => {
    await openRecorded(page, home);
    const more = page.getByRole("button", { name: "More" });
    await more.click();
    await expect(page.getByRole("menuitemradio", { name: /Gardener/ })).toBeVisible();
    await page.getByRole("menuitem", { name: "What is in the window" }).click();
    await expect(page.getByText("Not broken down")).toBeVisible();
    await page.getByRole("button", { name: "Close" }).click();
    await expect(more).toBeFocused();
  });
});
