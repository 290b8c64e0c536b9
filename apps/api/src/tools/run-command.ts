import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { killTree, startCommand } from "./child-processes.ts";
import { type CollectedOutput, OutputCollector, throttled } from "./output-collector.ts";

/** After the shell has exited, its pipes may be held by a child it left behind: this long without output is the end, ms. */
const IDLE_AFTER_EXIT_MS = 100;
/** ... and this is the end even if such a child goes on writing. */
const LONGEST_AFTER_EXIT_MS = 2000;
const STREAM_EVERY_MS = 100;
/** What GNU timeout exits with when it stopped its command. */
const TIMED_OUT_CODE = 124;

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Absent: no limit. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  /** Gets output as it comes, cleaned, at most ten times a second. */
  readonly onOutput: (text: string) => void;
}

export interface CommandResult extends CollectedOutput {
  /** 128 + n for a shell that died of signal n. */
  readonly exitCode: number;
  readonly ended: "exit" | "timeout" | "abort";
}

const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/** Settles when the shell is gone and its output has been read: both pipes closed, or silent for a moment. */
const whenDone = (child: ChildProcess, onChunk: (subscribe: () => void) => void): Promise<number> =>
  new Promise((resolve, reject) => {
    let exitCode: number | undefined;
    let idle: NodeJS.Timeout | undefined;
    let longest: NodeJS.Timeout | undefined;
    const finish = (code: number): void => {
      clearTimeout(idle);
      clearTimeout(longest);
      resolve(code);
    };
    const wait = (): void => {
      if (exitCode === undefined) return;
      const code = exitCode;
      clearTimeout(idle);
      idle = setTimeout(() => finish(code), IDLE_AFTER_EXIT_MS);
    };
    onChunk(wait);
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      const known = exitCodeOf(code, signal);
      exitCode = known;
      wait();
      longest = setTimeout(() => finish(known), LONGEST_AFTER_EXIT_MS);
    });
    child.once("close", (code, signal) => finish(exitCodeOf(code, signal)));
  });

/** Rejects only when the shell cannot be started. */
export const runCommand = async (command: string, options: CommandOptions): Promise<CommandResult> => {
  const { cwd, env, timeoutMs, signal, onOutput } = options;
  const stream = throttled(onOutput, STREAM_EVERY_MS);
  const collector = new OutputCollector(stream.push);
  const child = startCommand(command, cwd, env);
  let ended: CommandResult["ended"] = "exit";
  const stop = (why: "timeout" | "abort"): void => {
    if (ended === "exit") ended = why;
    killTree(child);
  };
  const onAbort = (): void => stop("abort");
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timeout"), timeoutMs);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const pipes = [child.stdout, child.stderr].filter((pipe): pipe is Readable => pipe !== null);
  const sinks = pipes.map(() => collector.pipe());
  try {
    const exitCode = await whenDone(child, (heard) => {
      for (const [index, pipe] of pipes.entries()) {
        pipe.on("data", (chunk: Uint8Array) => {
          sinks[index]?.(chunk);
          heard();
        });
        pipe.on("error", () => undefined);
      }
    });
    // What ignored the first signal of `timeout` would live on for ever.
    if (ended === "exit" && exitCode === TIMED_OUT_CODE) killTree(child);
    for (const sink of sinks) sink(null);
    stream.flush();
    return { ...collector.finish(), exitCode, ended };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    for (const pipe of pipes) pipe.destroy();
    child.unref();
  }
};
