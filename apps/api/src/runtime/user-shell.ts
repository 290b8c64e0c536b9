import { ProblemError } from "@espalier/core";
import { type BashExecutionMessage, toolCallId } from "@espalier/protocol";
import type { Done } from "./session-commands.ts";
import type { SessionRuntime } from "./session-runtime.ts";

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/**
 * Runs a command the person typed (`!`) with the bash tool and writes it with its output. Nobody is asked: the person is the
 * one who would be. While a run is open the entry waits for its end, so that it cannot land between a call and its result.
 */
export const userShell = async (
  runtime: SessionRuntime,
  command: string,
  exclude: boolean,
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
  const output = await tool.execute(
    { command },
    {
      toolCallId: toolCallId("user"),
      cwd,
      signal: new AbortController().signal,
      onOutput: () => undefined,
      env: {},
    },
  );
  const details = (
    typeof output.details === "object" && output.details !== null ? output.details : {}
  ) as Record<string, unknown>;
  const exitCode = number(details.exitCode) ?? (output.isError ? undefined : 0);
  const message: BashExecutionMessage = {
    role: "bashExecution",
    command,
    output: output.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    ...(exitCode === undefined ? {} : { exitCode }),
    cancelled: false,
    truncated: details.truncation !== undefined,
    ...(typeof details.fullOutputPath === "string" ? { fullOutputPath: details.fullOutputPath } : {}),
    ...(exclude ? { excludeFromContext: true } : {}),
    timestamp: runtime.process.now(),
  };
  await Promise.all(runtime.openRuns.map(({ finished }) => finished));
  const place = { parent: runtime.journal.state.leafId, source: "command" } as const;
  const [entry] = await runtime.journal.commit([{ type: "message", message }], place);
  return entry ? { entryId: entry.id } : {};
};
