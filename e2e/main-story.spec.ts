import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { TestHome, watch } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
});
test.afterEach(() => home.close());

const hash = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");
const lines = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");
const send = async (page: Page, text: string): Promise<void> => {
  await page.getByRole("textbox", { name: "Message" }).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
};

test("a pi session is read, branched, continued, interrupted and taken up again", async ({ page }) => {
  const file = home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
  const before = lines(file);
  const untouched = hash(file);
  const wrong = watch(page);
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Open" }).click();
  await page
    .getByRole("link", { name: /name 2/ })
    .first()
    .click();

  const tree = page.getByRole("tree", { name: "Session tree" });
  await expect(tree).toBeVisible();
  await expect(page.getByText("10 ends")).toBeVisible();
  const transcript = page.getByRole("feed", { name: "Transcript" });
  await expect(transcript.getByRole("article").last()).toBeVisible();

  // Reading another branch is a place in the address and nothing else.
  const here = page.url();
  await tree
    .getByRole("treeitem", { name: /kill the entire file/ })
    .first()
    .click();
  await expect(page).not.toHaveURL(here);
  await expect(transcript.getByText(/brand spanking new/).first()).toBeVisible();
  expect(hash(file)).toBe(untouched);

  await page.getByRole("button", { name: "Continue here" }).click();
  await transcript
    .getByText(/brand spanking new/)
    .first()
    .hover();
  await page.getByRole("button", { name: "Branch from here" }).first().click();
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio", { name: /gardener/i }).click();
  await send(page, "run `echo begin; sleep 30; echo end`");

  // The tool asks first.
  const allow = page.getByRole("button", { name: "Allow once" });
  await expect(allow).toBeVisible();
  await allow.click();
  await expect(transcript.getByText("begin", { exact: true })).toBeVisible();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText(/Running|Working|bash/);

  await page.reload();
  await expect(transcript.getByText("begin", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText(/Stopped|Ready/);
  await expect(page.getByText("11 ends")).toBeVisible();
  expect(lines(file).slice(0, before.length)).toEqual(before);

  expect(await home.stop()).toBe(0);
  await home.start();
  await send(page, "read package.json and tell me its name");
  await expect(transcript.getByText(/orchard/).last()).toBeVisible({ timeout: 30_000 });
  expect(lines(file).slice(0, before.length)).toEqual(before);
  for (const line of lines(file)) JSON.parse(line);
  expect(wrong).toEqual([]);
});
