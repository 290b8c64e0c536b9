import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "playwright/test";
import { dataFolder } from "../testing/data-folder.ts";
import { TestHome, watch } from "./support/server.ts";

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
});
test.afterEach(() => home.close());

const sessionFiles = (): string[] =>
  readdirSync(join(home.dataDir, "sessions"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(home.dataDir, "sessions", name));

test("without a key there is one page that says how to get a link", async ({ page }) => {
  const link = new URL(await home.start());
  await page.goto(`http://localhost:${link.port}/`);
  await expect(page.getByText("npx espalier open").first()).toBeVisible();
  expect(new URL(page.url()).hostname).toBe("127.0.0.1");
});

test("the demo model reads a file, and the session is found whole on disk and after a reload", async ({
  page,
}) => {
  const wrong = watch(page);
  await page.goto(await home.start());
  expect(page.url()).not.toContain("key=");
  await page.getByRole("button", { name: "Start" }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("read package.json and tell me its name");
  await message.press("Enter");
  const transcript = page.getByRole("feed", { name: "Transcript" });
  await expect(transcript.getByText(/is orchard/)).toBeVisible();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText("Ready");
  const [file] = sessionFiles();
  const entries = readFileSync(file ?? "", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  expect(entries.map(({ type }) => type).slice(0, 3)).toEqual([
    "session",
    "model_change",
    "thinking_level_change",
  ]);
  await page.reload();
  await expect(transcript.getByText(/is orchard/)).toBeVisible();
  // The second tab gets its token by the cookie.
  const second = await page.context().newPage();
  await second.goto(page.url());
  await expect(second.getByRole("feed", { name: "Transcript" }).getByText(/is orchard/)).toBeVisible();
  expect(wrong).toEqual([]);
});

test("a message is edited and sent again as a sibling, and both are there", async ({ page }) => {
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Start" }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("read notes.md");
  await message.press("Enter");
  const transcript = page.getByRole("feed", { name: "Transcript" });
  await expect(transcript.getByText(/Water the pears/).first()).toBeVisible();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText("Ready");
  await transcript.getByText("read notes.md", { exact: true }).hover();
  await page.getByRole("button", { name: "Edit and resend" }).first().click();
  const edit = page.getByRole("textbox", { name: /Edit/ });
  await edit.fill("read package.json and tell me its version");
  await edit.press("Enter");
  await expect(transcript.getByText(/1\.2\.3/).last()).toBeVisible();
  await expect(page.getByText("2 ends")).toBeVisible();
  await expect(transcript.getByText(/Water the pears/)).toHaveCount(0);
  expect(sessionFiles()).toHaveLength(1);
});

test("a call that writes asks, is refused, and the model is told", async ({ page }) => {
  await page.goto(await home.start());
  await page.getByRole("button", { name: "Start" }).click();
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill('write "hello" to out.txt');
  await message.press("Enter");
  // By the keyboard: the focus goes on to the message field.
  await page.getByRole("button", { name: "Deny" }).focus();
  await page.keyboard.press("Enter");
  await expect(message).toBeFocused();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText("Ready");
  expect(readdirSync(home.workspace).sort()).toEqual(["notes.md", "package.json"]);
  await message.fill('write "hello" to out.txt');
  await message.press("Enter");
  await page.getByRole("button", { name: "Allow in this workspace" }).click();
  await expect(page.getByRole("status", { name: "Run state" })).toContainText("Ready");
  expect(readFileSync(join(home.workspace, "out.txt"), "utf8")).toContain("hello");
  await message.fill('write "again" to out.txt');
  await message.press("Enter");
  await expect.poll(() => readFileSync(join(home.workspace, "out.txt"), "utf8")).toContain("again");
});

test("a dropped session file opens as a copy", async ({ page }) => {
  test.skip(dataFolder() === null, "the recorded sessions are not here (set ESPALIER_DATA)");
  const source = join(dataFolder() ?? "", "sessions/pi/pi160-live-a-tools-fork.jsonl");
  await page.goto(await home.start());
  await page.locator('input[type="file"]').setInputFiles(source);
  await expect(page.getByRole("feed", { name: "Transcript" }).getByText("This is the fork.")).toBeVisible();
  const [copy] = sessionFiles();
  expect(readFileSync(copy ?? "")).toEqual(readFileSync(source));
});
