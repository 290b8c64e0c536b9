import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Page } from "playwright/test";

const root = resolve(import.meta.dirname, "../..");

/** A workspace, a data dir and a pi dir of their own, and the real server over them. */
export class TestHome {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "espalier-e2e-")));
  readonly workspace = join(this.folder, "work");
  readonly dataDir = join(this.folder, "data");
  readonly piDir = join(this.folder, "pi");
  #child: ChildProcess | null = null;
  #port = 0;

  constructor() {
    mkdirSync(join(this.piDir, "sessions", "--e2e--"), { recursive: true });
    mkdirSync(this.workspace);
    writeFileSync(join(this.workspace, "package.json"), '{\n  "name": "orchard",\n  "version": "1.2.3"\n}\n');
    writeFileSync(join(this.workspace, "notes.md"), "# Notes\n\nWater the pears.\n");
  }

  /** Puts a recorded session where pi keeps its own; returns the copy's path. */
  addPiSession(source: string): string {
    const path = join(this.piDir, "sessions", "--e2e--", source.slice(source.lastIndexOf("/") + 1));
    cpSync(source, path);
    return path;
  }

  /** Starts the server and gives its link with a one-time key. A restart uses the same port. */
  async start(): Promise<string> {
    const { piDir, dataDir, workspace } = this;
    const words = [
      "start",
      workspace,
      "--no-open",
      "--port",
      String(this.#port),
      "--data-dir",
      dataDir,
      "--pi-dir",
      piDir,
    ];
    const child = spawn(process.execPath, [join(root, "bin/espalier.js"), ...words], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, HOME: this.folder, ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" },
    });
    this.#child = child;
    if (!child.stdout) throw new Error("the server has no output");
    for await (const line of createInterface({ input: child.stdout })) {
      const link = /^Espalier ready on (\S+)$/.exec(line)?.[1];
      if (link === undefined) continue;
      this.#port = Number(new URL(link).port);
      return link;
    }
    throw new Error("the server ended before it was ready");
  }

  /** Ends the server; by default as a person does with Ctrl C. Returns the exit code. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<number | null> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = once(child, "exit");
    child.kill(signal);
    const [code] = (await ended) as [number | null];
    return code;
  }

  /** A call as a program makes it, with the token of server.json. */
  async call(path: string): Promise<unknown> {
    const { url, token } = JSON.parse(readFileSync(join(this.dataDir, "server.json"), "utf8")) as {
      url: string;
      token: string;
    };
    const response = await fetch(`${url}/api${path}`, { headers: { "X-Espalier-Token": token } });
    return response.json();
  }

  async close(): Promise<void> {
    await this.stop("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Collects what a page must never have: script errors, console errors and reports of a broken content policy. */
export const watch = (page: Page): string[] => {
  const wrong: string[] = [];
  page.on("pageerror", (error) => wrong.push(`pageerror: ${error.message}`));
  page.on("response", (response) => {
    // A restarted server has another token: the page is told so once and renews its own.
    if (response.status() >= 400 && response.status() !== 401)
      wrong.push(`${response.status()} ${response.url()}`);
  });
  page.on("console", (message) => {
    // Failed fetches are judged above; a server that is down on purpose refuses some.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      wrong.push(message.text());
  });
  return wrong;
};
