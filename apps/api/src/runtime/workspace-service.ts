import { homedir } from "node:os";
import { ProblemError } from "@espalier/core";
import type {
  FileList,
  ModelList,
  ProviderKeyAnswer,
  SessionId,
  SessionInfo,
  Settings,
  WorkspaceInfo,
} from "@espalier/protocol";
import { searchFiles } from "./file-search.ts";
import type { SettingsFile } from "./settings.ts";
import { contextFiles, gitBranch } from "./workspace.ts";

/** What the page asks of models, settings and the folder; all of it may throw ProblemError. */
export interface WorkspaceService {
  models(): Promise<ModelList>;
  readSettings(): Promise<Settings>;
  writeSettings(settings: Settings): Promise<Settings>;
  /** Files and folders whose path fits `query`, best first; `session` chooses that session's folder. */
  files(query: string, session: string | undefined): Promise<FileList>;
  info(): Promise<WorkspaceInfo>;
  /** Keeps a provider's key on the server; the answer shows it masked. */
  setKey(provider: string, key: string): Promise<ProviderKeyAnswer>;
}

export interface WorkspaceFacts {
  readonly cwd: string;
  readonly dataDir: string;
  readonly piDir: string;
  readonly version: string;
  readonly settings: SettingsFile;
  readonly listing: () => Promise<ModelList>;
  readonly sessions: () => Promise<readonly SessionInfo[]>;
  /** The folder an open session works in. */
  readonly folderOf: (session: SessionId) => Promise<string>;
  /** Keeps the key; answers how it may be shown. */
  readonly saveKey: (provider: string, key: string) => Promise<string>;
  readonly keyPath: string;
}

const newestOf = (sessions: readonly SessionInfo[]): { newestPiSession?: string } => {
  const newest = sessions
    .map(({ modified }) => modified)
    .sort()
    .at(-1);
  return newest === undefined ? {} : { newestPiSession: newest };
};

/** What the page asks of this machine and its folder. */
export const workspaceService = (facts: WorkspaceFacts): WorkspaceService => ({
  models: facts.listing,
  readSettings: () => facts.settings.read(),
  writeSettings: (settings: Settings) => facts.settings.write(settings),
  files: async (query: string, session: string | undefined): Promise<FileList> =>
    searchFiles(session === undefined ? facts.cwd : await facts.folderOf(session as SessionId), query),
  info: async (): Promise<WorkspaceInfo> => {
    const { cwd, dataDir, piDir, version } = facts;
    const [sessions, files, branch] = await Promise.all([
      facts.sessions(),
      contextFiles(cwd, piDir),
      gitBranch(cwd),
    ]);
    const fromPi = sessions.filter(({ root }) => root === "pi");
    return {
      cwd,
      home: homedir(),
      dataDir,
      piDir,
      piSessions: fromPi.length,
      ...newestOf(fromPi),
      ...(branch === undefined ? {} : { gitBranch: branch }),
      contextFiles: files.map(({ path }) => path),
      version,
      sandboxed: false,
    };
  },
  setKey: async (provider: string, key: string): Promise<ProviderKeyAnswer> => {
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/i.test(provider))
      throw new ProblemError("bad_request", "That is no provider id.");
    const trimmed = key.trim();
    if (trimmed === "") throw new ProblemError("bad_request", "The key is empty.");
    return { masked: await facts.saveKey(provider, trimmed), storedIn: facts.keyPath };
  },
});
