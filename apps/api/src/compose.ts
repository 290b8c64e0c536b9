import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Hooks, type Model, ProblemError, type Tool } from "@espalier/core";
import { HookList, Kernel, type Plugin, Registry } from "@espalier/core/kernel";
import type { SessionId } from "@espalier/protocol";
import { createApp } from "./app.ts";
import type { HeadlessParts } from "./cli/run.ts";
import type { ServerParts } from "./cli/start.ts";
import type { Config, ServerConfig } from "./config.ts";
import { CredentialStore } from "./credentials/credential-store.ts";
import {
  afterCallService,
  beforeCallService,
  type ProviderConnection,
  providerService,
  toolService,
} from "./extensions/services.ts";
import { builtInAdapters } from "./providers/built-in-adapters.ts";
import { ModelRuntime } from "./providers/model-runtime.ts";
import { pageRoutes, readAssets } from "./routes/pages.ts";
import { EventLog } from "./runtime/event-log.ts";
import { Foreground } from "./runtime/foreground.ts";
import { LocalState } from "./runtime/local-state.ts";
import type { ProcessParts, WorkspaceParts } from "./runtime/runtime-parts.ts";
import { RuntimeService } from "./runtime/runtime-service.ts";
import { SettingsFile } from "./runtime/settings.ts";
import { type WorkspaceService, workspaceService } from "./runtime/workspace-service.ts";
import { browserSecret } from "./security/browser-secret.ts";
import { ownHosts } from "./security/door.ts";
import { Keyring } from "./security/keyring.ts";
import { diskFs } from "./storage/fs.ts";
import { IndexedStore } from "./storage/indexed-store.ts";
import { JsonlStore } from "./storage/jsonl-store.ts";
import { SessionIndex } from "./storage/session-index.ts";
import { SessionPlaces } from "./storage/session-places.ts";
import { FileTrash } from "./storage/session-trash.ts";
import { watchFolders } from "./storage/watch-folders.ts";
import { killRunningCommands } from "./tools/child-processes.ts";
import { builtInTools } from "./tools/registry.ts";
import { validateArguments } from "./tools/validate-arguments.ts";

/** The places plugins register in. */
const makePlaces = () => ({
  tools: new Registry<Tool>("tool"),
  providers: new Registry<(connection: ProviderConnection) => Model>("provider"),
  before: new HookList<Hooks["beforeToolCall"]>("before_tool_call"),
  after: new HookList<Hooks["afterToolCall"]>("after_tool_call"),
});

/** Gives plugins those places. */
const host = (places: ReturnType<typeof makePlaces>): Plugin => ({
  id: "host",
  provides: [toolService, providerService, beforeCallService, afterCallService],
  apply: ({ provide }) => {
    provide(toolService, places.tools);
    provide(providerService, places.providers);
    provide(beforeCallService, places.before);
    provide(afterCallService, places.after);
  },
});

/** The tools that come with Espalier register like anyone's. */
const toolsPlugin: Plugin = {
  id: "tools",
  requires: [toolService],
  apply: ({ get, scope }) => {
    for (const tool of builtInTools) get(toolService).register(scope, tool.spec.name, tool);
  },
};

/** So do the providers. */
const providersPlugin: Plugin = {
  id: "providers",
  requires: [providerService],
  apply: ({ get, scope }) => {
    for (const [api, make] of builtInAdapters()) get(providerService).register(scope, api, make);
  },
};

interface Process {
  readonly parts: ProcessParts;
  readonly store: JsonlStore;
  readonly index: SessionIndex;
  readonly models: ModelRuntime;
  readonly credentials: CredentialStore;
  readonly kernel: Kernel;
}

const INDEX_AFTER_MS = 300;

/** The session files, read as they are or through the index. Only who holds the data dir's lock may write the index. */
const sessionFilesOf = (config: Config, quiet: () => Promise<void>, changed: () => void) => {
  const folders = {
    sessions: join(config.dataDir, "sessions"),
    piSessions: join(config.piDir, "sessions"),
  };
  const places = new SessionPlaces();
  const store = new JsonlStore(folders, diskFs, places);
  const index = new SessionIndex({
    path: join(config.dataDir, "index.db"),
    folders,
    fs: diskFs,
    places,
    byReading: () => store.list(),
    quiet,
    changed,
  });
  return {
    store,
    index,
    read: { store, search: async () => ({ hits: [], complete: false }) },
    indexed: {
      store: new IndexedStore(store, index),
      search: (text: string, limit: number, session: SessionId | null) => index.search(text, limit, session),
    },
  };
};

