import { join } from "node:path";
import type { SessionInfo } from "@espalier/protocol";
import type { Fs } from "./fs.ts";

export interface JsonlFolders {
  /** Ours: new sessions are made here. */
  readonly sessions: string;
  /** pi's: its sessions are listed and opened where they lie. */
  readonly piSessions: string;
}

export interface FoundFile {
  readonly path: string;
  readonly root: SessionInfo["root"];
}

/** The folder itself and those in it, by name. */
export const foldersIn = async (fs: Fs, root: string): Promise<string[]> => {
  const inside = (await fs.readdir(root)).filter(({ folder }) => folder);
  return [root, ...inside.map(({ name }) => join(root, name)).sort()];
};

/** Session files of one folder, by name. */
const filesIn = async (fs: Fs, folder: string): Promise<string[]> =>
  (await fs.readdir(folder))
    .filter(({ name, folder: isFolder }) => !isFolder && name.endsWith(".jsonl") && !name.startsWith("."))
    .map(({ name }) => join(folder, name))
    .sort();

/** All files that may be sessions, ours before pi's. Names only: nothing is opened. `entering` is told each folder before it is read. */
export const sessionFiles = async (
  fs: Fs,
  folders: JsonlFolders,
  entering: (folder: string) => void = () => undefined,
): Promise<FoundFile[]> => {
  const found: FoundFile[] = [];
  for (const [dir, root] of [
    [folders.sessions, "espalier"],
    [folders.piSessions, "pi"],
  ] as const) {
    for (const folder of await foldersIn(fs, dir)) {
      entering(folder);
      for (const path of await filesIn(fs, folder)) found.push({ path, root });
    }
  }
  return found;
};
