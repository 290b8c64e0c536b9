import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { ToolOutput } from "@espalier/core";
import { toolCallId } from "@espalier/protocol";
import { builtInTools } from "../tools/registry.ts";
import { validateArguments } from "../tools/validate-arguments.ts";
import type { Verb } from "./verb.ts";

const usage = "tool NAME 'JSON' [--cwd D]     run one tool once and print its result";

interface Asked {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly cwd: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What was asked for, or what is wrong with it. */
const readArguments = (argv: readonly string[]): Asked | string => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { cwd: { type: "string" }, "data-dir": { type: "string" }, json: { type: "boolean" } },
    });
    const [name, text = "{}", ...more] = positionals;
    if (name === undefined || more.length > 0) return `Usage: espalier ${usage}`;
    const args: unknown = JSON.parse(text);
    if (!isRecord(args)) return "The arguments must be a JSON object.";
    return { name, args, cwd: resolve(values.cwd ?? process.cwd()) };
  } catch (error) {
    return error instanceof SyntaxError
      ? `The arguments are no JSON: ${error.message}`
      : `Usage: espalier ${usage}`;
  }
};

const runOnce = async (asked: Asked, signal: AbortSignal): Promise<ToolOutput | null> => {
  const tool = builtInTools.find(({ spec }) => spec.name === asked.name);
  if (!tool) return null;
  const checked = validateArguments(tool.spec.parameters, tool.prepare?.(asked.args) ?? asked.args);
  if (!checked.ok) {
    const text = `Invalid arguments for ${asked.name}: ${checked.error}`;
    return { content: [{ type: "text", text }], isError: true };
  }
  return tool.execute(checked.value, {
    toolCallId: toolCallId("cli"),
    cwd: asked.cwd,
    signal,
    onOutput: () => undefined,
    env: {},
  });
};

/** Runs one tool without a model. A failure the tool reports is a result like any other, so the verb has done its work. */
export const toolVerb: Verb = {
  usage,
  run: async (argv, io) => {
    const asked = readArguments(argv);
    if (typeof asked === "string") {
      io.err(`${asked}\n`);
      return 2;
    }
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    process.once("SIGINT", stop);
    try {
      const output = await runOnce(asked, abort.signal);
      if (output === null) {
        const names = builtInTools.map(({ spec }) => spec.name).join(", ");
        io.err(`There is no tool "${asked.name}": the tools are ${names}.\n`);
        return 2;
      }
      const { content, details, isError } = output;
      io.out(`${JSON.stringify({ content, details: details ?? null, isError }, null, 1)}\n`);
      return 0;
    } finally {
      process.off("SIGINT", stop);
    }
  },
};
