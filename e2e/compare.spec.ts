import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Comparison } from "@espalier/protocol";
import { expect, type Page, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { TestHome, watch } from "./support/server.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const data = dataFolder();
test.skip(data === null, "the recorded sessions are not here (set ESPALIER_DATA)");

const SESSION = "tree-s4";
/** Two ends of the recorded session, four turns and no turn below their fork. */
const A = "089115a4";
const B = "ae00230a";
/** An answer beside another one. */
const SIBLING = "54a9d579";

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
  home.addPiSession(join(data ?? "", "sessions/pi/tree-s4.v3.jsonl"));
});
test.afterEach(() => home.close());

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

const seriousFaults = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then(({ violations }) => violations)',
  )) as Violation[];
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
};

/** Opens the comparison of two ends by its address. */
const open = async (page: Page, a = A, b = B): Promise<Comparison> => {
  await page.goto(await home.start());
  await expect(page.getByRole("button", { name: "Open" })).toBeEnabled();
  const { sessions } = (await home.call("/sessions")) as { sessions: { id: string }[] };
  const id = sessions[0]?.id ?? SESSION;
  await page.goto(new URL(`/s/${encodeURIComponent(id)}?a=${a}&b=${b}`, page.url()).href);
  await expect(page.getByRole("region", { name: "Compare branches" })).toBeVisible();
  return (await home.call(`/sessions/${encodeURIComponent(id)}/compare?a=${a}&b=${b}`)) as Comparison;
};

const shot = async (page: Page, name: string): Promise<void> => {
  const folder = process.env.ESPALIER_SHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
};

