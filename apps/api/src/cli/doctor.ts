import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { dataDirOf } from "../config.ts";
import { readJsonFile } from "../files/json-file.ts";
import { knownProvider, knownProviderIds } from "../providers/known-providers.ts";
import { type IndexReport, indexReport } from "../storage/index-report.ts";
import { lockHolder } from "../storage/lock.ts";
import { freshLink, readServerFile } from "./server-file.ts";
import type { Verb } from "./verb.ts";
import { orFail, readArguments, wrongUsage } from "./verb-arguments.ts";

const usage = "doctor [--json]";

interface DoctorReport {
  readonly espalier: string;
  readonly node: string;
  readonly sqlite: string | null;
  readonly dataDir: { readonly path: string; readonly exists: boolean; readonly writable: boolean };
  /** Pid of the process that holds the data dir. */
  readonly lock: number | null;
  readonly server: { readonly url: string; readonly answers: boolean } | null;
  /** Where each provider's key would come from: a variable, a stored key, or nowhere. Never a key. */
  readonly keys: Readonly<Record<string, "environment" | "stored" | "none">>;
  readonly index: IndexReport;
  /** Sessions in the trash. */
  readonly trash: number;
  /** Whether we run in a container: then what tools may touch is what the container may. */
  readonly container: boolean;
  /** What could not be read, in words. */
  readonly problems: readonly string[];
}

const mayWrite = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const inContainer = (): boolean => {
  if (existsSync("/.dockerenv") || existsSync("/run/.containerenv")) return true;
  try {
    return /docker|kubepods|containerd|lxc/.test(readFileSync("/proc/1/cgroup", "utf8"));
  } catch {
    return false;
  }
};

const Stored = Type.Record(Type.String(), Type.Unknown());

const keysOf = async (
  dataDir: string,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<DoctorReport["keys"]> => {
  const stored = await readJsonFile(join(dataDir, "credentials.json"), Stored).catch((error: unknown) => {
    problems.push(error instanceof Error ? error.message : String(error));
    return null;
  });
  const names = [...new Set([...knownProviderIds, ...Object.keys(stored ?? {})])];
  return Object.fromEntries(
    names.map((id) => {
      const variable = knownProvider(id)?.keyName;
      if (variable !== undefined && (env[variable] ?? "") !== "") return [id, "environment" as const];
      return [id, stored !== null && Object.hasOwn(stored, id) ? ("stored" as const) : ("none" as const)];
    }),
  );
};

const inTrash = (folder: string): number => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl")).length;
  } catch {
    return 0;
  }
};

const examine = async (version: string, dataDir: string, env: NodeJS.ProcessEnv): Promise<DoctorReport> => {
  const problems: string[] = [];
  const server = await readServerFile(dataDir).catch((error: unknown) => {
    problems.push(error instanceof Error ? error.message : String(error));
    return null;
  });
  const index = indexReport(join(dataDir, "index.db"));
  return {
    espalier: version,
    node: process.versions.node,
    sqlite: index.sqlite ?? null,
    dataDir: { path: dataDir, exists: existsSync(dataDir), writable: mayWrite(dataDir) },
    lock: lockHolder(dataDir),
    server: server && { url: server.url, answers: (await freshLink(server)) !== null },
    keys: await keysOf(dataDir, env, problems),
    index,
    trash: inTrash(join(dataDir, "trash")),
    container: inContainer(),
    problems,
  };
};

const indexInWords = ({ state, bytes = 0, sessions, entries, unread }: IndexReport): string => {
  if (state === "none") return "none yet; the server makes it";
  if (state !== "ok")
    return `${state}; lists are made by reading the files until the server has made a new one`;
  const behind = unread ? `, ${unread} still to be read` : "";
  return `${sessions} sessions, ${entries} entries, ${(bytes / 1e6).toFixed(1)} MB${behind}`;
};

const dataDirInWords = ({ path, exists, writable }: DoctorReport["dataDir"]): string => {
  if (!exists) return `${path}, not made yet`;
  return writable ? path : `${path}, which may not be written`;
};

const inWords = (report: DoctorReport): string => {
  const { server, keys } = report;
  const have = Object.entries(keys).flatMap(([id, from]) => (from === "none" ? [] : [`${id} (${from})`]));
  const rows: readonly (readonly [string, string])[] = [
    ["espalier", report.espalier],
    ["node", report.node],
    ["sqlite", report.sqlite ?? "cannot be loaded"],
    ["data dir", dataDirInWords(report.dataDir)],
    ["lock", report.lock === null ? "free" : `held by process ${report.lock}`],
    [
      "server",
      server === null ? "not running" : `${server.url}${server.answers ? "" : ", which does not answer"}`,
    ],
    ["keys", have.length === 0 ? "none; demo/gardener needs none" : have.join(", ")],
    ["index", indexInWords(report.index)],
    ["trash", `${report.trash} sessions`],
    ["sandbox", report.container ? "a container" : "none: tools run with your rights"],
    ...report.problems.map((problem) => ["problem", problem] as const),
  ];
  return rows.map(([name, value]) => `${name.padEnd(10)}${value}`).join("\n");
};

/** What is there and what works, for whoever has to help. Changes nothing and shows no key. */
export const doctorVerb = (version: string): Verb => ({
  usage: `${usage}     versions, data dir, lock, server, keys present or not, index, trash, sandbox`,
  run: async (argv, io) => {
    const args = readArguments(argv, usage, {}, io);
    if (args === null) return 2;
    if (args.positionals.length > 0) return wrongUsage(usage, io) ?? 2;
    return orFail(async () => {
      const report = await examine(version, dataDirOf(args.values["data-dir"], io.env), io.env);
      io.out(`${args.values.json === true ? JSON.stringify(report, null, 1) : inWords(report)}\n`);
      return 0;
    }, io);
  },
});
