import { stat } from "node:fs/promises";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, systemReason, textArgument } from "./define-tool.ts";
import { type CommandResult, runCommand } from "./run-command.ts";
import { MAX_BYTES, MAX_LINES, sizeInWords } from "./truncate-output.ts";

/** Longest timer Node has, in seconds. */
const LONGEST_TIMEOUT = 2_147_483.647;

const parameters = Type.Object({
  command: Type.String({ description: "Command line for bash" }),
  timeout: Type.Optional(
    Type.Number({
      description: "Seconds after which the command is killed; no limit when left out",
      exclusiveMinimum: 0,
      maximum: LONGEST_TIMEOUT,
    }),
  ),
});

const cutNotice = ({ truncation, logPath, logCut }: CommandResult): string => {
  if (!truncation.truncated) return "";
  const { totalLines, totalBytes, outputLines, lastLinePartial } = truncation;
  const what = lastLinePartial
    ? `the last ${sizeInWords(truncation.outputBytes)} of ${sizeInWords(totalBytes)}`
    : `the last ${outputLines} of ${totalLines} lines (${sizeInWords(totalBytes)} in all)`;
  const whole = logCut ? "The first part of the output is in" : "The whole output is in";
  return `\n\n[This is ${what}. ${logPath === undefined ? "The rest could not be kept." : `${whole} ${logPath}`}]`;
};

const endNotice = (result: CommandResult, timeout: number | undefined): string => {
  switch (result.ended) {
    case "timeout":
      return `\n\nCommand timed out after ${timeout} seconds and was killed with all it had started.`;
    case "abort":
      return "\n\nCommand aborted: killed with all it had started.";
    case "exit":
      return result.exitCode === 0 ? "" : `\n\nCommand exited with code ${result.exitCode}`;
  }
};

const binaryNotice = (result: CommandResult): string =>
  result.binary ? "\n\n[Much of this output is binary; what is no text was replaced or left out.]" : "";

export const bash = defineTool({
  name: "bash",
  description: `Run a command line with bash in the working folder and return what it prints (stdout and stderr together). It cannot read input. At most the last ${MAX_LINES} lines or ${MAX_BYTES / 1024} KB come back; a longer output is kept in a file that the result names. With timeout (seconds) it is killed after that time.`,
  parameters,
  effect: "exec",
  subject: (args) => textArgument(args, "command"),
  execute: async ({ command, timeout }, { cwd, signal, onOutput, env }) => {
    const folder = await stat(cwd).catch(() => null);
    if (!folder?.isDirectory()) return failed(`The working folder ${cwd} does not exist.`);
    let result: CommandResult;
    try {
      const timeoutMs = timeout === undefined ? undefined : timeout * 1000;
      result = await runCommand(command, { cwd, env, timeoutMs, signal, onOutput });
    } catch (error) {
      return failed(`The shell could not be started: ${systemReason(error)}.`);
    }
    const shown = result.text.trimEnd() === "" ? "(no output)" : result.text;
    const notes = `${cutNotice(result)}${binaryNotice(result)}${endNotice(result, timeout)}`;
    const text = notes === "" ? shown : `${shown.replace(/\n$/, "")}${notes}`;
    const details = {
      exitCode: result.exitCode,
      ...(result.truncation.truncated
        ? { truncation: { ...result.truncation, content: "" }, fullOutputPath: result.logPath }
        : {}),
    };
    return result.ended === "exit" && result.exitCode === 0 ? said(text, details) : failed(text, details);
  },
});