/** What lives as long as the process. `indexed`: lists and searches come from the index. */
const makeProcess = async (config: Config, indexed: boolean): Promise<Process> => {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const places = makePlaces();
  const settings = new SettingsFile(config.dataDir);
  const credentials = new CredentialStore(config.dataDir);
  const log = new EventLog();
  const foreground = new Foreground();
  const quiet = (): Promise<void> => foreground.idle();
  const files = sessionFilesOf(config, quiet, () => log.append(null, { type: "sessions_changed" }));
  const preferred = async (): Promise<string | undefined> => (await settings.current()).defaultModel;
  const models = new ModelRuntime({
    dataDir: config.dataDir,
    env: process.env,
    readKey: (provider) => credentials.read(provider),
    preferred,
    adapters: () => places.providers.all(),
  });
  const kernel = new Kernel();
  for (const plugin of [host(places), toolsPlugin, providersPlugin]) await kernel.load(plugin);
  const parts: ProcessParts = {
    ...(indexed ? files.indexed : files.read),
    trash: new FileTrash(join(config.dataDir, "trash"), Date.now),
    foreground,
    log,
    local: new LocalState(config.dataDir),
    settings,
    models,
    tools: () => places.tools.all(),
    beforeCall: () => places.before.handlers(),
    afterCall: () => places.after.handlers(),
    validate: validateArguments,
    now: Date.now,
    random: Math.random,
    agentDir: config.piDir,
  };
  return { parts, store: files.store, index: files.index, models, credentials, kernel };
};

const closeAll = async ({ kernel, index }: Process, sessions: RuntimeService, ms: number): Promise<void> => {
  await sessions.close(ms);
  killRunningCommands();
  await kernel.close();
  await index.close();
};

/** What the page asks of this machine. Local model servers are looked for once, when models are first listed. */
const workspaceOf = (
  { parts, models, credentials }: Process,
  sessions: RuntimeService,
  config: ServerConfig,
  version: string,
): WorkspaceService => {
  let probed = false;
  return workspaceService({
    cwd: config.workspace,
    dataDir: config.dataDir,
    piDir: config.piDir,
    version,
    settings: parts.settings,
    listing: async () => {
      if (!probed) await models.probeLocal();
      probed = true;
      return models.listing();
    },
    sessions: () => parts.store.list(),
    folderOf: async (id) => (await (await sessions.runtime(id)).folder()).cwd,
    saveKey: (provider, key) => credentials.set(provider, key),
    keyPath: credentials.path,
  });
};

/** A server that is ready to listen. `webFolder` holds the built page. */
export const composeServerParts = async (
  config: ServerConfig,
  made: { readonly version: string; readonly webFolder: string | null },
): Promise<ServerParts> => {
  const all = await makeProcess(config, true);
  const { parts, store } = all;
  await store.removeStale(Date.now());
  const unwatch = watchFolders(
    [join(config.dataDir, "sessions"), join(config.piDir, "sessions")],
    diskFs,
    () => parts.log.append(null, { type: "sessions_changed" }),
  );
  const sessions = new RuntimeService(parts, { cwd: config.workspace });
  const keyring = new Keyring(await browserSecret(config.dataDir), Date.now);
  const ended = new AbortController();
  let port = config.port;
  const workspace = workspaceOf(all, sessions, config, made.version);
  const pages =
    made.webFolder === null
      ? {}
      : {
          pages: pageRoutes(
            await readAssets(made.webFolder),
            () => `http://${config.host === "::1" ? "[::1]" : "127.0.0.1"}:${port}`,
          ),
        };
  const app = createApp({
    sessions,
    workspace,
    log: parts.log,
    keyring,
    version: made.version,
    port: () => port,
    hosts: () => ownHosts(port),
    ...pages,
    ended: ended.signal,
    report: (error) => console.error(error),
  });
  return {
    app,
    token: keyring.token,
    version: made.version,
    mint: () => keyring.mint(),
    setPort: (listening) => {
      port = listening;
      // The first answer comes before the first file.
      setTimeout(() => all.index.start(), INDEX_AFTER_MS).unref();
    },
    close: async (ms) => {
      unwatch();
      await closeAll(all, sessions, ms);
      ended.abort();
    },
  };
};

/** Throws `bad_request` for a tool that nobody has registered. */
const refuseUnknown = (wanted: readonly string[], known: ReadonlyMap<string, Tool>): void => {
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown === undefined) return;
  const names = [...known.keys()].join(", ");
  throw new ProblemError("bad_request", `There is no tool "${unknown}". The tools: ${names}.`);
};

/** Sessions without a server, for one headless run. */
export const composeHeadlessParts = async (
  config: Config,
  workspace: Partial<WorkspaceParts>,
): Promise<HeadlessParts> => {
  const all = await makeProcess(config, false);
  refuseUnknown(workspace.tools ?? [], all.parts.tools());
  const sessions = new RuntimeService(all.parts, { cwd: config.workspace, ...workspace });
  return {
    sessions,
    log: all.parts.log,
    idOfFile: async (path) => {
      const stored = await all.store.openFile(path);
      await sessions.adopt(stored);
      return stored.id;
    },
    close: () => closeAll(all, sessions, 2000),
  };
};
