import { join } from "node:path";
import type { Fs } from "./fs.ts";
import { type Later, unhurried } from "./later.ts";

const QUIET_MS = 300;
/** A folder that is not there yet is looked for again after this, ms. */
const ABSENT_MS = 5000;
/** Folders that are watched at most: the system's watches are few, and the list is read afresh whenever it is shown. */
const MOST = 500;

const isSession = (name: string): boolean => name.endsWith(".jsonl") && !name.startsWith(".");

/** Calls `onChange` after session files came or went in these folders or those right inside them. Returns the undo. */
export const watchFolders = (
  roots: readonly string[],
  fs: Fs,
  onChange: () => void,
  later: Later = unhurried,
): (() => void) => {
  const watched = new Map<string, () => void>();
  const waits = new Map<string, () => void>();
  let waiting: (() => void) | null = null;
  let over = false;

  const stir = (): void => {
    waiting?.();
    waiting = later(QUIET_MS, () => {
      waiting = null;
      onChange();
    });
  };
  const watchIn = (folder: string): void => {
    if (over || watched.has(folder) || watched.size >= MOST) return;
    const unwatch = fs.watch(folder, ({ name, names }) => {
      if (names && (name === null || isSession(name))) stir();
    });
    watched.set(folder, unwatch);
  };
  const watchInside = async (root: string): Promise<void> => {
    const inside = (await fs.readdir(root).catch(() => [])).filter(({ folder }) => folder);
    for (const { name } of inside) watchIn(join(root, name));
  };
  const watchRoot = (root: string): void => {
    if (over) return;
    if (fs.stat(root) === null) {
      waits.set(
        root,
        later(ABSENT_MS, () => watchRoot(root)),
      );
      return;
    }
    waits.delete(root);
    const unwatch = fs.watch(root, ({ names }) => {
      if (!names) return;
      stir();
      void watchInside(root);
    });
    watched.set(root, unwatch);
    void watchInside(root);
  };
  for (const root of roots) watchRoot(root);
  return () => {
    over = true;
    waiting?.();
    for (const undo of [...waits.values(), ...watched.values()]) undo();
  };
};
