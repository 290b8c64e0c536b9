import { basename, dirname } from "node:path";
import type { FileStat, Fs } from "./fs.ts";
import { type Later, unhurried } from "./later.ts";

/** A burst of writes is over when nothing came for so long, ms; a long one is looked at meanwhile. */
const QUIET_MS = 50;
const LONGEST_MS = 500;
/** Where the system's own watching fails or says nothing, the file is looked at so often, ms. */
const LOOK_MS = 2000;

const isSame = (a: FileStat | null, b: FileStat | null): boolean =>
  a?.size === b?.size && a?.inode === b?.inode && a?.mtime === b?.mtime;

/** Null also when it cannot be looked at: then it has changed for whoever reads it. */
const statOf = (fs: Fs, path: string): FileStat | null => {
  try {
    return fs.stat(path);
  } catch {
    return null;
  }
};

/** Calls `onChange` once after each burst of changes of a file, its replacing and its going included. Returns the undo. */
export const watchFile = (
  path: string,
  fs: Fs,
  onChange: () => void,
  later: Later = unhurried,
): (() => void) => {
  const name = basename(path);
  let seen = statOf(fs, path);
  let quiet: (() => void) | null = null;
  let longest: (() => void) | null = null;
  let look = (): void => undefined;

  const settle = (): void => {
    quiet?.();
    longest?.();
    quiet = null;
    longest = null;
    seen = statOf(fs, path);
    onChange();
  };
  const stir = (): void => {
    quiet?.();
    quiet = later(QUIET_MS, settle);
    longest ??= later(LONGEST_MS, settle);
  };
  const lookAgain = (): void => {
    look = later(LOOK_MS, () => {
      if (!isSame(seen, statOf(fs, path))) stir();
      lookAgain();
    });
  };
  const unwatch = fs.watch(dirname(path), (change) => {
    if (change.name === null || change.name === name) stir();
  });
  lookAgain();
  return () => {
    unwatch();
    look();
    quiet?.();
    longest?.();
  };
};
