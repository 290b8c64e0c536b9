import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTerminalFilter } from "./terminal-text.ts";
import { MAX_BYTES, MAX_LINES, type Truncation, tailBytes, truncateTail } from "./truncate-output.ts";

/** Characters of output kept in memory: more than one result may hold. */
const TAIL_CHARS = MAX_BYTES * 2;
/** Nobody reads more, and a runaway program must not fill the disk. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

export interface CollectedOutput {
  readonly text: string;
  readonly truncation: Truncation;
  /** Where the whole output lies, if it was cut. */
  readonly logPath: string | undefined;
  /** The log holds only the first part, since the output was larger than a log may be. */
  readonly logCut: boolean;
  /** Much of it was no text. */
  readonly binary: boolean;
}

/**
 * Takes a program's output as bytes, of any length, and keeps its end. Once it is more than one result may hold, all of it
 * goes to a log file that only this user may read. Memory stays bounded.
 */
export class OutputCollector {
  readonly #emit: (text: string) => void;
  #tail = "";
  #held: Uint8Array[] = [];
  #bytes = 0;
  #lines = 0;
  #strange = 0;
  #logged = 0;
  #log: number | undefined;
  #logPath: string | undefined;

  /** `emit` gets the cleaned text as it comes. */
  constructor(emit: (text: string) => void) {
    this.#emit = emit;
  }

  /** A sink for one pipe: each has its own place inside characters and escape sequences. */
  pipe(): (chunk: Uint8Array | null) => void {
    const decoder = new TextDecoder("utf-8");
    const filter = createTerminalFilter();
    let counted = 0;
    return (chunk) => {
      const raw = chunk === null ? decoder.decode() : decoder.decode(chunk, { stream: true });
      if (chunk !== null) this.#keepBytes(chunk);
      const clean = filter.push(raw);
      this.#strange += filter.dropped() - counted + (raw.match(/\ufffd/g)?.length ?? 0);
      counted = filter.dropped();
      this.#keepText(clean);
    };
  }

  #keepBytes(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    for (const byte of chunk) if (byte === 10) this.#lines += 1;
    if (this.#log === undefined) {
      this.#held.push(chunk);
      if (this.#bytes > MAX_BYTES || this.#lines > MAX_LINES) this.#openLog();
    } else this.#writeLog(chunk);
  }

  #openLog(): void {
    const path = join(tmpdir(), `espalier-bash-${randomBytes(8).toString("hex")}.log`);
    const held = this.#held;
    this.#held = [];
    try {
      this.#log = openSync(path, "wx", 0o600);
      this.#logPath = path;
    } catch {
      // Without a place for the log the end of the output is all there is.
      this.#log = -1;
    }
    for (const chunk of held) this.#writeLog(chunk);
  }

  #writeLog(chunk: Uint8Array): void {
    const room = MAX_LOG_BYTES - this.#logged;
    if (this.#log === undefined || this.#log < 0 || room <= 0) return;
    try {
      this.#logged += writeSync(this.#log, chunk.subarray(0, room));
    } catch {
      // The disk is full: what is there stays, and the result says that the log is cut.
      this.#logged = MAX_LOG_BYTES;
    }
  }

  #keepText(text: string): void {
    if (text === "") return;
    this.#tail += text;
    if (this.#tail.length > TAIL_CHARS * 2) this.#tail = tailBytes(this.#tail, TAIL_CHARS);
    this.#emit(text);
  }

  /** The end of the output. Call once; closes the log. */
  finish(): CollectedOutput {
    if (this.#log !== undefined && this.#log >= 0) closeSync(this.#log);
    const cut = truncateTail(this.#tail);
    const truncated = cut.truncated || this.#logPath !== undefined;
    const truncation: Truncation = {
      ...cut,
      truncated,
      truncatedBy: cut.truncatedBy ?? (truncated ? "bytes" : null),
      totalBytes: Math.max(this.#bytes, cut.totalBytes),
      totalLines: Math.max(this.#lines, cut.totalLines),
    };
    return {
      text: cut.content,
      truncation,
      logPath: this.#logPath,
      logCut: this.#logged >= MAX_LOG_BYTES,
      binary: this.#strange > 16 && this.#strange * 20 > this.#bytes,
    };
  }
}

/** Hands text on at most every `ms`; a flood is cut to its end, so that a screen is never sent more than it can show. */
export const throttled = (
  emit: (text: string) => void,
  ms: number,
): { push: (text: string) => void; flush: () => void } => {
  let waiting = "";
  let skipped = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === "") return;
    const text = skipped > 0 ? `\n[... ${skipped} characters left out here ...]\n${waiting}` : waiting;
    waiting = "";
    skipped = 0;
    emit(text);
  };
  return {
    flush,
    push: (text) => {
      waiting += text;
      if (waiting.length > MAX_BYTES * 2) {
        const end = tailBytes(waiting, MAX_BYTES);
        skipped += waiting.length - end.length;
        waiting = end;
      }
      timer ??= setTimeout(flush, ms);
    },
  };
};
