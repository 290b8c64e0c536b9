import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { faults } from "./support/faults.ts";
import { TestHome, watch } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");
test.use({ contextOptions: { reducedMotion: "reduce" } });

let home: TestHome;
let file = "";
test.beforeEach(() => {
  home = new TestHome();
  file = home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

interface Line {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly [field: string]: unknown;
}
const lines = (): Line[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as Line);

const openSession = async (page: Page): Promise<void> => {
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Open" }).click();
  await page
    .getByRole("link", { name: /name 2/ })
    .first()
    .click();
  await expect(feedOf(page).getByRole("article").last()).toBeVisible();
  await page.getByRole("button", { name: "Continue here" }).click();
};

const feedOf = (page: Page) => page.getByRole("feed", { name: "Transcript" });
const messageOf = (page: Page) => page.getByRole("textbox", { name: "Message" });
const stateOf = (page: Page) => page.getByRole("status", { name: "Run state" });

/** Presses a key until something has the focus. */
const keyTo = async (page: Page, key: string, name: RegExp, tries = 30): Promise<void> => {
  for (let step = 0; step < tries; step += 1) {
    await page.keyboard.press(key);
    const said = await page.evaluate(() => {
      const focus = document.activeElement;
      return `${focus?.getAttribute("aria-label") ?? ""} ${focus?.textContent ?? ""}`;
    });
    if (name.test(said)) return;
  }
  throw new Error(`${key} never came to ${name}`);
};

test("by keyboard alone: find, go there, branch, label, judge, leave with a summary, undo", async ({
  page,
}) => {
  const wrong = watch(page);
  await openSession(page);
  const before = lines().length;
  // A model that needs no key, chosen by typing.
  await page.keyboard.press("/");
  await expect(messageOf(page)).toBeFocused();
  await page.keyboard.type("/model gardener");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: /^Model: demo\/gardener/ })).toBeVisible();
  const left = (await home.call(`/sessions/${sessionOf(page)}`)) as { leafId: string };

  // Find a message, and read it.
  await messageOf(page).blur();
  await page.keyboard.press("f");
  await expect(page.locator('[data-shortcut="find-in-tree"]')).toBeFocused();
  await page.keyboard.type("kill the entire file");
  await expect(page.getByRole("region", { name: "Entries found" })).toContainText("kill the entire file");
  await keyTo(page, "Tab", /^\s*you.*kill the entire file/i);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\?at=/);
  const found = new URL(page.url()).searchParams.get("at") ?? "";
  await expect(
    feedOf(page)
      .getByText(/brand spanking new/)
      .first(),
  ).toBeVisible();

  // Mark it: a label, and how it ended.
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(feedOf(page)).toBeFocused();
  await page.keyboard.press("j");
  const inHand = page.locator("article:focus");
  await expect(inHand).toHaveCount(1);
  await page.keyboard.press("k");
  await expect(inHand).toContainText("kill the entire file");
  await page.keyboard.press("l");
  await page.keyboard.type("fresh start");
  await page.keyboard.press("Enter");
  await expect(feedOf(page).getByRole("button", { name: "fresh start" })).toBeVisible();
  await expect(inHand).toContainText("kill the entire file");
  await page.keyboard.press("r");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Tab");
  await page.keyboard.type("lost the old file");
  await page.keyboard.press("Enter");
  await expect(feedOf(page).getByRole("button", { name: "Failed lost the old file" })).toBeVisible();

  // Go there: its words are in the field, the place is the one above it.
  await expect(inHand).toContainText("kill the entire file");
  await page.keyboard.press("Shift+F10");
  await expect(page.getByRole("menu", { name: "This item" })).toBeVisible();
  await page.keyboard.press("g");
  await expect(page.getByRole("menuitem", { name: "Go here" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(messageOf(page)).toHaveValue(/kill the entire file/);
  await expect(messageOf(page)).toBeFocused();
  await expect(page.getByRole("note")).toContainText("Sending starts a new branch from");
  const place = lines().find(({ id }) => id === found)?.parentId;

  // What was left is told here, when wanted, without a window in the way.
  const offer = page.getByRole("group", { name: "The branch you left" });
  await expect(offer).toContainText(/You left \d+ entries/);
  expect(await faults(page)).toEqual([]);
  await keyTo(page, "Shift+Tab", /^\s*Summary with focus/);
  await page.keyboard.press("Enter");
  await page.keyboard.type("which files were lost");
  await page.keyboard.press("Enter");
  await expect(feedOf(page).getByText("Summary of a branch that was left")).toBeVisible();
  await expect(stateOf(page)).toContainText("Ready");
  const told = lines().find(({ type }) => type === "branch_summary" && lines().length > before);
  const summaries = lines()
    .slice(before)
    .filter(({ type }) => type === "branch_summary");
  expect(told).toBeDefined();
  expect(summaries).toMatchObject([{ parentId: place, fromId: left.leafId }]);
  // What was in the field is there still, and goes out below the summary.
  await expect(messageOf(page)).toHaveValue(/kill the entire file/);
  await messageOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("read package.json and tell me its name");
  await page.keyboard.press("Enter");
  await expect(
    feedOf(page)
      .getByText(/orchard/)
      .last(),
  ).toBeVisible({ timeout: 30_000 });
  const sent = lines().findLast((line) => JSON.stringify(line).includes("tell me its name"));
  expect(ancestorsOf(sent?.id ?? "")).toContain(summaries[0]?.id);

  // Branch from an item further up, and take it back.
  await feedOf(page).focus();
  const end = (await home.call(`/sessions/${sessionOf(page)}`)) as { leafId: string };
  await page.keyboard.press("[");
  await page.keyboard.press("[");
  await page.keyboard.press("b");
  await expect(page.getByRole("note")).toContainText("Sending starts a new branch from");
  await keyTo(page, "Shift+Tab", /^\s*Cancel/);
  await page.keyboard.press("Enter");
  await expect
    .poll(async () => ((await home.call(`/sessions/${sessionOf(page)}`)) as { leafId: string }).leafId)
    .toBe(end.leafId);
  expect(wrong).toEqual([]);
});

const sessionOf = (page: Page): string => new URL(page.url()).pathname.split("/").at(-1) ?? "";

const ancestorsOf = (id: string): string[] => {
  const parents = new Map(lines().map((line) => [line.id, line.parentId]));
  const found: string[] = [];
  for (let at: string | null | undefined = id; at; at = parents.get(at)) found.push(at);
  return found;
};

test("siblings are stepped through whatever the tree's filter shows; back returns to where one read", async ({
  page,
}) => {
  await openSession(page);
  const feed = feedOf(page);
  await page.getByRole("button", { name: /Filter of the tree/ }).click();
  await page.getByRole("menuitemradio", { name: /Labelled/ }).click();
  await feed.focus();
  await page.keyboard.press("{");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("ARTICLE");
  const urls: string[] = [];
  for (let step = 0; step < 2; step += 1) {
    await page.keyboard.press(step === 0 ? "Shift+ArrowRight" : "Shift+ArrowLeft");
    await page.waitForTimeout(300);
    urls.push(page.url());
  }
  expect(new Set(urls).size).toBeGreaterThan(1);

  // A place in the middle of a path is found again by the browser's own button.
  const first = page.url();
  await feed.evaluate((element) => element.scrollBy(0, 700));
  await page.waitForTimeout(200);
  /** The row at the upper edge, and how far it is scrolled out. */
  const edge = (): Promise<string> =>
    feed.evaluate((element) => {
      const { top } = element.getBoundingClientRect();
      const rows = [...element.querySelectorAll<HTMLElement>("article[data-row]")];
      const row = rows.find((each) => each.getBoundingClientRect().bottom > top + 1);
      return `${row?.dataset.row} ${Math.round((row?.getBoundingClientRect().top ?? 0) - top)}`;
    });
  const seen = await edge();
  await page.getByRole("button", { name: "root" }).click();
  await expect(page).not.toHaveURL(first);
  await page.goBack();
  await expect(page).toHaveURL(first);
  await expect.poll(edge).toBe(seen);
});

test("a session goes on in another folder; one that is not there is said where it was asked", async ({
  page,
}) => {
  await openSession(page);
  const first = page.url();
  await page.getByRole("button", { name: /^This place/ }).click();
  await page.getByRole("menuitem", { name: "Fork into another folder" }).click();
  const folder = page.getByRole("textbox", { name: "Folder" });
  await expect(folder).toBeFocused();
  await folder.fill(join(home.folder, "nowhere"));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("alert")).toContainText("There is no folder");
  expect(await faults(page)).toEqual([]);
  await folder.fill(home.workspace);
  await page.keyboard.press("Enter");
  await expect(page).not.toHaveURL(first);
  await expect(feedOf(page).getByRole("article").last()).toBeVisible();
  await expect(page.getByRole("button", { name: /work/ }).first()).toBeVisible();
});

