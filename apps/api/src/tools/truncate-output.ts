/** Most lines and bytes (UTF-8) of one tool result, whichever comes first; pi's limits. */
export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;

/** What was kept of a text. Field names are pi's: they stand in session files under `details.truncation`. */
export interface Truncation {
  readonly content: string;
  readonly truncated: boolean;
  readonly truncatedBy: "lines" | "bytes" | null;
  readonly totalLines: number;
  readonly totalBytes: number;
  readonly outputLines: number;
  readonly outputBytes: number;
  /** Only the end of the last line was kept: it alone is larger than the limit. */
  readonly lastLinePartial: boolean;
  /** Nothing was kept: the first line alone is larger than the limit. */
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

export interface Limits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

const usual: Limits = { maxLines: MAX_LINES, maxBytes: MAX_BYTES };

export const byteLength = (text: string): number => Buffer.byteLength(text, "utf8");

/** Lines of a text; a line end at the very end opens no further line. */
export const linesOf = (text: string): string[] => {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
};

const kept = (
  lines: readonly string[],
  text: string,
  content: string,
  limits: Limits,
  why: Pick<Truncation, "truncatedBy"> & Partial<Truncation>,
): Truncation => ({
  content,
  truncated: why.truncatedBy !== null,
  totalLines: lines.length,
  totalBytes: byteLength(text),
  outputLines: content === "" ? 0 : linesOf(content).length,
  outputBytes: byteLength(content),
  lastLinePartial: false,
  firstLineExceedsLimit: false,
  ...limits,
  ...why,
});

/** How many lines fit from the start of the list. */
const fitting = (
  lines: readonly string[],
  limits: Limits,
): { count: number; by: Truncation["truncatedBy"] } => {
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    if (index >= limits.maxLines) return { count: index, by: "lines" };
    bytes += byteLength(line) + (index === 0 ? 0 : 1);
    if (bytes > limits.maxBytes) return { count: index, by: "bytes" };
  }
  return { count: lines.length, by: null };
};

/** Keeps whole lines from the start. */
export const truncateHead = (text: string, limits: Limits = usual): Truncation => {
  const lines = linesOf(text);
  const { count, by } = fitting(lines, limits);
  if (by === null) return kept(lines, text, text, limits, { truncatedBy: null });
  const content = lines.slice(0, count).join("\n");
  return kept(lines, text, content, limits, { truncatedBy: by, firstLineExceedsLimit: count === 0 });
};

/** The last `maxBytes` bytes of a text, cut between characters. */
export const tailBytes = (text: string, maxBytes: number): string => {
  let start = text.length;
  for (let bytes = 0; start > 0; ) {
    const low = text.charCodeAt(start - 1);
    const pair = low >= 0xdc00 && low <= 0xdfff && start > 1 ? 2 : 1;
    bytes += pair === 2 ? 4 : low < 0x80 ? 1 : low < 0x800 ? 2 : 3;
    if (bytes > maxBytes) break;
    start -= pair;
  }
  return text.slice(start);
};

/** Keeps whole lines from the end; of one line larger than the limit its end. */
export const truncateTail = (text: string, limits: Limits = usual): Truncation => {
  const lines = linesOf(text);
  const { count, by } = fitting(lines.toReversed(), limits);
  if (by === null) return kept(lines, text, text, limits, { truncatedBy: null });
  if (count > 0) {
    return kept(lines, text, lines.slice(-count).join("\n"), limits, { truncatedBy: by });
  }
  const content = tailBytes(lines.at(-1) ?? "", limits.maxBytes);
  return kept(lines, text, content, limits, { truncatedBy: by, lastLinePartial: true });
};

/** The first `length` UTF-16 units, never half a character. */
export const headChars = (text: string, length: number): string => {
  const code = text.charCodeAt(length - 1);
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length);
};

/** Bytes for people: 512 B, 50.0 KB, 1.2 MB. */
export const sizeInWords = (bytes: number): string => {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
};
