import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { faults } from "./support/faults.ts";
import { openRecorded } from "./support/recorded-session.ts";
import { TestHome, watch } from "./support/server.ts";

const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");
test.use({ contextOptions: { reducedMotion: "reduce" } });

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

const mapOf = (page: Page) => page.getByRole("application", { name: "Session map" });

/** Opens the map by its keys; answers what is said of the node in hand. */
const openMap = async (page: Page) => {
  await page.getByRole("feed", { name: "Transcript" }).focus();
  await page.keyboard.press("g");
  await page.keyboard.press("m");
  await expect(mapOf(page)).toBeFocused();
  await expect(page.locator("canvas[data-drawn]")).toHaveCount(1);
  return page.locator("#map-chosen");
};

/** The card of the map's node. */
const cardOf = (page: Page) =>
  page.getByRole("group", { name: /./ }).filter({ has: page.getByRole("button", { name: "Go here" }) });

/** Where the node in hand lies: its card stands 30 px under its middle and 20 px left of it. */
const nodeOf = async (page: Page): Promise<readonly [number, number]> => {
  // Where it was put counts from the next frame on.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const box = await cardOf(page).boundingBox();
  if (!box) throw new Error("there is no card");
  return [box.x + 24, box.y - 30];
};

test("by keyboard alone: walk the map, go somewhere, zoom, mark two, compare", async ({ page }) => {
  const wrong = watch(page);
  await openRecorded(page, home);
  const said = await openMap(page);
  await expect(page).toHaveURL(/view=map/);
  await expect(said).toContainText("you are here");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(said).toContainText("fork of 2");
  await page.keyboard.press("ArrowUp");
  await expect(said).toContainText("branch");
  for (let step = 0; step < 6; step += 1) await page.keyboard.press("ArrowRight");
  await expect(said).toContainText("left open");
  for (const key of ["+", "+", "-", "0"]) await page.keyboard.press(key);
  await page.keyboard.press("Shift+ArrowLeft");
  const before = await said.textContent();
  await page.keyboard.press("Enter");
  await expect(said).toContainText("you are here");
  expect((await said.textContent())?.split(",")[0]).toBe(before?.split(",")[0]);
  await expect(mapOf(page)).toBeFocused();

  await page.keyboard.press("Space");
  await expect(said).toContainText("marked A");
  await page.keyboard.press("Home");
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await expect(said).toContainText("marked B");
  // The outline shows the same marks: one selection for both.
  await expect(page.getByRole("treeitem", { name: /marked B/ })).toHaveCount(1);
  await page.keyboard.press("c");
  await expect(page).toHaveURL(/[?&]a=[^&]+&b=[^&]+/);
  expect(wrong).toEqual([]);
});

test("outline and map have one node in hand; the back button returns", async ({ page }) => {
  await openRecorded(page, home);
  const said = await openMap(page);
  const row = page.getByRole("treeitem", { name: /slight steering/ }).first();
  await row.focus();
  await expect(said).toContainText("slight steering");
  await mapOf(page).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.locator('[role="treeitem"][data-chosen]')).toHaveCount(1);
  await expect(page.locator('[role="treeitem"][data-chosen]')).not.toContainText("slight steering");
  // A click beside the map takes a node in hand; it does not leave the map.
  await page
    .getByRole("treeitem", { name: /you can look up/ })
    .first()
    .click();
  await expect(said).toContainText("you can look up");
  await expect(mapOf(page)).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("feed", { name: "Transcript" })).toBeVisible();
  await page.goForward();
  await expect(mapOf(page)).toBeVisible();
});

test("the card has the verbs of its node; a drag from node to node compares, one beside them moves the map", async ({
  page,
}) => {
  await openRecorded(page, home);
  await openMap(page);
  await page.keyboard.press("0");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  const card = cardOf(page);
  await expect(card).toContainText(/entries|entry/);
  const [x, y] = await nodeOf(page);
  await page.keyboard.press("ArrowUp");
  const [toX, toY] = await nodeOf(page);
  expect(toY).toBeLessThan(y);
  await card.getByRole("button", { name: "Compare" }).click();
  await expect(card.getByRole("button", { name: "Marked A" })).toBeVisible();
  await mapOf(page).focus();
  await page.keyboard.press("Escape");
  await expect(card).toHaveCount(0);

  const box = await mapOf(page).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 60, (box?.y ?? 0) + 560);
  await page.mouse.down();
  await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 580, { steps: 4 });
  await page.mouse.up();
  await page.mouse.click(toX + 40, toY + 20);
  await expect(card).toBeVisible();
  await page.keyboard.press("Escape");

  await page.mouse.move(x + 40, y + 20);
  await page.mouse.down();
  await page.mouse.move(toX + 20, toY + 60, { steps: 4 });
  await page.mouse.move(toX + 40, toY + 20, { steps: 4 });
  await page.mouse.up();
  await expect(page).toHaveURL(/[?&]a=[^&]+&b=[^&]+/);
});