test("the root can be started from anew", async ({ page }) => {
  await openSession(page);
  await page.getByRole("button", { name: /^This place/ }).click();
  await page.getByRole("menuitem", { name: "Restart from the root" }).click();
  await expect(page.getByRole("note")).toContainText("Sending starts a new branch from the start");
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio", { name: /gardener/i }).click();
  const roots = lines().filter(({ parentId }) => parentId === null).length;
  await messageOf(page).fill("read package.json and tell me its name");
  await messageOf(page).press("Enter");
  await expect(
    feedOf(page)
      .getByText(/orchard/)
      .last(),
  ).toBeVisible({ timeout: 30_000 });
  expect(lines().filter(({ parentId }) => parentId === null).length).toBe(roots + 1);
});

test("what is typed in one tab stays there while another tab's run goes on", async ({ page, context }) => {
  await openSession(page);
  await page.getByRole("button", { name: /^Model/ }).click();
  await page.getByRole("menuitemradio", { name: /gardener/i }).click();
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(feedOf(other).getByRole("article").last()).toBeVisible();
  await messageOf(other).fill("half a thought");
  await other.waitForTimeout(500);
  await messageOf(page).fill("read package.json and tell me its name");
  await messageOf(page).press("Enter");
  await expect(
    feedOf(page)
      .getByText(/orchard/)
      .last(),
  ).toBeVisible({ timeout: 30_000 });
  await expect(
    feedOf(other)
      .getByText(/orchard/)
      .last(),
  ).toBeVisible({ timeout: 30_000 });
  await expect(messageOf(page)).toHaveValue("");
  await expect(messageOf(other)).toHaveValue("half a thought");
});

test.describe("touch, 390 wide", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  test("a long press on an item opens its menu with Branch from here", async ({ page }) => {
    await openSession(page);
    const article = feedOf(page).getByRole("article").last();
    await page.waitForTimeout(500);
    const box = await article.boundingBox();
    if (box === null) throw new Error("not shown");
    const point = { x: box.x + 60, y: box.y + Math.min(box.height / 2, 60) };
    const session = await page.context().newCDPSession(page);
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
    const menu = page.getByRole("menu", { name: "This item" });
    await expect(menu.getByRole("menuitem", { name: "Branch from here" })).toBeVisible();
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect(menu).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await menu.getByRole("menuitem", { name: "Branch from here" }).tap();
    await expect(menu).toHaveCount(0);
  });
});
