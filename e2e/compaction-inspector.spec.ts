import { join } from "node:path";
import { expect, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { faults } from "./support/faults.ts";
import { TestHome, watch } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

const SESSION = "/s/d703a1a9-1b7b-4fb1-b512-c9738b1fe617";
const SECOND = `${SESSION}?compaction=3556d295`;

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-large.v3.jsonl"));
});
test.afterEach(() => home.close());

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme, contextOptions: { reducedMotion: "reduce" } });
    test("a compaction is looked into, compared with the one before, and undone", async ({ page }) => {
      const wrong = watch(page);
      await page.goto(await home.start());
      await page.goto(new URL(SECOND, page.url()).href);
      const inspector = page.getByRole("region", { name: "Compaction inspector" });
      await expect(inspector.getByRole("heading", { name: "Compaction 2 of 2" })).toBeVisible();
      const put = inspector.getByRole("region", { name: "Summarised" });
      await expect(put.getByText("no, dimGray should be that")).toBeVisible();
      await expect(
        inspector.getByRole("region", { name: "Kept" }).getByText("yes, in old pi link url"),
      ).toBeVisible();
      const summary = inspector.getByRole("region", { name: "Summary", exact: true });
      await expect(summary.getByText("Second, iterative compaction.")).toBeVisible();
      await summary.getByRole("button", { name: "Diff" }).click();
      await expect(summary.locator("ins").first()).toBeVisible();
      await expect(summary.locator("del").first()).toBeVisible();
      await expect(inspector.getByText(/identifiers 0 of \d+/)).toBeVisible();
      await expect.poll(() => faults(page)).toEqual([]);
      await inspector.getByRole("button", { name: "Edit summary" }).click();
      await expect(page.getByRole("dialog", { name: "Edit the summary" })).toBeVisible();
      await expect.poll(() => faults(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await inspector.getByRole("button", { name: "Compaction before" }).click();
      await expect(page).toHaveURL(/compaction=eced8ad2/);
      await expect(inspector.getByRole("heading", { name: "Compaction 1 of 2" })).toBeVisible();
      await page.goBack();
      await expect(inspector.getByRole("heading", { name: "Compaction 2 of 2" })).toBeVisible();
      await inspector.getByRole("button", { name: "Restore to before" }).click();
      await expect(page.getByRole("feed", { name: "Transcript" })).toBeVisible();
      await page.getByRole("button", { name: "Undo" }).click();
      await expect(page.getByText("a second root").first()).toBeVisible();
      expect(wrong).toEqual([]);
    });
  });
}

test("a summary is written by hand, and what was lost is kept word for word", async ({ page }) => {
  await page.goto(await home.start());
  await page.goto(new URL(SECOND, page.url()).href);
  const inspector = page.getByRole("region", { name: "Compaction inspector" });
  await inspector.getByRole("button", { name: "Edit summary" }).click();
  await page.getByRole("textbox", { name: "Summary" }).fill("## Goal\nKeep the old grey.");
  await page.getByRole("button", { name: "Use this summary" }).click();
  await expect(page.getByText("The model sees your summary from here on.")).toBeVisible();
  const feed = page.getByRole("feed", { name: "Transcript" });
  await feed.getByRole("button", { name: "Inspect" }).last().click();
  await expect(inspector.getByText("Keep the old grey.")).toBeVisible();
  await inspector.getByRole("checkbox", { name: "dimGray" }).check();
  await inspector.getByRole("button", { name: "Keep 1 verbatim" }).click();
  await feed.getByRole("button", { name: "Inspect" }).last().click();
  await expect(inspector.getByText("Keep Verbatim")).toBeVisible();
  await expect(inspector.getByText("Keep the old grey.")).toBeVisible();
});

test("a compaction is looked at before it is made, and its cut is moved by keys", async ({ page }) => {
  const own = new TestHome();
  own.addPiSession(join(data ?? "", "sessions/pi/before-compaction.jsonl"));
  try {
    await page.goto(await own.start());
    const list = page.getByRole("navigation", { name: "Sessions" });
    const link = await list.getByRole("link").first().getAttribute("href");
    await page.goto(new URL(`${link?.split("?")[0]}?compaction=preview`, page.url()).href);
    const preview = page.getByRole("region", { name: "Compaction inspector" });
    const slider = preview.getByRole("slider", { name: "Where to cut" });
    await expect(slider).toBeVisible();
    await expect(preview.getByText("This is where it would cut by itself.")).toBeVisible();
    const before = await preview.getByRole("status").innerText();
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    await expect(preview.getByText("Moved by you.")).toBeVisible();
    expect(await preview.getByRole("status").innerText()).not.toBe(before);
    await expect.poll(() => faults(page)).toEqual([]);
    await preview.getByRole("button", { name: "Cancel" }).click();
    await expect(page.getByRole("feed", { name: "Transcript" })).toBeVisible();
  } finally {
    await own.close();
  }
});
