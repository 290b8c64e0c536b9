import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** What a walk left out, to say so when it found nothing. */
export interface Skipped {
  ignored: number;
  links: number;
  unreadable: number;
}

export interface WalkedEntry {
  /** Relative to the folder walked, with "/". */
  readonly path: string;
  readonly absolute: string;
  readonly isFolder: boolean;
}

/** Rules of one .gitignore, for paths below its folder. */
interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

const REPOSITORY_FOLDERS = new Set([".git", ".hg", ".svn", ".jj"]);

const posix = (path: string): string => path.split(sep).join("/");

const rulesIn = async (folder: string): Promise<Rules | null> => {
  try {
    return { folder, rules: ignore().add(await readFile(join(folder, ".gitignore"), "utf8")) };
  } catch {
    return null;
  }
};

/** The nearest rule that says anything decides, from the innermost folder outwards, as in git. */
const isIgnored = (absolute: string, isFolder: boolean, all: readonly Rules[]): boolean => {
  for (const { folder, rules } of all.toReversed()) {
    const path = posix(relative(folder, absolute));
    if (path === "" || path.startsWith("..")) continue;
    const { ignored, unignored } = rules.test(isFolder ? `${path}/` : path);
    if (ignored || unignored) return ignored;
  }
  return false;
};

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};

/** Rules above a folder, up to the repository's root; none when it is in no repository. */
const rulesAbove = async (folder: string): Promise<Rules[]> => {
  const found: Rules[] = [];
  for (let here = folder; ; here = dirname(here)) {
    if (here !== folder) {
      const rules = await rulesIn(here);
      if (rules) found.unshift(rules);
    }
    if (await exists(join(here, ".git"))) return found;
    if (here === dirname(here)) return [];
  }
};

/** A folder that was named is walked even if some rule above would leave it out. */
const rulesFor = async (root: string): Promise<Rules[]> => {
  const above = await rulesAbove(root);
  return isIgnored(root, true, above) ? [] : above;
};

const listed = async (folder: string, skipped: Skipped): Promise<Dirent[]> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  } catch {
    skipped.unreadable += 1;
    return [];
  }
};

/**
 * Everything below a folder, hidden names too, in order of paths; without what .gitignore files leave out, repositories' own
 * folders and what lies behind symbolic links (both are counted in `skipped`). Ends early when the signal aborts.
 */
export async function* walkFolder(
  root: string,
  skipped: Skipped,
  signal: AbortSignal,
): AsyncGenerator<WalkedEntry> {
  const stack: { folder: string; path: string; rules: readonly Rules[] }[] = [
    { folder: root, path: "", rules: await rulesFor(root) },
  ];
  for (let next = stack.pop(); next !== undefined && !signal.aborted; next = stack.pop()) {
    const own = await rulesIn(next.folder);
    const rules = own ? [...next.rules, own] : next.rules;
    const folders: typeof stack = [];
    for (const entry of await listed(next.folder, skipped)) {
      const absolute = join(next.folder, entry.name);
      const path = next.path === "" ? entry.name : `${next.path}/${entry.name}`;
      const isFolder = entry.isDirectory();
      if (isFolder && REPOSITORY_FOLDERS.has(entry.name)) continue;
      if (isIgnored(absolute, isFolder, rules)) {
        skipped.ignored += 1;
        continue;
      }
      if (entry.isSymbolicLink()) {
        const target = await stat(absolute).catch(() => null);
        if (target?.isDirectory()) {
          skipped.links += 1;
          yield { path, absolute, isFolder: true };
          continue;
        }
      }
      yield { path, absolute, isFolder };
      if (isFolder) folders.push({ folder: absolute, path, rules });
    }
    stack.push(...folders.reverse());
  }
}

/** What was left out, in words; "" when nothing was. */
export const skippedInWords = ({ ignored, links, unreadable }: Skipped): string => {
  const parts = [
    ignored > 0 ? `${ignored} ignored by .gitignore` : "",
    links > 0 ? `${links} linked folders` : "",
    unreadable > 0 ? `${unreadable} unreadable folders` : "",
  ].filter((part) => part !== "");
  return parts.length === 0
    ? ""
    : `Left out: ${parts.join(", ")}. Name such a folder as path to search in it.`;
};
