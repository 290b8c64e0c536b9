import type { Hooks, Model, SessionStore, SessionTrash, Tool, Validator } from "@espalier/core";
import type { ModelInfo, ModelRef, Problem, SearchAnswer, SessionId } from "@espalier/protocol";
import type { EventLog } from "./event-log.ts";
import type { Foreground } from "./foreground.ts";
import type { LocalState } from "./local-state.ts";
import type { SettingsFile } from "./settings.ts";

/** Which models there are and how to ask them; the runtime never sees a key. */
interface ModelDirectory {
  /** `provider/id` or a reference; a Problem says what is missing (`no_model`, `no_key`). */
  resolve(ref: ModelRef | string): Promise<ModelInfo | Problem>;
  modelFor(info: ModelInfo): Model;
  /** Size of a model's window in tokens, whether or not it can be asked now; 0 when unknown. */
  windowOf(ref: ModelRef): Promise<number>;
  /** The model of a session that names none; null when none is ready. */
  fallback(): Promise<ModelInfo | null>;
}

/** What lives as long as the process. */
export interface ProcessParts {
  readonly store: SessionStore;
  readonly trash: SessionTrash;
  readonly search: (text: string, limit: number, session: SessionId | null) => Promise<SearchAnswer>;
  /** Lets background work step aside while somebody waits for an answer. */
  readonly foreground: Foreground;
  readonly log: EventLog;
  readonly local: LocalState;
  readonly settings: SettingsFile;
  readonly models: ModelDirectory;
  /** The tools that are registered now, by name. */
  readonly tools: () => ReadonlyMap<string, Tool>;
  readonly beforeCall: () => readonly Hooks["beforeToolCall"][];
  readonly afterCall: () => readonly Hooks["afterToolCall"][];
  readonly validate: Validator;
  readonly now: () => number;
  readonly random: () => number;
  /** The folder of the person's instructions for all projects. */
  readonly agentDir: string;
}

/** What lives as long as a workspace is open. */
export interface WorkspaceParts {
  readonly cwd: string;
  /** Names of the tools to offer, in order; absent = the usual ones. */
  readonly tools?: readonly string[];
  /** Replaces asking a person, for runs without one. */
  readonly permit?: Hooks["beforeToolCall"];
}
