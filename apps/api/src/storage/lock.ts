import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Holder {
  readonly pid: number;
  /** The machine's boot, so that a pid of an earlier life is known to be dead. */
  readonly boot: string;
  /** When the process began, as the system tells it: a pid may have gone to another process since. */
  readonly began: string;
}

const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Not Linux: the pid alone must do.
    return "unknown";
  }
};

/** What the system tells of a process: its state and when it began. The name in brackets before may hold spaces. */
const statOf = (pid: number): { state: string; began: string } => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "unknown", began: fields[19] ?? "unknown" };
  } catch {
    return { state: "unknown", began: "unknown" };
  }
};

const beganAt = (pid: number): string => statOf(pid).began;

const isAlive = ({ pid, boot, began }: Holder): boolean => {
  const now = statOf(pid);
  if (boot !== bootId() || pid === process.pid || began !== now.began) return false;
  // A process that ended and that its parent has not asked about yet still has its pid.
  if (now.state === "Z" || now.state === "X") return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const holderIn = (text: string): Holder | null => {
  try {
    const { pid, boot, began } = JSON.parse(text) as Partial<Holder>;
    if (typeof pid !== "number" || typeof boot !== "string" || typeof began !== "string") return null;
    return { pid, boot, began };
  } catch {
    return null;
  }
};

const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

/** The process that holds a data dir's lock; null when none that lives does. */
export const lockHolder = (dataDir: string): number | null => {
  const text = textOf(join(dataDir, "server.lock"));
  const holder = text === null ? null : holderIn(text);
  return holder !== null && isAlive(holder) ? holder.pid : null;
};

/** Gives `path` to us unless it is there: the file appears with its whole content. */
const place = (path: string, own: string): boolean => {
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, own, { mode: 0o600 });
  try {
    linkSync(staging, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(staging, { force: true });
  }
};

/** Takes a dead process's lock away. Another process may be doing the same: what it has put there meanwhile is put back. */
const clear = (path: string, dead: string): void => {
  const aside = `${path}.${process.pid}.dead`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const taken = textOf(aside);
  if (taken !== null && taken !== dead) place(path, taken);
  rmSync(aside, { force: true });
};

/**
 * Takes `<data-dir>/server.lock` for this process and returns how to give it back, or null when a living process holds it.
 * It guards the index, the credentials and server.json; sessions need no lock.
 */
export const takeLock = (dataDir: string): (() => void) | null => {
  const path = join(dataDir, "server.lock");
  const own = JSON.stringify({ pid: process.pid, boot: bootId(), began: beganAt(process.pid) });
  const release = (): void => {
    if (textOf(path) === own) rmSync(path, { force: true });
  };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (place(path, own)) return release;
    const held = textOf(path);
    if (held === null) continue;
    const holder = holderIn(held);
    if (holder && isAlive(holder)) return null;
    clear(path, held);
  }
  return null;
};
