/** Where a line lies in its file: `line` is 1-based, `start` and `end` are byte offsets without the line end. */
export interface LineSpan {
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** `finished` is false for a last line without a line end. */
export type OnLine = (bytes: Uint8Array, span: LineSpan, finished: boolean) => void;

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes into lines at byte 0x0A and nowhere else, so U+2028, U+0085 or a lone CR never split an entry.
 * Chunks may end anywhere, also inside a character. The bytes given to `onLine` are only valid during the call.
 */
export class LineScanner {
  readonly #onLine: OnLine;
  #pending: Uint8Array[] = [];
  #line: number;
  #start: number;
  #offset: number;

  /** `offset` and `line` say where the first byte stands when a tail of a file is scanned. */
  constructor(onLine: OnLine, from: { offset: number; line: number } = { offset: 0, line: 1 }) {
    this.#onLine = onLine;
    this.#line = from.line;
    this.#start = from.offset;
    this.#offset = from.offset;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#emit(chunk.subarray(from, at), this.#offset + at, true);
      from = at + 1;
      this.#start = this.#offset + from;
    }
    // Copied: the caller may fill the same buffer again.
    if (from < chunk.length) this.#pending.push(chunk.slice(from));
    this.#offset += chunk.length;
  }

  /** Gives out a last line without a line end, if there is one. Returns the number of bytes seen, offset included. */
  finish(): number {
    if (this.#offset > this.#start) this.#emit(new Uint8Array(0), this.#offset, false);
    return this.#offset;
  }

  #emit(tail: Uint8Array, end: number, finished: boolean): void {
    const bytes = this.#pending.length === 0 ? tail : joinBytes([...this.#pending, tail]);
    this.#pending = [];
    const span = { line: this.#line, start: this.#start, end };
    this.#line += 1;
    this.#onLine(bytes, span, finished);
  }
}

/** One array out of several. */
export const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};
