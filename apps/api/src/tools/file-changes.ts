import { randomBytes } from "node:crypto";
import { chmod, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPlace } from "./path-policy.ts";

const queues = new Map<string, Promise<unknown>>();

/** Runs changes of one file one after another, by where it really lies; other files do not wait. */
export const inTurn = async <T>(path: string, change: (place: string) => Promise<T>): Promise<T> => {
  const place = await realPlace(path);
  const before = queues.get(place) ?? Promise.resolve();
  const mine = before.then(
    () => change(place),
    () => change(place),
  );
  queues.set(place, mine);
  try {
    return await mine;
  } finally {
    if (queues.get(place) === mine) queues.delete(place);
  }
};

/**
 * Puts new bytes in a file's place at once: written beside it, then renamed over it, with its mode. A file with several hard
 * links, or in a folder we may not write to, is written in place.
 */
export const replaceFile = async (place: string, bytes: Uint8Array): Promise<void> => {
  const about = await stat(place).catch(() => null);
  if (about && (about.nlink > 1 || !about.isFile())) return writeFile(place, bytes);
  const beside = join(
    dirname(place),
    `.${basename(place).slice(0, 100)}.${randomBytes(4).toString("hex")}.tmp`,
  );
  try {
    await writeFile(beside, bytes, { flag: "wx" });
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    const denied =
      error instanceof Error && "code" in error && (error.code === "EACCES" || error.code === "EPERM");
    if (about && denied) return writeFile(place, bytes);
    throw error;
  }
  try {
    if (about) await chmod(beside, about.mode & 0o7777);
    await rename(beside, place);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
};
