import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** In each folder the first of these that exists holds its instructions. */
const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];
const LONGEST = 64 * 1024;

export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

const firstOf = async (folder: string): Promise<ContextFile | null> => {
  for (const name of NAMES) {
    const path = join(folder, name);
    try {
      const text = await readFile(path, "utf8");
      return {
        path,
        text:
          text.length > LONGEST
            ? `${text.slice(0, LONGEST).toWellFormed()}\n[cut here: the file is longer]`
            : text,
      };
    } catch {
      // Absent or unreadable: the next name may be there.
    }
  }
  return null;
};

/** Instruction files as pi finds them: the agent folder's first, then from the root down to `cwd`. */
export const contextFiles = async (cwd: string, agentDir: string): Promise<ContextFile[]> => {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (dirname(folder) === folder) break;
  }
  const found = await Promise.all([agentDir, ...folders].map(firstOf));
  const seen = new Set<string>();
  return found.filter(
    (file): file is ContextFile => file !== null && !seen.has(file.path) && Boolean(seen.add(file.path)),
  );
};

/** Whether `path` is a folder that is there. */
export const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
};

/** The checked-out branch of the repository around `cwd`, or undefined: read from `.git/HEAD`, without running git. */
export const gitBranch = async (cwd: string): Promise<string | undefined> => {
  for (let folder = cwd; ; folder = dirname(folder)) {
    try {
      const head = (await readFile(join(folder, ".git", "HEAD"), "utf8")).trim();
      return head.startsWith("ref: refs/heads/") ? head.slice("ref: refs/heads/".length) : head.slice(0, 8);
    } catch {
      if (dirname(folder) === folder) return undefined;
    }
  }
};
