import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { problemOf } from "@espalier/core";
import type { ComposeHeadless } from "./cli/run.ts";
import type { ServerParts } from "./cli/start.ts";
import type { Verb, VerbIo } from "./cli/verb.ts";
import type { ServerConfig } from "./config.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** The package.json of the repo, from the source folder or from the bundle. */
const packageFile = (): { version: string } => {
  for (const up of ["../..", "../../.."]) {
    try {
      const found = JSON.parse(readFileSync(join(here, up, "package.json"), "utf8")) as {
        name?: string;
        version: string;
      };
      if (found.name === "espalier") return found;
    } catch {
      // Not here: one folder further up.
    }
  }
  return { version: "0.0.0" };
};

export const version = packageFile().version;

const composeServer = async (config: ServerConfig): Promise<ServerParts> => {
  const { composeServerParts } = await import("./compose.ts");
  return composeServerParts(config, { version, webFolder: join(here, "..", "web") });
};

const composeHeadless: ComposeHeadless = async (config, workspace) => {
  const { composeHeadlessParts } = await import("./compose.ts");
  return composeHeadlessParts(config, workspace);
};

/** Every verb, loaded when it is used: `inspect` need not wait for a server's code. */
const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  start: async () => (await import("./cli/start.ts")).startVerb(composeServer),
  run: async () => (await import("./cli/run.ts")).runVerb(composeHeadless),
  open: async () => (await import("./cli/open.ts")).openVerb,
  inspect: async () => (await import("./cli/inspect.ts")).inspectVerb,
  check: async () => (await import("./cli/check.ts")).checkVerb,
  compact: async () => (await import("./cli/compact.ts")).compactVerb,
  decode: async () => (await import("./cli/decode.ts")).decodeVerb,
  tool: async () => (await import("./cli/tool.ts")).toolVerb,
  doctor: async () => (await import("./cli/doctor.ts")).doctorVerb(version),
};

const usage = async (): Promise<string> => {
  const lines = await Promise.all(
    Object.values(verbs).map(async (load) => `  espalier ${(await load()).usage}`),
  );
  return `Espalier ${version}\n\n${lines.join("\n")}\n`;
};

/** Runs one verb; its answer is the exit code. A wrong option is wrong usage (2), anything else that fails is 1. */
const runVerb = async (argv: readonly string[], io: VerbIo): Promise<number> => {
  const [name, ...rest] = argv;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    io.out(await usage());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version") {
    io.out(`${version}\n`);
    return 0;
  }
  const load = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (!load) {
    io.err(`There is no verb "${name}". The verbs: ${Object.keys(verbs).join(", ")}.\n`);
    return 2;
  }
  const verb = await load();
  if (rest.includes("--help")) {
    io.out(`espalier ${verb.usage}\n`);
    return 0;
  }
  try {
    return await verb.run(rest, io);
  } catch (error) {
    io.err(`${problemOf(error).message}\n`);
    return (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1;
  }
};

/** A reader that has seen enough (`| head`) is no failure, and no reason to leave work half done. */
const outliveReaders = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
};

/** The command line: `argv` without node and script. Ends the process with the verb's exit code. */
export const main = async (argv: readonly string[]): Promise<void> => {
  outliveReaders();
  process.exitCode = await runVerb(argv, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    env: process.env,
  });
};
