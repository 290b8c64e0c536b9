import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** White space of Unicode that looks like a space and is typed as one: no-break, thin, ideographic ... */
const UNICODE_SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
};

/**
 * The absolute path a model or person means: a leading "@" (a mention) is dropped, "~" is the home folder, `file:` URLs are
 * paths. A relative path starts at `cwd`. Nothing is looked up.
 */
export const absolutePath = (typed: string, cwd: string, home: string = homedir()): string => {
  const plain = typed.startsWith("@") ? typed.slice(1) : typed;
  if (plain.startsWith("file://")) {
    try {
      return fileURLToPath(plain);
    } catch {
      return resolve(cwd, plain);
    }
  }
  if (plain === "~") return home;
  if (plain.startsWith("~/")) return join(home, plain.slice(2));
  return isAbsolute(plain) ? resolve(plain) : resolve(cwd, plain);
};

/** A name as it is typed: composed letters, plain spaces and quotes. macOS stores names decomposed and with others. */
const asTyped = (name: string): string =>
  name
    .normalize("NFC")
    .replaceAll(UNICODE_SPACES, " ")
    .replaceAll(/[\u2018\u2019\u201b]/g, "'")
    .replaceAll(/[\u201c\u201d\u201f]/g, '"');

export type FoundPath =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "missing"; readonly path: string }
  /** Several names differ from what was typed only in such signs. */
  | { readonly kind: "several"; readonly path: string; readonly names: readonly string[] };

const sameWhenTyped = async (folder: string, name: string): Promise<string[]> => {
  try {
    return (await readdir(folder)).filter((entry) => asTyped(entry) === asTyped(name));
  } catch {
    return [];
  }
};

/**
 * Looks a typed path up. A path that exists is taken as it is; otherwise each of its names may differ from the one on disk
 * in kinds of spaces, quotes and accents (macOS screenshots have a narrow no-break space before "PM").
 */
export const findPath = async (typed: string, cwd: string): Promise<FoundPath> => {
  const path = absolutePath(typed, cwd);
  if (await exists(path)) return { kind: "found", path };
  // A name may really begin with "@".
  if (typed.startsWith("@") && (await exists(resolve(cwd, typed)))) {
    return { kind: "found", path: resolve(cwd, typed) };
  }
  const missing: string[] = [];
  let here = path;
  while (here !== dirname(here) && !(await exists(here))) {
    missing.unshift(basename(here));
    here = dirname(here);
  }
  for (const name of missing) {
    const names = await sameWhenTyped(here, name);
    if (names.length > 1) return { kind: "several", path, names };
    const [only] = names;
    if (only === undefined) return { kind: "missing", path };
    here = join(here, only);
  }
  return { kind: "found", path: here };
};

/** Where a path really leads: links are followed as far as it exists, the rest is appended. */
export const realPlace = async (path: string): Promise<string> => {
  const rest: string[] = [];
  let here = resolve(path);
  for (;;) {
    try {
      return join(await realpath(here), ...rest);
    } catch {
      if (here === dirname(here)) return join(here, ...rest);
      rest.unshift(basename(here));
      here = dirname(here);
    }
  }
};

/** Whether a path stays inside a folder once all links are followed. The folder itself counts as inside. */
export const isInside = async (path: string, folder: string): Promise<boolean> => {
  const [place, root] = await Promise.all([realPlace(path), realPlace(folder)]);
  const way = relative(root, place);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};

/** A path as a person reads it: relative to the folder when inside it, with "/" on every system. */
export const shownPath = (path: string, cwd: string): string => {
  const way = relative(cwd, path);
  const inside = way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  return (inside ? way : path).split(sep).join("/");
};

/** Why a path was not found, in one sentence. */
export const notFoundMessage = (typed: string, found: Exclude<FoundPath, { kind: "found" }>): string =>
  found.kind === "missing"
    ? `${typed} was not found (looked for ${found.path}).`
    : `${typed} could mean several files that differ only in spaces, quotes or accents: ${found.names
        .map((name) => JSON.stringify(name))
        .join(", ")}. Rename one of them or list the folder and copy the exact name.`;
