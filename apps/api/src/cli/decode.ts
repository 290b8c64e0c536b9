import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { isStreamApi, readers, readRecorded } from "../providers/readers.ts";
import type { StreamReading } from "../providers/stream-reading.ts";
import type { Verb } from "./verb.ts";

const usage = "decode API FILE.sse [--json]     read a recorded provider stream";
const apis = Object.keys(readers).join(", ");

const readArguments = (argv: readonly string[]): { json: boolean; rest: string[] } | null => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: { json: { type: "boolean" }, "data-dir": { type: "string" } },
    });
    return { json: values.json ?? false, rest: positionals };
  } catch {
    return null;
  }
};

/** For a person: what was said, what is to be called, how it ended. */
const inWords = (reading: StreamReading): string => {
  const end = reading.error === null ? (reading.stopReason ?? "cut off") : "error";
  return [
    reading.reasoning && `Thinking\n${reading.reasoning}`,
    reading.text && `Text\n${reading.text}`,
    reading.refusal && `Refusal\n${reading.refusal}`,
    ...reading.toolCalls.map(
      (call) => `Call ${call.name} (${call.id})${call.complete ? "" : ", unfinished"}\n${call.argumentsRaw}`,
    ),
    reading.error === null ? "" : `Error\n${JSON.stringify(reading.error)}`,
    `End\n${end}${reading.completed ? "" : ", without the terminal event"}; tokens ${JSON.stringify(reading.usage)}`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
};

/** Reads a recorded stream with the adapter's own reader and prints the reading. The file is not written. */
export const decodeVerb: Verb = {
  usage,
  run: async (argv, io) => {
    const [api, file, ...more] = readArguments(argv)?.rest ?? [];
    if (api === undefined || file === undefined || more.length > 0) {
      io.err(`Usage: espalier ${usage}\n`);
      return 2;
    }
    if (!isStreamApi(api)) {
      io.err(`There is no API "${api}": choose one of ${apis}.\n`);
      return 2;
    }
    let bytes: Uint8Array;
    try {
      bytes = await readFile(file);
    } catch (error) {
      io.err(`Cannot read ${file}: ${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    }
    const reading = readRecorded(api, bytes);
    io.out(`${readArguments(argv)?.json ? JSON.stringify(reading, null, 1) : inWords(reading)}\n`);
    return 0;
  },
};
