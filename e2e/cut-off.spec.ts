import { expect, test } from "playwright/test";
import { TestHome } from "./support/server.ts";

test("a run that a kill cut off is said, and goes on by one click", async ({ page }) => {
  const home = new TestHome();
  try {
    await page.goto(await home.start());
    await page.getByRole("button", { name: "Start" }).click();
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("run `sleep 30`");
    await message.press("Enter");
    await expect(page.getByRole("button", { name: "Allow once" })).toBeVisible();
    await home.stop("SIGKILL");
    await home.start();
    const answers = page.getByRole("feed", { name: "Transcript" }).getByRole("article");
    await expect(page.getByText("The run was cut off here")).toBeVisible({ timeout: 20_000 });
    const before = await answers.count();
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await expect.poll(() => answers.count()).toBeGreaterThan(before);
    await expect(page.getByRole("status", { name: "Run state" })).toContainText("Ready");
    await expect(page.getByRole("button", { name: "Continue", exact: true })).toHaveCount(0);
  } finally {
    await home.close();
  }
});
