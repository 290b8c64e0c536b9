import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { contextIds, GrowingContext, leafAtOpen } from "@espalier/core";
import { sessionId } from "@espalier/protocol";
import { diskFs } from "../apps/api/src/storage/fs.ts";
import { JsonlSession } from "../apps/api/src/storage/jsonl-session.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { longestStall } from "./support/longest-stall.ts";
import { type SessionShape, writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

const openFile = (path: string): Promise<JsonlSession> =>
  JsonlSession.open({ id: sessionId("bench"), path, root: "espalier" }, diskFs, { misread: () => undefined });

/** Tree and context, ready for the next prompt. */
const open = async (path: string): Promise<void> => {
  const session = await openFile(path);
  try {
    const entries = await session.read(contextIds(session.tree, leafAtOpen(session.tree)));
    if (new GrowingContext(entries).context.messages.length === 0) throw new Error("the context is empty");
  } finally {
    await session.close();
  }
};

/** The same, and every row completed, as a server does it for a page. */
const openWhole = async (path: string): Promise<void> => {
  const session = await openFile(path);
  const entries = await session.read(contextIds(session.tree, leafAtOpen(session.tree)));
  const context = new GrowingContext(entries);
  while ((await session.fill()).length > 0);
  if (context.tokens === 0) throw new Error("the context is empty");
  await session.close();
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

/** What a session holds on to once it is open and nothing else is, MB. */
const heapOf = async (path: string): Promise<number> => {
  const used = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = used();
  const session = await openFile(path);
  while ((await session.fill()).length > 0);
  const held = used() - before;
  await session.close();
  return held;
};

const BRANCHED: SessionShape = { entries: 10_000, textBytes: 1_150, branchEvery: 250 };
const SMALL: Readonly<Record<string, SessionShape>> = {
  "open-10k-branched": BRANCHED,
  "open-10k-branched-migrated": { ...BRANCHED, migrated: true },
  "open-10k-compacted": { ...BRANCHED, branchEvery: 0, compactEvery: 500 },
  "open-10k-compacted-migrated": { ...BRANCHED, branchEvery: 0, compactEvery: 500, migrated: true },
  "open-10k-linear": { ...BRANCHED, branchEvery: 0 },
  "open-300": { entries: 300, textBytes: 1_150, branchEvery: 0 },
};

const LARGE: Readonly<Record<string, SessionShape>> = {
  "open-100k": { entries: 100_000, textBytes: 700, branchEvery: 5_000 },
  "open-200mb": { entries: 100_000, textBytes: 1_800, branchEvery: 0, compactEvery: 2_000 },
};

export const bench: Bench = () =>
  inFolder(async (folder) => {
    const lines: Line[] = [];
    for (const [name, shape] of Object.entries(SMALL)) {
      const path = join(folder, `${name}.jsonl`);
      writeSession(path, name, folder, shape);
      const best = await fastestOf(
        15,
        () => open(path),
        () => parseLines(path),
      );
      lines.push(line(name, best.ours, "ms", 15, best.floor));
    }
    for (const [name, shape] of Object.entries(LARGE)) {
      const path = join(folder, `${name}.jsonl`);
      writeSession(path, name, folder, shape);
      const best = await fastestOf(
        3,
        () => open(path),
        () => parseStreamed(path),
      );
      lines.push(line(name, best.ours, "ms", 3, best.floor));
      lines.push(line(`${name}-stall`, await longestStall(() => openWhole(path)), "ms", 1));
      lines.push(line(`${name}-heap`, await heapOf(path), "MB", 1));
    }
    return lines;
  });
