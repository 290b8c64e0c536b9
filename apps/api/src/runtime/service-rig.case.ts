import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AnyEntry,
  MemoryStore,
  type Model,
  parseJsonl,
  type SessionStore,
  type Tool,
} from "@espalier/core";
import { type AnySession, checkSession, type FakeStep, fakeModel } from "@espalier/core/testing";
import type { ModelInfo, ModelRef, SearchHit, SessionEvent, SessionId } from "@espalier/protocol";
import { Type } from "@sinclair/typebox";
import { FaultyFs } from "../storage/faulty-fs.ts";
import { diskFs } from "../storage/fs.ts";
import { textOfEntry } from "../storage/index-text.ts";
import { JsonlStore } from "../storage/jsonl-store.ts";
import { excerptOf, occursIn, readQuery } from "../storage/search-query.ts";
import { FileTrash } from "../storage/session-trash.ts";
import { validateArguments } from "../tools/validate-arguments.ts";
import { EventLog } from "./event-log.ts";
import { Foreground } from "./foreground.ts";
import { LocalState } from "./local-state.ts";
import type { ProcessParts } from "./runtime-parts.ts";
import { RuntimeService } from "./runtime-service.ts";
import { SettingsFile } from "./settings.ts";

const modelInfo = (id: string): ModelInfo => ({
  provider: "fake",
  id,
  name: id,
  api: "openai-completions",
  contextWindow: 100_000,
  maxTokens: 4000,
  reasoning: true,
  input: ["text", "image"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  ready: true,
});

type ModelDirectory = ProcessParts["models"];

/** Models `fake/one` and `fake/two`, answered by whatever `answer` holds. */
class FakeDirectory implements ModelDirectory {
  answer: Model = fakeModel([]);
  /** Of both models, in tokens. */
  contextWindow = 100_000;

  async resolve(ref: ModelRef | string) {
    const text = typeof ref === "string" ? ref : `${ref.provider}/${ref.modelId}`;
    const found = /^fake\/(one|two)$/.exec(text)?.[1];
    if (found !== undefined) return { ...modelInfo(found), contextWindow: this.contextWindow };
    return { code: "no_model" as const, message: `There is no model ${text}.` };
  }

  modelFor(): Model {
    return (request, signal) => this.answer(request, signal);
  }

  async windowOf(): Promise<number> {
    return 100_000;
  }

  async fallback() {
    return modelInfo("one");
  }
}

const parameters = Type.Object({ path: Type.Optional(Type.String()), command: Type.Optional(Type.String()) });

const pathOf = ({ path, command }: Readonly<Record<string, unknown>>): string => {
  if (typeof path === "string") return path;
  return typeof command === "string" ? command : "";
};

/** A tool that answers its path, when `gate` lets it. */
const scriptedTool = (
  name: string,
  effect: Tool["effect"],
  gate: (path: string, signal: AbortSignal) => Promise<void>,
): Tool => ({
  spec: { name, description: name, parameters },
  effect,
  subject: pathOf,
  execute: async (args, { signal, onOutput }) => {
    const path = pathOf(args);
    await gate(path, signal);
    onOutput(`out ${path}`);
    return { content: [{ type: "text", text: `${name} ${path}` }], isError: false };
  },
});

/** Something that is waited for by name. */
class Gates {
  readonly #open = new Map<string, () => void>();
  readonly #reached = new Set<string>();

  /** Calls whose path begins with "wait" wait for `open(path)` or the abort. */
  readonly pass = (path: string, signal: AbortSignal): Promise<void> => {
    if (!path.startsWith("wait")) return Promise.resolve();
    this.#reached.add(path);
    return new Promise((resolve) => {
      this.#open.set(path, resolve);
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
  };

  open(path: string): void {
    this.#open.get(path)?.();
  }

  reached(path: string): boolean {
    return this.#reached.has(path);
  }
}

/** Looks again until it holds; the limit is a hang guard. */
export const until = async (holds: () => boolean | Promise<boolean>, what = "a condition"): Promise<void> => {
  const end = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} did not come true`);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
};

export interface Rig {
  readonly service: RuntimeService;
  readonly store: SessionStore;
  readonly process: ProcessParts;
  readonly models: FakeDirectory;
  readonly gates: Gates;
  readonly log: EventLog;
  readonly fs: FaultyFs;
  /** The workspace; `data` beside it. */
  readonly workspace: string;
  readonly folder: string;
  /** A session's bytes as they are kept now. */
  readonly bytes: (id: SessionId) => Promise<Uint8Array>;
  readonly entries: (id: SessionId) => Promise<readonly AnyEntry[]>;
  readonly script: (...steps: FakeStep[]) => ReturnType<typeof fakeModel>;
  /** Resolves when no run of the session is open. */
  readonly idle: (id: SessionId) => Promise<void>;
  readonly events: (id: SessionId) => readonly SessionEvent[];
  /** The same data dir in a new process. */
  readonly restarted: () => Rig;
  readonly dispose: () => Promise<void>;
}

export type StoreKind = "memory" | "jsonl";

const makeStore = (kind: StoreKind, folder: string, fs: FaultyFs): SessionStore =>
  kind === "memory"
    ? new MemoryStore()
    : new JsonlStore(
        { sessions: join(folder, "data/sessions"), piSessions: join(folder, "pi/sessions") },
        fs,
      );

/** What the index does, by reading everything. */
const searchByReading: (
  store: SessionStore,
  ...asked: Parameters<ProcessParts["search"]>
) => ReturnType<ProcessParts["search"]> = async (store, text, limit, session) => {
  const query = readQuery(text);
  const hits: SearchHit[] = [];
  for (const { id } of await store.list()) {
    if (session !== null && id !== session) continue;
    const stored = await store.open(id);
    for (const entry of await stored.read(stored.tree.rows.map((row) => row.id))) {
      const { said, tool } = textOfEntry(entry);
      const found = `${said}\n${tool}`;
      if (!occursIn(found, query)) continue;
      hits.push({
        session: id,
        entryId: entry.id,
        type: entry.type,
        time: 0,
        parts: excerptOf(found, query),
      });
    }
    await stored.close();
  }
  return { hits: hits.slice(0, limit), complete: true };
};

const build = (kind: StoreKind, folder: string, store: SessionStore, fs: FaultyFs): Rig => {
  const workspace = join(folder, "work");
  const later: Rig[] = [];
  const gates = new Gates();
  const models = new FakeDirectory();
  const log = new EventLog();
  const tools = new Map(
    [
      scriptedTool("look", "read", gates.pass),
      scriptedTool("act", "write", gates.pass),
      scriptedTool("bash", "exec", gates.pass),
    ].map((tool) => [tool.spec.name, tool]),
  );
  const process: ProcessParts = {
    store,
    trash: store instanceof MemoryStore ? store : new FileTrash(join(folder, "data/trash"), Date.now, fs),
    search: (text, limit, session) => searchByReading(store, text, limit, session),
    foreground: new Foreground(),
    log,
    local: new LocalState(join(folder, "data")),
    settings: new SettingsFile(join(folder, "data")),
    models,
    tools: () => tools,
    beforeCall: () => [],
    afterCall: () => [],
    validate: validateArguments,
    now: Date.now,
    random: Math.random,
    agentDir: join(folder, "pi"),
  };
  const service = new RuntimeService(process, { cwd: workspace, tools: ["look", "act", "bash"] });
  const bytes = async (id: SessionId): Promise<Uint8Array> => {
    if (store instanceof MemoryStore) return store.bytes(id);
    const found = (await store.list()).find((one) => one.id === id);
    return found ? new Uint8Array(readFileSync(found.path)) : new Uint8Array();
  };
  return {
    service,
    store,
    process,
    models,
    gates,
    log,
    fs,
    workspace,
    folder,
    bytes,
    entries: async (id) => {
      const parsed = parseJsonl(await bytes(id));
      return parsed?.rows.flatMap((row) => parsed.read(row.id) ?? []) ?? [];
    },
    script: (...steps) => {
      const model = fakeModel(steps);
      models.answer = model;
      return model;
    },
    idle: async (id) => {
      const runtime = await service.runtime(id);
      await until(() => runtime.openRuns.length === 0, "the end of the run");
      await runtime.journal.sync();
      runtime.journal.seq();
    },
    events: (id) =>
      (log.after(0, 100_000) ?? []).flatMap(({ frame }) =>
        frame.session === id ? [frame.event as SessionEvent] : [],
      ),
    restarted: () => {
      const next = build(kind, folder, kind === "memory" ? store : makeStore(kind, folder, fs), fs);
      later.push(next);
      return next;
    },
    dispose: async () => {
      fs.set(null);
      for (const next of later) await next.service.close(1000);
      await service.close(1000);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A service over an empty store, in a folder of its own. */
export const makeRig = (kind: StoreKind): Rig => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-rig-"));
  for (const name of ["work", "data", "pi"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "work/README.md"), "# Work\n");
  const fs = new FaultyFs(diskFs);
  return build(kind, folder, makeStore(kind, folder, fs), fs);
};

/** Everything that holds for every session of the store, whatever was done to it. */
export const checkAll = async (rig: Rig): Promise<void> => {
  for (const { id } of await rig.store.list()) {
    const parsed = parseJsonl(await rig.bytes(id));
    if (parsed === null) throw new Error(`${id} is no session`);
    if (parsed.readOnly !== null) continue;
    const entries = parsed.rows.flatMap((row) => parsed.read(row.id) ?? []);
    checkSession({ header: parsed.header, entries: entries as AnySession["entries"] });
  }
};
