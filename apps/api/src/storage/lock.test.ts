import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLock } from "./lock.ts";

let folder: string;
const path = (): string => join(folder, "server.lock");
const held = (): Record<string, unknown> =>
  JSON.parse(readFileSync(path(), "utf8")) as Record<string, unknown>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A lock of ours as another process would have written it. */
const write = (change: object): void => {
  const release = takeLock(folder);
  const text = JSON.stringify({ ...held(), ...change });
  release?.();
  writeFileSync(path(), text);
};

describe("the lock of a data dir", () => {
  it("is for its owner only, and given back", () => {
    const release = takeLock(folder);
    expect(release).not.toBeNull();
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect(held().pid).toBe(process.pid);
    release?.();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")("is refused while a living process holds it", () => {
    const began = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
    write({ pid: process.ppid, began: began.slice(began.lastIndexOf(")") + 2).split(" ")[19] });
    expect(takeLock(folder)).toBeNull();
    expect(held().pid).toBe(process.ppid);
  });

  it.skipIf(process.platform !== "linux")(
    "is taken over from the dead: no such process, another boot, or a pid that went to another",
    () => {
      for (const change of [
        { pid: 2 ** 22 + 5 },
        { pid: process.ppid, boot: "another" },
        { pid: process.ppid, began: "1" },
      ]) {
        write(change);
        const release = takeLock(folder);
        expect(release).not.toBeNull();
        release?.();
        expect(readdirSync(folder)).toEqual([]);
      }
    },
  );

  it.each(["", "null", "{", '{"pid":"x"}'])("is taken over from a file that says %j", (text) => {
    writeFileSync(path(), text);
    expect(takeLock(folder)).not.toBeNull();
    expect(readdirSync(folder)).toEqual(["server.lock"]);
  });

  it.skipIf(process.platform !== "linux")(
    "is taken from a process that ended and was never asked about",
    async () => {
      // The shell becomes a program that does not ask about the child it was given.
      const parent = spawn("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 20"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      try {
        const [told] = (await once(parent.stdout, "data")) as [Buffer];
        const pid = Number(String(told).trim());
        const stat = (): string[] => {
          const text = readFileSync(`/proc/${pid}/stat`, "utf8");
          return text.slice(text.lastIndexOf(")") + 2).split(" ");
        };
        await expect.poll(() => stat()[0], { timeout: 5000 }).toBe("Z");
        write({ pid, began: stat()[19] });
        const release = takeLock(folder);
        expect(release).not.toBeNull();
        release?.();
      } finally {
        parent.kill("SIGKILL");
      }
    },
  );

  it("is not given back when it has gone to another", () => {
    const release = takeLock(folder);
    writeFileSync(path(), "theirs");
    release?.();
    expect(readFileSync(path(), "utf8")).toBe("theirs");
  });
});
