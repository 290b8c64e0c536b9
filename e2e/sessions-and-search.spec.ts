import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { faults } from "./support/faults.ts";
import { TestHome, watch } from "./support/server.ts";

let home: TestHome;
test.afterEach(() => home.close());

const stamp = (at: number): string => new Date(Date.UTC(2026, 0, 1) + at * 60_000).toISOString();
const usage = {
  input: 900,
  output: 300,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 1200,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.42 },
};

/** A session of a question and an answer, in our folder or in pi's; returns its path. */
const addSession = (
  root: string,
  id: string,
  at: number,
  said: readonly [string, string],
  more: { cwd?: string; parentSession?: string } = {},
): string => {
  const folder = join(root, "sessions", "--orchard--");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${stamp(at).replace(/[:.]/g, "-")}_${id}.jsonl`);
  const [asked, answered] = said;
  const answer = {
    role: "assistant",
    content: [{ type: "text", text: answered }],
    api: "a",
    provider: "p",
    model: "m",
  };
  const lines = [
    { type: "session", version: 3, id, timestamp: stamp(at), cwd: "/orchard", ...more },
    {
      type: "message",
      id: "u1",
      parentId: null,
      timestamp: stamp(at),
      message: { role: "user", content: asked, timestamp: 1 },
    },
    {
      type: "message",
      id: "a1",
      parentId: "u1",
      timestamp: stamp(at),
      message: { ...answer, usage, stopReason: "stop", timestamp: 1 },
    },
  ];
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  return path;
};

test.beforeEach(() => {
  home = new TestHome();
  const origin = addSession(home.dataDir, "pears", 1, ["How do I prune pears?", "In winter, above a bud."]);
  addSession(home.dataDir, "quinces", 3, ["And quinces?", "Hardly at all: thin the wood."], {
    parentSession: origin,
  });
  addSession(home.dataDir, "wires", 2, ["Which wire for the espalier?", "Galvanised, 2.5 mm."], {
    cwd: "/garden/wall",
  });
  addSession(home.piDir, "plums", 4, [
    "When do plums flower?",
    "Early. Mind the frost; src/frost-table.ts knows.",
  ]);
});

const panel = (page: Page) => page.getByRole("navigation", { name: "Sessions" });

test("sessions are listed by folder, forks under their origin, filtered and sorted", async ({ page }) => {
  const wrong = watch(page);
  await page.goto(await home.start());
  const links = panel(page).getByRole("link");
  await expect(links).toHaveCount(4);
  await expect(panel(page).getByRole("heading")).toHaveText([/orchard\s*3/, /garden\/wall\s*1/]);
  await expect(links.nth(0)).toContainText("When do plums flower?");
  await expect(links.nth(1)).toContainText("How do I prune pears?");
  await expect(links.nth(2)).toContainText("fork: And quinces?");
  await expect(links.nth(2)).toContainText("$0.42");
  await panel(page).getByRole("searchbox", { name: "Find a session" }).fill("wire");
  await expect(links).toHaveCount(1);
  await panel(page).getByRole("searchbox", { name: "Find a session" }).fill("");
  await panel(page).getByRole("button", { name: "Sort and filter" }).click();
  await page.getByRole("menuitemradio", { name: "pi", exact: true }).click();
  await expect(links).toHaveCount(1);
  await expect(links).toContainText("plums");
  await expect.poll(() => faults(page)).toEqual([]);
  expect(wrong).toEqual([]);
});

test("a search through all sessions opens at the entry, and the address keeps it", async ({ page }) => {
  await page.goto(await home.start());
  await panel(page).getByRole("searchbox", { name: "Search all sessions" }).fill("frost-tab");
  const hit = panel(page).getByRole("link", { name: /answer/ });
  await expect(hit).toHaveCount(1);
  await expect(hit.locator("mark")).toHaveText("frost-tab");
  await expect(page).toHaveURL(/\?q=frost-tab/);
  await expect.poll(() => faults(page)).toEqual([]);
  await hit.click();
  await expect(page).toHaveURL(/\/s\/plums\?at=a1/);
  await expect(page.getByRole("feed", { name: "Transcript" })).toContainText("Mind the frost");
  await page.goBack();
  await expect(panel(page).getByRole("searchbox", { name: "Search all sessions" })).toHaveValue("frost-tab");
  await panel(page).getByRole("searchbox", { name: "Search all sessions" }).fill("nowhere at all");
  await expect(panel(page).getByText("Nothing found in any session.")).toBeVisible();
});

test("by keys a session is renamed, moved to the trash and brought back", async ({ page }) => {
  await page.goto(await home.start());
  const links = panel(page).getByRole("link");
  await expect(links).toHaveCount(4);
  await links.nth(1).focus();
  await page.keyboard.press("ArrowDown");
  await expect(links.nth(2)).toBeFocused();
  await page.keyboard.press("End");
  await expect(links.nth(3)).toBeFocused();
  await page.keyboard.press("r");
  await page.getByRole("textbox", { name: "Name of the session" }).fill("The garden wall");
  await page.keyboard.press("Enter");
  await expect(links.nth(3)).toContainText("The garden wall");
  await links.nth(3).focus();
  await page.keyboard.press("Delete");
  await expect(links).toHaveCount(3);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(links).toHaveCount(4);
  await expect(panel(page)).toContainText("The garden wall");
});

test("a file of pi's is moved only after a question, and the trash gives it back", async ({ page }) => {
  await page.goto(await home.start());
  const row = panel(page).getByRole("link", { name: /plums/ });
  await row.click({ button: "right" });
  await page.getByRole("menuitem", { name: "Move to trash" }).click();
  await expect(page.getByRole("dialog", { name: "Move to trash" })).toContainText("pi's folder");
  await page.getByRole("button", { name: "Move to trash" }).click();
  await expect(row).toHaveCount(0);
  await panel(page).getByRole("button", { name: "Sort and filter" }).click();
  await page.getByRole("menuitem", { name: "Trash" }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(page.getByText("The trash is empty.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(row).toHaveCount(1);
});
