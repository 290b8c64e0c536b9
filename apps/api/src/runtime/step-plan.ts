import {
  type GrowingContext,
  guardRequest,
  type Hooks,
  type StepPlan,
  systemPatch,
  systemText,
  type Tool,
  toModelMessages,
} from "@espalier/core";
import { type EntryDraft, type ModelInfo, type ModelRef, ThinkingLevel } from "@espalier/protocol";
import { Value } from "@sinclair/typebox/value";
import type { ActiveRun } from "./active-run.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { promptSections } from "./system-prompt.ts";
import { contextFiles } from "./workspace.ts";

/** Tools every session starts with, as pi's defaults plus the three that only look. */
const DEFAULT_TOOLS = ["read", "bash", "edit", "write", "grep", "find", "ls"];

/** Model and thinking level that a path names, if it names them. */
export const pathSelection = ({
  model,
  thinkingLevel,
}: {
  readonly model: ModelRef | null;
  readonly thinkingLevel: string | null;
}): { model: ModelRef | null; thinkingLevel?: ThinkingLevel } =>
  Value.Check(ThinkingLevel, thinkingLevel) ? { model, thinkingLevel } : { model };

const activeTools = (runtime: SessionRuntime): ReadonlyMap<string, Tool> => {
  const all = runtime.process.tools();
  const wanted = runtime.workspace.tools ?? DEFAULT_TOOLS;
  return new Map(wanted.flatMap((name) => (all.has(name) ? [[name, all.get(name) as Tool] as const] : [])));
};

const wantedSystem = async (runtime: SessionRuntime, cwd: string) => {
  const tools = [...activeTools(runtime).values()];
  const files = await contextFiles(cwd, runtime.process.agentDir);
  return {
    sections: promptSections({ cwd, tools, contextFiles: files }),
    tools: tools.map(({ spec }) => spec),
  };
};

const patchFor = async (
  runtime: SessionRuntime,
  context: GrowingContext,
  cwd: string,
): Promise<EntryDraft[]> => {
  const patch = systemPatch(context.system, await wantedSystem(runtime, cwd), runtime.process.now());
  return patch ? [{ type: "message", message: patch }] : [];
};

export interface Opening {
  readonly context: GrowingContext;
  readonly cwd: string;
  readonly model: ModelInfo;
  readonly thinkingLevel: ThinkingLevel;
}

/**
 * What must stand before a person's words, in the same write: the model and thinking level where they differ from what the
 * path says, and the system prompt where it differs from the replay. So every request can be rebuilt from the file.
 */
export const prologue = async (runtime: SessionRuntime, opening: Opening): Promise<EntryDraft[]> => {
  const { context, cwd, model, thinkingLevel } = opening;
  const before = pathSelection(context);
  const same = before.model?.provider === model.provider && before.model.modelId === model.id;
  return [
    ...(same ? [] : [{ type: "model_change" as const, provider: model.provider, modelId: model.id }]),
    ...(before.thinkingLevel === thinkingLevel
      ? []
      : [{ type: "thinking_level_change" as const, thinkingLevel }]),
    ...(await patchFor(runtime, context, cwd)),
  ];
};

const chain =
  (handlers: readonly Hooks["beforeToolCall"][]): Hooks["beforeToolCall"] =>
  async (call, signal) => {
    for (const handler of handlers) {
      const verdict = await handler(call, signal);
      if (verdict.block) return verdict;
    }
    return { block: false };
  };

/** Everyone's hooks, then the question to the person: a hook may refuse before anybody is asked. */
const hooksOf = (runtime: SessionRuntime, run: ActiveRun, cwd: string): Hooks => {
  const { process, workspace, approvals } = runtime;
  const ask: Hooks["beforeToolCall"] = (call, signal) => approvals.ask(run.id, cwd, call, signal);
  return {
    beforeToolCall: chain([...process.beforeCall(), workspace.permit ?? ask]),
    afterToolCall: async (call, output) => {
      let result = output;
      for (const handler of process.afterCall()) result = await handler(call, result);
      return result;
    },
  };
};

const environment = (runtime: SessionRuntime, run: ActiveRun): Record<string, string> => ({
  ESPALIER_SESSION_ID: runtime.journal.id,
  ESPALIER_PROVIDER: run.model.provider,
  ESPALIER_MODEL: run.model.id,
});

const tellGuard = (runtime: SessionRuntime, run: ActiveRun, changes: readonly string[]): void => {
  const told = changes.join("\n");
  if (told !== "" && told !== run.guarded) {
    runtime.journal.emit({ type: "guarded", run: run.id, changes: [...changes] });
  }
  run.guarded = told;
};

/** What the guard must know of the model it writes for. */
const targetOf = ({ provider, api, id, input }: ModelInfo) => ({ provider, api, model: id, input });

/**
 * The next request, rebuilt from the run's path, with the tools and hooks that are registered now. When prompt or tools
 * changed since the last step, their patch is written first.
 */
export const planStep = async (runtime: SessionRuntime, run: ActiveRun, cwd: string): Promise<StepPlan> => {
  const patch = await patchFor(runtime, run.context, cwd);
  if (patch.length > 0) await runtime.commitFor(run, patch);
  const { context } = run.context;
  const { model } = run;
  const { messages, changes } = guardRequest(toModelMessages(context.messages), targetOf(model));
  tellGuard(runtime, run, changes);
  const tools = activeTools(runtime);
  const level = pathSelection(run.context).thinkingLevel ?? "off";
  return {
    model: runtime.process.models.modelFor(model),
    request: {
      model,
      system: systemText(context.system),
      tools: [...tools.values()].map(({ spec }) => spec),
      messages,
      thinkingLevel: model.reasoning ? level : "off",
      sessionId: runtime.journal.id,
    },
    tools,
    hooks: hooksOf(runtime, run, cwd),
    cwd,
    env: environment(runtime, run),
  };
};
