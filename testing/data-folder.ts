import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * The folder with recorded sessions and provider streams: `$ESPALIER_DATA`, else `../shared/data` beside the repo.
 * Null when it is absent, so that a suite can skip itself with a word; under CI its absence is an error.
 */
export const dataFolder = (): string | null => {
  const folder = resolve(process.env.ESPALIER_DATA ?? join(import.meta.dirname, "../../shared/data"));
  if (existsSync(folder)) return folder;
  if (process.env.CI === "true") throw new Error(`test data is missing: ${folder} (set ESPALIER_DATA)`);
  return null;
};

/** Bytes of one file of the data folder. Throws when the folder or the file is absent. */
export const readData = (path: string): Uint8Array => {
  const folder = dataFolder();
  if (folder === null) throw new Error("test data is missing: set ESPALIER_DATA");
  return readFileSync(join(folder, path));
};

/** How many cases a property test makes: `base` scaled by `$TEST_RUNS` (default 1). */
export const runs = (base: number): number =>
  Math.max(1, Math.round(base * Number(process.env.TEST_RUNS ?? 1)));
