import { applyCodes, PLAIN, type TextStyle } from "./text-style.ts";

interface Line {
  readonly chars: string[];
  readonly styles: TextStyle[];
}

export interface Piece {
  readonly text: string;
  readonly style: TextStyle;
}

const newLine = (): Line => ({ chars: [], styles: [] });
/** Escape sequences may name any column; beyond this one nothing is kept. */
const LAST_COLUMN = 4_095;

/**
 * What a terminal shows after some output: text on lines, a cursor, a style. Without `columns` lines do not wrap, and without
 * `rows` nothing scrolls away: that is how the output of a tool is shown.
 */
export class Screen {
  readonly lines: Line[] = [newLine()];
  readonly #columns: number;
  readonly #rows: number;
  #row = 0;
  #column = 0;
  #style: TextStyle = PLAIN;
  #saved = { row: 0, column: 0, style: PLAIN };
  #last = " ";

  constructor(size: { readonly columns?: number; readonly rows?: number } = {}) {
    this.#columns = size.columns ?? Number.POSITIVE_INFINITY;
    this.#rows = size.rows ?? Number.POSITIVE_INFINITY;
  }

  print(char: string): void {
    if (this.#column >= this.#columns) {
      this.#column = 0;
      this.lineFeed();
    }
    if (this.#column > LAST_COLUMN) return;
    const line = this.#line();
    this.#pad(line, this.#column);
    line.chars[this.#column] = char;
    line.styles[this.#column] = this.#style;
    this.#column += 1;
    this.#last = char;
  }

  /** Prints a text that holds no control characters. */
  printAll(text: string): void {
    for (const char of text) this.print(char);
  }

  lineFeed(): void {
    this.#row += 1;
    if (this.#row >= this.#top() + this.#rows) this.#row = this.#top() + this.#rows;
    while (this.lines.length <= this.#row) this.lines.push(newLine());
  }

  control(char: string): void {
    if (char === "\n" || char === "\v" || char === "\f") {
      // A pipe has no terminal that would add the carriage return.
      if (char === "\n") this.#column = 0;
      this.lineFeed();
    } else if (char === "\r") this.#column = 0;
    else if (char === "\b") this.#column = Math.max(0, Math.min(this.#column, this.#columns) - 1);
    else if (char === "\t") this.#move(Math.min((Math.floor(this.#column / 8) + 1) * 8, this.#columns - 1));
  }

  /** ESC and one character. */
  escape(char: string): void {
    if (char === "7") this.#save();
    else if (char === "8") this.#restore();
    else if (char === "D") this.lineFeed();
    else if (char === "E") this.control("\n");
    else if (char === "M") this.#up(1);
    else if (char === "c") this.#erase(2);
  }

  /** ESC [ parameters and a final character. Unknown ones change nothing. */
  sequence(final: string, parameters: readonly number[]): void {
    const count = Math.max(1, parameters[0] ?? 1);
    if (final === "m") this.#style = applyCodes(this.#style, parameters.length === 0 ? [0] : parameters);
    else if (!this.#moves(final, count, parameters)) this.#edits(final, count, parameters[0] ?? 0);
  }

  /** The lines as pieces of one style each, spaces at the end of a line dropped. */
  pieces(): Piece[][] {
    return this.lines.map(({ chars, styles }) => {
      let end = chars.length;
      while (end > 0 && chars[end - 1] === " " && isBlank(styles[end - 1] ?? PLAIN)) end -= 1;
      const found: { text: string; style: TextStyle }[] = [];
      for (let at = 0; at < end; at += 1) {
        const style = styles[at] ?? PLAIN;
        const before = found.at(-1);
        if (before && before.style === style) before.text += chars[at] ?? " ";
        else found.push({ text: chars[at] ?? " ", style });
      }
      return found;
    });
  }

  /** First row of what a terminal of this height would show. */
  #top(): number {
    return Number.isFinite(this.#rows) ? Math.max(0, this.lines.length - this.#rows) : 0;
  }

  #line(): Line {
    while (this.lines.length <= this.#row) this.lines.push(newLine());
    return this.lines[this.#row] ?? newLine();
  }

  #pad(line: Line, to: number): void {
    while (line.chars.length < to) {
      line.chars.push(" ");
      line.styles.push(PLAIN);
    }
  }

  #move(column: number): void {
    this.#column = Math.max(0, Math.min(column, Math.min(this.#columns - 1, LAST_COLUMN)));
  }

  #up(count: number): void {
    this.#row = Math.max(this.#top(), this.#row - count);
  }

  #down(count: number): void {
    const bottom = Number.isFinite(this.#rows) ? this.#top() + this.#rows - 1 : this.lines.length - 1;
    this.#row = Math.min(bottom, this.#row + count);
    this.#line();
  }

  #goTo(row: number): void {
    this.#row = this.#top();
    this.#down(Math.max(0, row));
  }

  #moves(final: string, count: number, parameters: readonly number[]): boolean {
    const column = Math.min(this.#column, this.#columns - 1);
    const moves: Record<string, () => void> = {
      A: () => this.#up(count),
      B: () => this.#down(count),
      e: () => this.#down(count),
      C: () => this.#move(column + count),
      a: () => this.#move(column + count),
      D: () => this.#move(column - count),
      j: () => this.#move(column - count),
      k: () => this.#up(count),
      E: () => {
        this.#column = 0;
        this.#down(count);
      },
      F: () => {
        this.#column = 0;
        this.#up(count);
      },
      G: () => this.#move(count - 1),
      "`": () => this.#move(count - 1),
      d: () => this.#goTo(count - 1),
      H: () => {
        this.#goTo(count - 1);
        this.#move(Math.max(1, parameters[1] ?? 1) - 1);
      },
      I: () => this.#move((Math.floor(column / 8) + count) * 8),
      Z: () => this.#move((Math.ceil(column / 8) - count) * 8),
      s: () => this.#save(),
      u: () => this.#restore(),
    };
    const move = moves[final === "f" ? "H" : final];
    move?.();
    return move !== undefined;
  }

  #edits(final: string, count: number, mode: number): void {
    const line = this.#line();
    const column = Math.min(this.#column, this.#columns - 1);
    if (final === "K") this.#eraseLine(line, mode, column);
    else if (final === "J") this.#erase(mode);
    else if (final === "X") this.#blank(line, column, Math.min(column + count, line.chars.length));
    else if (final === "P") {
      line.chars.splice(column, count);
      line.styles.splice(column, count);
    } else if (final === "@") this.#insert(line, column, count);
    else if (final === "L" || final === "M") this.#shift(final, Math.min(count, 1_000));
    else if (final === "b") this.printAll(this.#last.repeat(Math.min(count, LAST_COLUMN)));
  }

  #insert(line: Line, column: number, count: number): void {
    const blanks = Math.min(count, LAST_COLUMN);
    this.#pad(line, column);
    line.chars.splice(column, 0, ...Array<string>(blanks).fill(" "));
    line.styles.splice(column, 0, ...Array<TextStyle>(blanks).fill(PLAIN));
    const width = Math.min(this.#columns, LAST_COLUMN + 1);
    line.chars.length = Math.min(line.chars.length, width);
    line.styles.length = line.chars.length;
  }

  /** Inserts or deletes whole lines at the cursor. */
  #shift(final: "L" | "M", count: number): void {
    if (final === "M") this.lines.splice(this.#row, count);
    else this.lines.splice(this.#row, 0, ...Array.from({ length: count }, newLine));
    if (Number.isFinite(this.#rows)) {
      const size = this.#top() + this.#rows;
      if (final === "L" && this.lines.length > size) this.lines.length = size;
    }
    this.#column = 0;
    this.#line();
  }

  #blank(line: Line, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      line.chars[at] = " ";
      line.styles[at] = PLAIN;
    }
  }

  #eraseLine(line: Line, mode: number, column: number): void {
    if (mode === 0) {
      line.chars.length = Math.min(line.chars.length, column);
      line.styles.length = line.chars.length;
    } else this.#blank(line, 0, mode === 1 ? Math.min(column + 1, line.chars.length) : line.chars.length);
  }

  #erase(mode: number): void {
    const top = this.#top();
    if (mode === 3) return;
    this.#eraseLine(this.#line(), mode, Math.min(this.#column, this.#columns - 1));
    this.lines.forEach((line, row) => {
      if (row < top || row === this.#row) return;
      if (mode === 2 || (mode === 0 ? row > this.#row : row < this.#row)) {
        line.chars.length = 0;
        line.styles.length = 0;
      }
    });
    if (mode === 2 && !Number.isFinite(this.#rows)) {
      this.lines.length = 1;
      this.#row = 0;
    }
  }

  #save(): void {
    this.#saved = { row: this.#row - this.#top(), column: this.#column, style: this.#style };
  }

  #restore(): void {
    this.#goTo(this.#saved.row);
    this.#column = this.#saved.column;
    this.#style = this.#saved.style;
  }
}

const isBlank = (style: TextStyle): boolean =>
  style.bg === undefined && style.reverse !== true && style.underline !== true;
