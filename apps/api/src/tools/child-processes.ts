import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Names of variables that tend to hold secrets; no command of a model gets them. */
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|^ESPALIER_/i;

/** The environment of a command: ours without secrets, and the variables the session gives. */
export const scrubbedEnv = (
  env: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
): Record<string, string> => {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !SECRET.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...extra };
};

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** /bin/bash, else a bash on the PATH, else sh. */
const shellPath = (env: NodeJS.ProcessEnv): string => {
  if (isExecutable("/bin/bash")) return "/bin/bash";
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, "bash")).find(isExecutable) ?? "sh";
};

const killGroup = (id: number): void => {
  try {
    process.kill(-id, "SIGKILL");
  } catch {
    // The group is gone already.
  }
};

/** Processes of the session `id` (Linux): also those that left the group, as GNU timeout does. */
const sessionMembers = (id: number): { pid: number; group: number }[] => {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        // The command's name may hold spaces and brackets; the fields start after the last bracket.
        const [, , group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(session) === id ? [{ pid: Number(name), group: Number(group) }] : [];
      } catch {
        return [];
      }
    });
};

/** Kills everything a detached child has started, without asking: its group, and on Linux its whole session. */
export const killTree = (child: ChildProcess): void => {
  const id = child.pid;
  if (id === undefined) return;
  killGroup(id);
  const groups = new Set(sessionMembers(id).map((member) => member.group));
  for (const group of groups) if (group > 1) killGroup(group);
};

const running = new Set<ChildProcess>();

/** Starts a shell command as the leader of its own group and session, with nothing to read from. */
export const startCommand = (
  command: string,
  cwd: string,
  extraEnv: Readonly<Record<string, string>>,
): ChildProcess => {
  const child = spawn(shellPath(process.env), ["-c", command], {
    cwd,
    env: scrubbedEnv(process.env, extraEnv),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.once("error", () => running.delete(child));
  return child;
};

/** Kills every command that still runs, for the moment the server goes down. */
export const killRunningCommands = (): void => {
  for (const child of running) killTree(child);
};
