import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const BIN = resolve(import.meta.dirname, "../../../../bin/espalier.js");
/** Hang guards, ms: the first start may build. */
export const BUILD_MS = 240_000;
export const CHILD_MS = 60_000;

export interface Child {
  readonly process: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  readonly exit: Promise<number | null>;
}

/** Runs the command as a person would, with nothing of our environment that could matter. */
export const espalier = (args: readonly string[], env: Record<string, string> = {}, cwd?: string): Child => {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH ?? "", CI: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (bytes: Buffer) => {
    out += bytes.toString();
  });
  child.stderr.on("data", (bytes: Buffer) => {
    err += bytes.toString();
  });
  const exit = new Promise<number | null>((done) => child.once("close", (code) => done(code)));
  return { process: child, out: () => out, err: () => err, exit };
};

export const waitFor = async <T>(look: () => T | null | undefined | false, what: string): Promise<T> => {
  const end = Date.now() + CHILD_MS;
  for (;;) {
    const found = look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`${what} did not come`);
    await new Promise((done) => setTimeout(done, 15));
  }
};

export interface Home {
  readonly folder: string;
  readonly data: string;
  readonly pi: string;
  readonly work: string;
  readonly args: readonly string[];
  /** Paths of all session files in the data dir. */
  readonly sessions: () => string[];
  readonly entries: (path?: string) => Record<string, unknown>[];
  readonly remove: () => void;
}

/** A data dir, a pi dir and a workspace of one test. */
export const makeHome = (): Home => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-child-"));
  const [data, pi, work] = ["data", "pi", "work"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [data, pi, work]) mkdirSync(path);
  writeFileSync(join(work, "README.md"), "# Garden\n");
  const sessions = (): string[] => {
    try {
      return readdirSync(join(data, "sessions"), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(data, "sessions", name));
    } catch {
      return [];
    }
  };
  return {
    folder,
    data,
    pi,
    work,
    args: ["--data-dir", data, "--pi-dir", pi],
    sessions,
    entries: (path = sessions()[0]) =>
      path === undefined
        ? []
        : readFileSync(path, "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line) as Record<string, unknown>),
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
};

export interface Started {
  readonly child: Child;
  readonly url: string;
  readonly key: string;
  readonly token: string;
  readonly post: (path: string, body: unknown) => Promise<Response>;
}

/** A server that is ready, reached by its own server.json. */
export const startServer = async (
  home: Home,
  args: readonly string[] = ["--port", "0"],
): Promise<Started> => {
  const child = espalier(["start", home.work, ...args, "--no-open", ...home.args]);
  const line = await waitFor(() => {
    if (child.process.exitCode !== null) throw new Error(`the server ended: ${child.err()}`);
    return /Espalier ready on (http:\/\/\S+)\/#key=(\S+)/.exec(child.out());
  }, "the ready line");
  const { token } = JSON.parse(readFileSync(join(home.data, "server.json"), "utf8")) as { token: string };
  const url = line[1] ?? "";
  return {
    child,
    url,
    key: line[2] ?? "",
    token,
    post: (path, body) =>
      fetch(url + path, {
        method: "POST",
        headers: { "X-Espalier-Token": token, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
};
