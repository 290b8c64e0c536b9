import { expect, type Page } from "playwright/test";
import type { TestHome } from "./server.ts";

/** Opens the recorded tree (`tree-s4`, the only session of the home) by the first page, at its leaf. */
export const openRecorded = async (page: Page, home: TestHome): Promise<void> => {
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Open" }).click();
  await page
    .getByRole("link", { name: /name 2/ })
    .first()
    .click();
  await expect(page.getByRole("feed", { name: "Transcript" }).getByRole("article").last()).toBeVisible();
};