test("two branches are compared, one is carried over to the other and taken back", async ({ page }) => {
  const wrong = watch(page);
  const { a, b } = await open(page);
  const region = page.getByRole("region", { name: "Compare branches" });
  await expect(region.getByRole("heading", { name: /^Two ways from/ })).toBeVisible();
  for (const [letter, report] of [
    ["A", a],
    ["B", b],
  ] as const) {
    const row = region
      .getByRole("row")
      .filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${letter}\\s`) }) });
    const cells = await row.first().getByRole("cell").allTextContents();
    expect(cells.slice(0, 5)).toEqual(
      [report.entries, report.turns, report.calls, report.failed, report.tokens].map((value) =>
        value.toLocaleString("en-US"),
      ),
    );
    expect(cells[7]).toBe(String(report.files.length));
    expect(cells[8]).toBe(report.check?.says ?? "none");
  }
  await shot(page, "outcome");

  await page.getByRole("tab", { name: "Outcome" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Transcript" })).toHaveAttribute("aria-selected", "true");
  await expect(region.getByRole("article").first()).toBeVisible();
  await shot(page, "transcript");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: /Files/ })).toHaveAttribute("aria-selected", "true");
  const paths = new Set([...a.files, ...b.files].map(({ path }) => path));
  await expect(region.getByRole("button", { name: /^(Show( [AB])?|Hide), / })).toHaveCount(paths.size);
  await expect(region.getByText(/shell commands may have changed files besides/)).toBeVisible();
  await shot(page, "files");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: /Summaries/ })).toHaveAttribute("aria-selected", "true");

  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export comparison" }).click();
  const text = readFileSync(await (await saved).path(), "utf8");
  expect(text).toMatch(/^# Two ways from /);
  for (const path of paths) expect(text).toContain(path);

  await page.getByRole("button", { name: "Carry A over to B" }).click();
  const dialog = page.getByRole("dialog", { name: "Carry A over to B" });
  await dialog.getByRole("radio", { name: /Chosen messages/ }).check();
  await expect(dialog.getByRole("button", { name: "Carry over" })).toBeDisabled();
  await dialog
    .getByRole("checkbox", { name: /^Assistant/ })
    .last()
    .check();
  await shot(page, "carry");
  await dialog.getByRole("button", { name: "Carry over" }).click();
  await expect(page.getByText("A was carried over to B.")).toBeVisible();
  await page.getByRole("tab", { name: /Summaries/ }).click();
  await expect(region.getByRole("article", { name: "Branch summary" }).last()).toContainText("Carried over");
  await shot(page, "summaries");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Back where it was.")).toBeVisible();

  await page.getByRole("button", { name: "Swap" }).click();
  await expect(page).toHaveURL(new RegExp(`a=${B}&b=${A}`));
  await page.getByRole("button", { name: "Continue A" }).click();
  // What is left is long enough to be asked about.
  const leave = page.getByRole("dialog").getByRole("button", { name: "Go", exact: true });
  const message = page.getByRole("textbox", { name: "Message" });
  await expect(leave.or(message)).toBeVisible();
  if (await leave.isVisible()) await leave.click();
  await expect(message).toBeFocused();
  await expect(page.getByRole("region", { name: "Compare branches" })).toHaveCount(0);
  expect(wrong).toEqual([]);
});

test("two places of the transcript are compared from their menus", async ({ page }) => {
  const wrong = watch(page);
  await open(page);
  await page.getByRole("region", { name: "Compare branches" }).press("Escape");
  const feed = page.getByRole("feed", { name: "Transcript" });
  const branch = feed.getByRole("button", { name: /^Compare with branch/ }).first();
  await feed.focus();
  const more = feed.getByRole("button", { name: "Actions of this item" });
  await more.last().click();
  await page.getByRole("menuitem", { name: "Compare with another place" }).click();
  await expect(page.getByText(/^Marked\./)).toBeVisible();
  await more.first().click();
  await page.getByRole("menuitem", { name: "Compare with here" }).click();
  await expect(page.getByRole("region", { name: "Compare branches" })).toBeVisible();
  await page.goBack();
  await expect(feed).toBeVisible();
  await page.goto(new URL(`?at=${SIBLING}`, page.url()).href);
  await branch.click({ timeout: 15_000 });
  await expect(page.getByRole("region", { name: "Compare branches" })).toBeVisible();
  await expect(page.getByRole("heading", { name: /^Two ways from/ })).toBeVisible();
  expect(wrong).toEqual([]);
});

test("files and a summary are carried over too, and each is told on the Summaries tab", async ({ page }) => {
  const wrong = watch(page);
  // The other way round: this branch changed the files.
  const { a } = await open(page, B, A);
  const region = page.getByRole("region", { name: "Compare branches" });
  const dialog = page.getByRole("dialog", { name: "Carry A over to B" });
  await page.getByRole("button", { name: "Carry A over to B" }).click();
  await dialog.getByRole("radio", { name: /Chosen files/ }).check();
  await expect(dialog.getByRole("checkbox")).toHaveCount(a.files.length);
  await dialog.getByRole("checkbox", { name: /cli-new\.ts/ }).check();
  await shot(page, "carry-files");
  await dialog.getByRole("button", { name: "Carry over" }).click();
  await expect(page.getByText("A was carried over to B.")).toBeVisible();
  await page.getByRole("button", { name: "Dismiss" }).first().click();

  await page.getByRole("button", { name: "Carry A over to B" }).click();
  await dialog.getByRole("textbox", { name: "What the summary should look at" }).fill("what failed");
  await dialog.getByRole("button", { name: "Carry over" }).click();
  await expect(dialog).toHaveCount(0);
  await region.getByRole("tab", { name: /Summaries/ }).click();
  const told = region.getByRole("region", { name: "Summaries of B" }).getByRole("article");
  await expect(told).toHaveCount(2);
  await expect(told.filter({ hasText: "cli-new.ts" }).first()).toBeVisible();
  await shot(page, "two-summaries");
  expect(wrong).toEqual([]);
});

test("Esc closes and goes back to where one was", async ({ page }) => {
  await open(page);
  await page.getByRole("region", { name: "Compare branches" }).press("Escape");
  await expect(page.getByRole("feed", { name: "Transcript" })).toBeVisible();
});

for (const [width, height] of [
  [1440, 900],
  [900, 700],
  [390, 844],
] as const)
  for (const colorScheme of ["light", "dark"] as const)
    test.describe(`${width} wide, ${colorScheme}`, () => {
      test.use({ viewport: { width, height }, colorScheme, contextOptions: { reducedMotion: "reduce" } });
      test("a comparison is accessible and fits the width", async ({ page }) => {
        const wrong = watch(page);
        await open(page);
        const region = page.getByRole("region", { name: "Compare branches" });
        for (const name of [/Outcome/, /Transcript/, /Files/, /Summaries/]) {
          await region.getByRole("tab", { name }).click();
          if (String(name) === "/Transcript/")
            await expect(region.getByRole("article").first()).toBeVisible();
          await expect.poll(() => seriousFaults(page)).toEqual([]);
          await shot(page, `${width}-${colorScheme}-${String(name).replaceAll("/", "")}`);
        }
        expect(
          await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        ).toBeLessThanOrEqual(0);
        expect(wrong).toEqual([]);
      });
    });
