import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

interface Holder {
  readonly pid: number;
  /** The machine's boot, so that a pid of an earlier life is known to be dead. */
  readonly boot: string;
}

const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Not Linux: the pid alone must do.
    return "unknown";
  }
};

const isAlive = ({ pid, boot }: Holder): boolean => {
  if (boot !== bootId() || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

const holderOf = (path: string): Holder | null => {
  try {
    const { pid, boot } = JSON.parse(readFileSync(path, "utf8")) as Partial<Holder>;
    return typeof pid === "number" && typeof boot === "string" ? { pid, boot } : null;
  } catch {
    // Absent, or its writer died while writing it.
    return null;
  }
};

/**
 * Takes `<data-dir>/server.lock` for this process and returns how to give it back, or null when a living process holds it.
 * It guards the index, the credentials and server.json; sessions need no lock.
 */
export const takeLock = (dataDir: string): (() => void) | null => {
  const path = join(dataDir, "server.lock");
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      const file = openSync(path, "wx", 0o600);
      writeSync(file, JSON.stringify({ pid: process.pid, boot: bootId() }));
      closeSync(file);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = holderOf(path);
      if (holder && isAlive(holder)) return null;
      rmSync(path, { force: true });
    }
  }
  return null;
};
