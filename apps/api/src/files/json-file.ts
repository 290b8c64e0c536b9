import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ProblemError } from "@espalier/core";
import type { Static, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/** Where and why `value` does not fit, as one sentence, or null when it fits. */
const misfit = (schema: TSchema, value: unknown): string | null => {
  const first = Value.Errors(schema, value).First();
  return first
    ? `${first.path === "" ? "the whole" : first.path.slice(1).replaceAll("/", ".")}: ${first.message}`
    : null;
};

/**
 * Reads a settings-like file; null when it is absent. Throws ProblemError `bad_request` that names file and field when it
 * does not fit: such a file is somebody's work and is never overwritten silently.
 */
export const readJsonFile = async <Schema extends TSchema>(
  path: string,
  schema: Schema,
): Promise<Static<Schema> | null> => {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new ProblemError("io", `${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ProblemError("bad_request", `${path} is not valid JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const wrong = misfit(schema, value);
  if (wrong !== null) throw new ProblemError("bad_request", `${path} does not fit, ${wrong}`);
  return value as Static<Schema>;
};

/** Replaces the file at once: after a crash it holds the old or the new content, never a part. */
export const writeJsonFile = async (path: string, value: unknown, mode = 0o600): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const staging = `${path}.${randomBytes(4).toString("hex")}.staging`;
  try {
    const file = await open(staging, "wx", mode);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(staging, path);
  } catch (error) {
    await rm(staging, { force: true });
    throw new ProblemError("io", `${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
};
