import { appendFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "playwright/test";
import { TestHome } from "./support/server.ts";

let home: TestHome;
test.beforeEach(() => {
  home = new TestHome();
});
test.afterEach(() => home.close());

const line = (fields: Record<string, unknown>): string => `${JSON.stringify(fields)}\n`;
const said = (id: string, parentId: string | null, content: string): string =>
  line({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:01.000Z",
    message: { role: "user", content, timestamp: 1_767_225_601_000 },
  });

const ID = "0199a000-0000-7000-8000-000000000001";

/** A session of two messages with a line between them that is no JSON. */
const addSession = (damage: string): string => {
  const file = join(home.piDir, "sessions", "--e2e--", `2026-01-01T00-00-00-000Z_${ID}.jsonl`);
  const header = line({
    type: "session",
    version: 3,
    id: ID,
    timestamp: "2026-01-01T00:00:00.000Z",
    cwd: home.workspace,
  });
  writeFileSync(
    file,
    header +
      said("aaaa0001", null, "the first words") +
      damage +
      said("aaaa0002", "aaaa0001", "the second words"),
  );
  return file;
};

const openSession = async (page: Page): Promise<void> => {
  const link = new URL(await home.start());
  await page.goto(link.href);
  await expect(page.getByRole("button", { name: "Start" })).toBeVisible();
  await page.goto(new URL(`/s/${ID}`, link).href);
  await expect(page.getByText("the second words").first()).toBeVisible();
};

const ownSessions = (): string[] =>
  readdirSync(join(home.dataDir, "sessions"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(home.dataDir, "sessions", name), "utf8"));

test("a damaged line is said, shown, and left behind in a repaired copy", async ({ page }) => {
  const file = addSession("{ no json\n");
  const before = readFileSync(file, "utf8");
  await openSession(page);
  const strip = page.getByRole("status").filter({ hasText: "Line 3 of the session file" });
  await expect(strip).toContainText("1 line skipped");
  await strip.getByRole("button", { name: "Show" }).click();
  await expect(page.getByText("line 3, malformed")).toBeVisible();
  await page.getByRole("button", { name: "Show the entry before it" }).click();
  await expect(page).toHaveURL(/at=aaaa0001/);
  await page.getByRole("button", { name: "Save a repaired copy" }).click();
  await expect(page).not.toHaveURL(new RegExp(ID));
  await expect(page.getByText("the second words").first()).toBeVisible();
  await expect(page.getByText("of the session file")).toHaveCount(0);
  const [copy] = ownSessions();
  expect(copy?.split("\n").slice(1)).toEqual(before.split("\n").filter((_, at) => at !== 0 && at !== 2));
  expect(readFileSync(file, "utf8")).toBe(before);
});

test("lines of another program are shown live, and a file that is replaced can be saved as it was", async ({
  page,
}) => {
  const file = addSession("");
  await openSession(page);
  appendFileSync(file, said("bbbb0001", "aaaa0002", "words of another program"));
  const foreign = page.getByRole("status").filter({ hasText: "1 new entry written by another program" });
  await expect(foreign).toBeVisible();
  await foreign.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page).toHaveURL(/at=bbbb0001/);
  await expect(foreign).toHaveCount(0);
  await expect(page.getByText("words of another program").first()).toBeVisible();

  const other = `${file}.new`;
  writeFileSync(
    other,
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, 2)
      .join("\n")
      .replace("first words", "only words")
      .concat("\n"),
  );
  renameSync(other, file);
  const lost = page.getByRole("alert").filter({ hasText: "is another file now" });
  await expect(lost).toBeVisible();
  await lost.getByRole("button", { name: "Save as a new session" }).click();
  await expect(page).not.toHaveURL(new RegExp(ID));
  await expect(page.getByText("the first words").first()).toBeVisible();
  expect(readFileSync(file, "utf8")).toContain("only words");
});
