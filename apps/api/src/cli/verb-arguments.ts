import { type ParseArgsConfig, parseArgs } from "node:util";
import { problemOf } from "@espalier/core";
import type { VerbIo } from "./verb.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Options and file names of a verb; null (with the usage on `err`) when they are not understood. Every verb takes `--json` and
 * `--data-dir`.
 */
export const readArguments = <Own extends Options>(
  argv: readonly string[],
  usage: string,
  own: Own,
  io: VerbIo,
) => {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { ...own, json: { type: "boolean" }, "data-dir": { type: "string" } },
    });
  } catch (error) {
    return wrongUsage(usage, io, error instanceof Error ? error.message : String(error));
  }
};

/** Says how a verb is used. */
export const wrongUsage = (usage: string, io: VerbIo, reason?: string): null => {
  io.err(`${reason === undefined ? "" : `${reason}\n`}Usage: espalier ${usage}\n`);
  return null;
};

/** Runs a verb's work; what goes wrong becomes one sentence on `err` and exit code 1. */
export const orFail = async (work: () => Promise<number>, io: VerbIo): Promise<number> => {
  try {
    return await work();
  } catch (error) {
    io.err(`${problemOf(error).message}\n`);
    return 1;
  }
};
