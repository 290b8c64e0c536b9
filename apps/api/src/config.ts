import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ProblemError } from "@espalier/core";

/** Where things lie and how the server is reached. All paths absolute. */
export interface Config {
  /** The folder tools work in. */
  readonly workspace: string;
  readonly dataDir: string;
  readonly piDir: string;
  readonly home: string;
}

export interface ServerConfig extends Config {
  /** 0 = any. */
  readonly port: number;
  /** True when the port was asked for: then another one is no substitute. */
  readonly portGiven: boolean;
  readonly host: "127.0.0.1" | "::1" | "localhost";
  readonly openBrowser: boolean;
}

const DEFAULT_PORT = 4517;

/** The data dir that every verb uses: `--data-dir`, else `$ESPALIER_HOME`, else `~/.espalier`. */
export const dataDirOf = (given: string | undefined, env: NodeJS.ProcessEnv): string =>
  resolve(given ?? env.ESPALIER_HOME ?? join(env.HOME ?? homedir(), ".espalier"));

/** pi's own folder: `--pi-dir`, else `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`. */
export const piDirOf = (given: string | undefined, env: NodeJS.ProcessEnv): string =>
  resolve(given ?? env.PI_CODING_AGENT_DIR ?? join(env.HOME ?? homedir(), ".pi", "agent"));

const usage = (message: string): ProblemError => new ProblemError("bad_request", message);

const portOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_PORT;
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw usage(`--port takes a number from 0 to 65535, not "${text}".`);
  return port;
};

const hostOf = (text: string | undefined): ServerConfig["host"] => {
  if (text === undefined || text === "127.0.0.1") return "127.0.0.1";
  if (text === "::1" || text === "localhost") return text;
  throw usage(
    `--host ${text} would open this machine to others: the server runs tools with your rights. It listens on 127.0.0.1, localhost or ::1 only.`,
  );
};

/** Reads the words after `npm start --`. Throws ProblemError `bad_request` with what is wrong. */
export const serverConfig = (argv: readonly string[], env: NodeJS.ProcessEnv): ServerConfig => {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(argv);
  } catch (error) {
    throw usage((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (positionals.length > 1)
    throw usage(`One folder at most, not ${positionals.length}: ${positionals.join(", ")}.`);
  return {
    workspace: resolve(positionals[0] ?? env.INIT_CWD ?? process.cwd()),
    dataDir: dataDirOf(values["data-dir"], env),
    piDir: piDirOf(values["pi-dir"], env),
    home: env.HOME ?? homedir(),
    port: portOf(values.port),
    portGiven: values.port !== undefined,
    host: hostOf(values.host),
    openBrowser: values["no-open"] !== true,
  };
};

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      port: { type: "string" },
      host: { type: "string" },
      "data-dir": { type: "string" },
      "pi-dir": { type: "string" },
      "no-open": { type: "boolean" },
    },
  });
