import { ProblemError } from "@espalier/core";
import { type BashExecutionMessage, type CommandOf, toolCallId } from "@espalier/protocol";
import type { Done } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Does work when no other command of the session is being done. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Writes the entry at the leaf when no run works there, so that it cannot land between a call and its result. */
const writeAtRest = async (
  runtime: SessionRuntime,
  message: BashExecutionMessage,
  inTurn: InTurn,
): Promise<Done> => {
  const { journal } = runtime;
  for (;;) {
    const step = await inTurn(async () => {
      const { leafId } = journal.state;
      const busy = runtime.openRuns.find(({ tip }) => tip === leafId);
      if (busy) return { busy };
      const place = { parent: leafId, source: "command" } as const;
      return { entries: await journal.commit([{ type: "message", message }], place) };
    });
    if (step.entries) return step.entries[0] ? { entryId: step.entries[0].id } : {};
    await step.busy.finished;
  }
};

/**
 * Runs a command the person typed (`!`) with the bash tool and writes it with its output. Nobody is asked: the person is the
 * one who would be. Stop ends it while no run is open.
 */
export const userShell = async (
  runtime: SessionRuntime,
  { command, exclude }: CommandOf<"bash">,
  inTurn: InTurn,
): Promise<Done> => {
  const tool = runtime.process.tools().get("bash");
  if (!tool) throw new ProblemError("not_found", "The bash tool is not there.");
  const { cwd, missing } = await runtime.folder();
  if (missing) throw new ProblemError("folder_missing", `The folder ${cwd} is gone.`);
  if (!runtime.journal.stored) {
    throw new ProblemError(
      "nothing_to_do",
      "The session is empty: write a message first, then run commands in it.",
    );
  }
  const stop = new AbortController();
  runtime.shells.add(stop);
  const output = await tool
    .execute(
      { command },
      { toolCallId: toolCallId("user"), cwd, signal: stop.signal, onOutput: () => undefined, env: {} },
    )
    .finally(() => runtime.shells.delete(stop));
  const details = (
    typeof output.details === "object" && output.details !== null ? output.details : {}
  ) as Record<string, unknown>;
  const exitCode = number(details.exitCode) ?? (output.isError ? undefined : 0);
  const message: BashExecutionMessage = {
    role: "bashExecution",
    command,
    output: output.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    ...(exitCode === undefined ? {} : { exitCode }),
    cancelled: stop.signal.aborted,
    truncated: details.truncation !== undefined,
    ...(typeof details.fullOutputPath === "string" ? { fullOutputPath: details.fullOutputPath } : {}),
    ...(exclude ? { excludeFromContext: true } : {}),
    timestamp: runtime.process.now(),
  };
  return writeAtRest(runtime, message, inTurn);
};
