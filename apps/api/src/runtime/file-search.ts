import type { Dirent } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FileList } from "@espalier/protocol";
import ignore, { type Ignore } from "ignore";

const MOST_FOUND = 50;
const MOST_LOOKED_AT = 40_000;
const NEVER = new Set([".git", "node_modules", ".hg", ".svn"]);

interface Folder {
  readonly path: string;
  readonly rules: readonly { readonly base: string; readonly ignored: Ignore }[];
}

const listFolder = async (path: string): Promise<Dirent[]> => {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    // A folder that cannot be read has nothing to offer.
    return [];
  }
};

const rulesOf = async (root: string, folder: Folder): Promise<Folder["rules"]> => {
  try {
    const text = await readFile(join(root, folder.path, ".gitignore"), "utf8");
    return [...folder.rules, { base: folder.path, ignored: ignore().add(text) }];
  } catch {
    return folder.rules;
  }
};

const isIgnored = (path: string, rules: Folder["rules"], dir: boolean): boolean =>
  rules.some(({ base, ignored }) => {
    const local = base === "" ? path : path.slice(base.length + 1);
    return ignored.ignores(dir ? `${local}/` : local);
  });

/** Paths below `root`, breadth first, without what .gitignore names. Symbolic links are not followed. */
async function* walk(root: string): AsyncGenerator<{ path: string; dir: boolean }> {
  const open: Folder[] = [{ path: "", rules: [] }];
  let seen = 0;
  for (let folder = open.shift(); folder && seen < MOST_LOOKED_AT; folder = open.shift()) {
    const rules = await rulesOf(root, folder);
    for (const item of await listFolder(join(root, folder.path))) {
      seen += 1;
      const path = folder.path === "" ? item.name : `${folder.path}/${item.name}`;
      const dir = item.isDirectory();
      if (NEVER.has(item.name) || isIgnored(path, rules, dir)) continue;
      if (dir) open.push({ path, rules });
      if (dir || item.isFile()) yield { path, dir };
    }
  }
}

/** How well a path fits: lower is better, null = not at all. Letters must come in order; a hit in the name is best. */
const fitOf = (path: string, query: string): number | null => {
  const text = path.toLowerCase();
  const name = text.slice(text.lastIndexOf("/") + 1);
  if (query === "") return path.split("/").length;
  if (name.startsWith(query)) return path.length / 1000;
  if (name.includes(query)) return 1 + path.length / 1000;
  if (text.includes(query)) return 2 + path.length / 1000;
  let at = -1;
  for (const letter of query) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return null;
  }
  return 3 + path.length / 1000;
};

/** Files and folders whose path fits `query`, best first, at most 50. */
export const searchFiles = async (root: string, query: string): Promise<FileList> => {
  const wanted = query.trim().toLowerCase();
  const found: { path: string; dir: boolean; fit: number }[] = [];
  for await (const { path, dir } of walk(root)) {
    const fit = fitOf(path, wanted);
    if (fit !== null) found.push({ path, dir, fit });
  }
  found.sort((a, b) => a.fit - b.fit || (a.path < b.path ? -1 : 1));
  return { files: found.slice(0, MOST_FOUND).map(({ path, dir }) => ({ path, dir })) };
};
