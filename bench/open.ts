import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { buildContext, contextPath, leafAtOpen } from "@espalier/core";
import { JsonlStore } from "../apps/api/src/storage/jsonl-store.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { type SessionShape, writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

/** Tree and context, ready for the next prompt. */
const open = async (path: string): Promise<void> => {
  const folder = join(path, "..");
  const session = await new JsonlStore({ sessions: folder, piSessions: folder }).openFile(path);
  try {
    const entries = await session.read(contextPath(session.tree, leafAtOpen(session.tree)));
    if (buildContext(entries).messages.length === 0) throw new Error("the context is empty");
  } finally {
    await session.close();
  }
};

/** What nobody who looks at every line can go below without a trick: bytes, decode, parse. */
const parseLines = (path: string): void => {
  const bytes = readFileSync(path);
  const decoder = new TextDecoder();
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    JSON.parse(decoder.decode(bytes.subarray(start, end)));
    start = end + 1;
  }
};

/** The same floor without holding the file: a file larger than a string may be cannot be read whole. */
const parseStreamed = async (path: string): Promise<void> => {
  const decoder = new TextDecoder();
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      JSON.parse(decoder.decode(bytes.subarray(start, end)));
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
};

/** Longest time the event loop stood still while `work` ran, ms. */
const stallOf = async (work: () => Promise<void>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
};

const SMALL: SessionShape = { entries: 10_000, textBytes: 1_150, branchEvery: 500 };
const LARGE: SessionShape = { entries: 100_000, textBytes: 1_800, branchEvery: 5_000 };

export const bench: Bench = () =>
  inFolder(async (folder) => {
    const lines: Line[] = [];
    const small = join(folder, "small.jsonl");
    writeSession(small, "small", folder, SMALL);
    const few = await fastestOf(
      7,
      () => open(small),
      () => parseLines(small),
    );
    lines.push(line("open", few.ours, "ms", 7, few.floor));
    const large = join(folder, "large.jsonl");
    writeSession(large, "large", folder, LARGE);
    const many = await fastestOf(
      2,
      () => open(large),
      () => parseStreamed(large),
    );
    lines.push(line("open-large", many.ours, "ms", 2, many.floor));
    lines.push(line("open-large-stall", await stallOf(() => open(large)), "ms", 1));
    return lines;
  });