test("the outline of a long session keeps the focus from one end to the other", async ({ page }) => {
  const lines: unknown[] = [
    { type: "session", version: 3, id: "long", timestamp: "2026-01-01T00:00:00.000Z", cwd: home.workspace },
  ];
  for (let at = 0; at < 4_000; at += 1) {
    const content = [{ type: "text", text: `words ${at}` }];
    const answer = { api: "a", provider: "p", model: "m", stopReason: "stop", usage: NO_USAGE };
    const message = at % 4 === 0 ? { role: "user", content } : { role: "assistant", content, ...answer };
    const id = (0x10000000 + at).toString(16);
    const parentId = at === 0 ? null : (0x10000000 + at - 1).toString(16);
    const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();
    lines.push({ type: "message", id, parentId, timestamp, message: { ...message, timestamp: at } });
  }
  const file = lines.map((line) => JSON.stringify(line)).join("\n");
  writeFileSync(join(home.piDir, "sessions/--e2e--/2026-01-01T00-00-00-000Z_long.jsonl"), `${file}\n`);
  const link = new URL(await home.start());
  link.pathname = "/s/long";
  await page.goto(link.href);
  const tree = page.getByRole("tree", { name: "Session tree" });
  await tree.locator('[tabindex="0"]').focus();
  for (const [key, place] of [
    ["Home", 1],
    ["ArrowDown", 2],
    ["End", 2_000],
    ["ArrowUp", 1_999],
    ["Home", 1],
  ] as const) {
    await page.keyboard.press(key);
    await expect(tree.locator(":focus")).toHaveAttribute("aria-posinset", String(place));
  }
});

test.describe("with fingers", () => {
  test.use({ viewport: { width: 1440, height: 900 }, hasTouch: true });
  test("a tap shows the card, two fingers zoom, a finger that rests branches", async ({ page }) => {
    await openRecorded(page, home);
    await openMap(page);
    const card = cardOf(page);
    const touch = await page.context().newCDPSession(page);
    const fingers = (type: "touchStart" | "touchMove" | "touchEnd", ...at: readonly (readonly number[])[]) =>
      touch.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: at.map(([x = 0, y = 0], id) => ({ x, y, id })),
      });
    /** Two neighbours on the path, by keys. */
    const apart = async () => {
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      const first = await nodeOf(page);
      await page.keyboard.press("ArrowRight");
      const second = await nodeOf(page);
      await page.keyboard.press("Escape");
      await expect(card).toHaveCount(0);
      return { first, second, distance: second[0] - first[0] };
    };
    await page.keyboard.press("0");
    const before = await apart();
    const [x, y] = [500, 400];
    await fingers("touchStart", [x - 50, y], [x + 50, y]);
    for (const wide of [60, 80, 100]) await fingers("touchMove", [x - wide, y], [x + wide, y]);
    await fingers("touchEnd");
    const after = await apart();
    expect(after.distance).toBeGreaterThan(1.5 * before.distance);

    await page.touchscreen.tap(...after.second);
    await expect(card).toBeVisible();
    await fingers("touchStart", after.second);
    await expect(page).not.toHaveURL(/view=map/);
    await fingers("touchEnd");
    await expect(page.getByRole("textbox", { name: "Message" })).toBeVisible();
  });
});

for (const [width, height] of [
  [1440, 900],
  [390, 844],
] as const)
  for (const colorScheme of ["light", "dark"] as const)
    test.describe(`${width} wide, ${colorScheme}`, () => {
      test.use({ viewport: { width, height }, colorScheme });
      test("the map is accessible and fits the width", async ({ page }) => {
        const wrong = watch(page);
        await openRecorded(page, home);
        const said = await openMap(page);
        await page.keyboard.press("ArrowLeft");
        await expect(said).not.toBeEmpty();
        await expect.poll(() => faults(page)).toEqual([]);
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        expect(wrong).toEqual([]);
      });
    });
