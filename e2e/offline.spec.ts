import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { TestHome } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
});
test.afterEach(() => home.close());

test("with the backend gone a seen session is read and labelled, a dropped file is opened, and both come back", async ({
  page,
}) => {
  const file = home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
  const before = readFileSync(file, "utf8");
  const dropped = join(data ?? "", "sessions/pi/pi160-live-a-tools-fork.jsonl");
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Open" }).click();
  await page
    .getByRole("link", { name: /name 2/ })
    .first()
    .click();
  const transcript = page.getByRole("feed", { name: "Transcript" });
  await expect(transcript.getByRole("article").last()).toBeVisible();
  const address = page.url();
  // What is seen is kept in idle time.
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            const open = indexedDB.open("espalier-seen");
            open.onsuccess = () => {
              const count = open.result.transaction("bodies").objectStore("bodies").count();
              count.onsuccess = () => {
                open.result.close();
                resolve(count.result);
              };
            };
            open.onerror = () => resolve(0);
          }),
      ),
    )
    .toBeGreaterThan(5);
  await page.waitForTimeout(3_000);
  await home.stop();
  await expect(page.getByText("Backend stopped")).toBeVisible({ timeout: 20_000 });

  // A label and another place, as entries of this browser.
  const tree = page.getByRole("tree", { name: "Session tree" });
  await tree
    .getByRole("treeitem", { name: /kill the entire file/ })
    .first()
    .click();
  await expect(transcript.getByRole("article").first()).toBeVisible();
  await transcript.getByRole("article").first().focus();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("made offline");
  await dialog.getByRole("textbox").press("Enter");
  await expect(page.getByText("made offline").first()).toBeVisible();
  expect(readFileSync(file, "utf8")).toBe(before);

  // A file that is dropped meanwhile is opened from this browser.
  await page
    .getByRole("link", { name: /Espalier/ })
    .first()
    .click();
  await page.locator('input[type="file"]').setInputFiles(dropped);
  await expect(transcript.getByText("This is the fork.")).toBeVisible();
  await expect(page.getByText("This session is in this browser only")).toBeVisible();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect(readFileSync(await (await saving).path())).toEqual(readFileSync(dropped));

  await home.start();
  await expect(page.getByText("Backend stopped")).toHaveCount(0, { timeout: 20_000 });
  await expect.poll(() => readFileSync(file, "utf8"), { timeout: 20_000 }).toContain("made offline");
  expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  await page.getByRole("button", { name: "Import" }).click();
  await expect(page.getByText("This session is in this browser only")).toHaveCount(0);
  const copies = readdirSync(join(home.dataDir, "sessions"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(home.dataDir, "sessions", name)));
  expect(copies).toEqual([readFileSync(dropped)]);
  await page.goto(address);
  await expect(page.getByText("made offline").first()).toBeVisible();
});
