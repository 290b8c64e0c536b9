import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { diskFs } from "./fs.ts";
import { watchFolders } from "./watch-folders.ts";

let root: string;
let unwatch: () => void;
let told = 0;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "espalier-folders-"));
  mkdirSync(join(root, "--work--"));
  told = 0;
  unwatch = watchFolders([root, join(root, "not-there")], diskFs, () => void (told += 1));
});
afterEach(() => {
  unwatch();
  rmSync(root, { recursive: true, force: true });
});

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const toldOnce = async (act: () => void): Promise<void> => {
  const before = told;
  act();
  const end = Date.now() + 10_000;
  while (told === before && Date.now() < end) await pause(20);
  await pause(400);
  expect(told).toBe(before + 1);
};

it("session files that come and go are told once a burst; what is written into them is not", async () => {
  await pause(50);
  const path = join(root, "--work--/a.jsonl");
  await toldOnce(() => {
    for (const name of ["a", "b", "c"]) writeFileSync(join(root, `--work--/${name}.jsonl`), "{}\n");
  });
  appendFileSync(path, "{}\n");
  writeFileSync(join(root, "--work--/.a.jsonl.staging-00"), "");
  await pause(450);
  expect(told).toBe(1);
  await toldOnce(() => rmSync(path));
  await toldOnce(() => renameSync(join(root, "--work--/b.jsonl"), join(root, "--work--/d.jsonl")));
  await toldOnce(() => mkdirSync(join(root, "--other--")));
  await toldOnce(() => writeFileSync(join(root, "--other--/e.jsonl"), "{}\n"));
});
