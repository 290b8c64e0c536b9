/**
 * A text whose quoted parts are hidden behind marks, so that words in quotes are not read as orders: "…", '…', `…`, “…” and
 * fenced code.
 */
export interface MaskedText {
  readonly text: string;
  /** What a piece means: quotes are taken off if it is one quoted part, else they stay as they were written. */
  readonly meaning: (piece: string) => string;
  /** The piece as it was written. */
  readonly written: (piece: string) => string;
  /** Whether the piece holds a quoted part. */
  readonly isQuoted: (piece: string) => boolean;
}

interface Quote {
  readonly raw: string;
  readonly value: string;
}

/** Fences first, then double and curly quotes and back ticks; single quotes only where they cannot be apostrophes. */
const QUOTED =
  /```[^\n`]*\n([\s\S]*?)\n?```|"((?:[^"\\]|\\.)*)"|\u201c([^\u201d]*)\u201d|`([^`]+)`|(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L}))*)'(?![\p{L}\p{N}])/gu;
const MARK = /\ue000(\d+)\ue001/g;
const ONE_MARK = /^\ue000(\d+)\ue001$/;

const unescaped = (text: string): string =>
  text.replaceAll(/\\(["\\nt])/g, (_all, sign: string) => (sign === "n" ? "\n" : sign === "t" ? "\t" : sign));

export const maskQuotes = (source: string): MaskedText => {
  const quotes: Quote[] = [];
  const clean = source.replaceAll(/[\ue000\ue001]/g, "");
  const text = clean.replaceAll(QUOTED, (raw, fence, double, curly, tick, single) => {
    const value: unknown = fence ?? (double === undefined ? (curly ?? tick ?? single) : unescaped(double));
    quotes.push({ raw, value: typeof value === "string" ? value : "" });
    return `\ue000${quotes.length - 1}\ue001`;
  });
  const written = (piece: string): string =>
    piece.replaceAll(MARK, (_all, index: string) => quotes[Number(index)]?.raw ?? "");
  return {
    text,
    written,
    isQuoted: (piece) => piece.includes("\ue000"),
    meaning: (piece) => {
      const only = ONE_MARK.exec(piece.trim())?.[1];
      return only === undefined ? written(piece.trim()) : (quotes[Number(only)]?.value ?? "");
    },
  };
};
