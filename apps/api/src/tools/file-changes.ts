import { randomBytes } from "node:crypto";
import { chmod, rename, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { findPath, realPlace } from "./path-policy.ts";

const queues = new Map<string, Promise<unknown>>();
let entrance: Promise<unknown> = Promise.resolve();

const settled = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

/**
 * Runs changes of one file one after another, in the order they were asked for; other files do not wait. Paths that lead to
 * one place share a turn. `change` looks its path up again: an earlier one may have made the file.
 */
export const inTurn = async <T>(typed: string, cwd: string, change: () => Promise<T>): Promise<T> => {
  const lookUp = async (): Promise<{ place: string; mine: Promise<T>; tail: Promise<unknown> }> => {
    const place = await realPlace((await findPath(typed, cwd)).path);
    const mine = (queues.get(place) ?? Promise.resolve()).then(change);
    const tail = settled(mine);
    queues.set(place, tail);
    return { place, mine, tail };
  };
  const entered = entrance.then(lookUp);
  entrance = settled(entered);
  const { place, mine, tail } = await entered;
  try {
    return await mine;
  } finally {
    if (queues.get(place) === tail) queues.delete(place);
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
