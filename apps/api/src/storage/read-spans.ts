import type { OpenFile } from "./fs.ts";

/** Bytes read in one go: large files never stand in memory whole, and other work gets its turn between two reads. */
const CHUNK = 1024 * 1024;
/** Bytes between two lines that are cheaper to read along than to skip. */
const GAP = 64 * 1024;
const RANGE = CHUNK;

/** A file's bytes from an offset to its end, also to an end that moves meanwhile. */
export async function* readChunks(file: OpenFile, from: number): AsyncGenerator<Uint8Array> {
  // No more than there is: memory for a whole chunk costs more than a small file does.
  const read = (at: number): Promise<Uint8Array> | null => {
    const left = file.stat().size - at;
    return left > 0 ? file.read(at, Math.min(CHUNK, left)) : null;
  };
  let at = from;
  for (let next = read(at); next !== null; ) {
    const chunk = await next;
    if (chunk.length === 0) return;
    at += chunk.length;
    // The disk works while the reader does. A reader that gives up leaves nobody to hear of a failure.
    next = read(at);
    next?.catch(() => undefined);
    yield chunk;
  }
}

interface Spanned {
  readonly span: { readonly start: number; readonly end: number };
}

/** Most readers ask in file order already. */
const inFileOrder = <Item extends Spanned>(items: readonly Item[]): readonly Item[] =>
  items.every(({ span }, at) => at === 0 || (items[at - 1]?.span.start ?? 0) <= span.start)
    ? items
    : items.toSorted((a, b) => a.span.start - b.span.start);

/** Neighbouring lines in ranges that one read can fetch. */
const rangesOf = <Item extends Spanned>(items: readonly Item[]): Item[][] => {
  const ranges: Item[][] = [];
  for (const item of inFileOrder(items)) {
    const range = ranges.at(-1);
    const first = range?.[0];
    const last = range?.at(-1);
    const fits =
      first !== undefined &&
      last !== undefined &&
      item.span.start - last.span.end <= GAP &&
      item.span.end - first.span.start <= RANGE;
    if (range !== undefined && fits) range.push(item);
    else ranges.push([item]);
  }
  return ranges;
};

/** The bytes of several lines, in the order in which they lie in the file. */
export async function* readSpans<Item extends Spanned>(
  file: OpenFile,
  items: readonly Item[],
): AsyncGenerator<{ item: Item; bytes: Uint8Array }> {
  for (const range of rangesOf(items)) {
    const start = range[0]?.span.start ?? 0;
    const bytes = await file.read(start, (range.at(-1)?.span.end ?? start) - start);
    for (const item of range) {
      yield { item, bytes: bytes.subarray(item.span.start - start, item.span.end - start) };
    }
  }
}
