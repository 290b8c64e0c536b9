import { closeSync, openSync, writeSync } from "node:fs";

/** Like what sessions are made of: code, quotes, line ends, now and then a character beyond Latin-1. */
const WORDS =
  'export const wire = (branch: "left" | "right"): string => {\n\tif (branch === "left") return "the shoot – tied in";\n\treturn `${branch}`;\n};\n';
const STAMP = Date.UTC(2026, 0, 1);

const idOf = (at: number): string => (0x10000000 + at * 7919).toString(16).slice(-8);

const messageOf = (at: number, bytes: number): Record<string, unknown> => {
  const text = WORDS.repeat(Math.ceil(bytes / WORDS.length)).slice(0, bytes);
  const timestamp = STAMP + at * 1000;
  const usage = {
    input: 100,
    output: 50,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 150,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const answer = {
    role: "assistant",
    api: "openai-completions",
    provider: "p",
    model: "m",
    usage,
    timestamp,
  };
  switch (at % 4) {
    case 0:
      return { role: "user", content: [{ type: "text", text }], timestamp };
    case 1: {
      const call = { type: "toolCall", id: `call_${at}`, name: "read", arguments: { path: `src/${at}.ts` } };
      return { ...answer, content: [{ type: "text", text }, call], stopReason: "toolUse" };
    }
    case 2: {
      const content = [{ type: "text", text }];
      const toolCallId = `call_${at - 1}`;
      return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp };
    }
    default:
      return { ...answer, content: [{ type: "text", text }], stopReason: "stop" };
  }
};

export interface SessionShape {
  readonly entries: number;
  /** Length of each message's text. */
  readonly textBytes: number;
  /** A new branch begins after this many entries, at a turn half way up; 0 = a single line. */
  readonly branchEvery: number;
  /** A compaction stands after this many entries and keeps the last twenty before it; absent or 0 = none. */
  readonly compactEvery?: number;
  /** Keys as pi leaves them in a file it has migrated: id and parent behind everything else. */
  readonly migrated?: boolean;
}

interface Fields {
  readonly id: string;
  readonly parentId: string | null;
}

const lineOf = (entry: Fields & Record<string, unknown>, migrated: boolean): string => {
  const { type, id, parentId, timestamp, ...said } = entry;
  return JSON.stringify(
    migrated ? { type, timestamp, ...said, id, parentId } : { type, id, parentId, timestamp, ...said },
  );
};

/** Writes a session file as pi writes them: turns of a question, a call, its result and an answer. */
export const writeSession = (path: string, id: string, cwd: string, shape: SessionShape): void => {
  const file = openSync(path, "w");
  const header = { type: "session", version: 3, id, timestamp: new Date(STAMP).toISOString(), cwd };
  let held = [JSON.stringify(header)];
  let parent = -1;
  for (let at = 0; at < shape.entries; at += 1) {
    const branches = shape.branchEvery > 0 && at > 0 && at % shape.branchEvery === 0;
    // Turns are four entries long: an answer ends at every fourth.
    if (branches) parent = Math.floor(at / 8) * 4 - 1;
    const compacts =
      shape.compactEvery !== undefined && shape.compactEvery > 0 && at > 20 && at % shape.compactEvery === 0;
    const said = compacts
      ? {
          type: "compaction",
          summary: WORDS.repeat(20),
          firstKeptEntryId: idOf(at - 20),
          tokensBefore: 100_000,
        }
      : { type: "message", message: messageOf(at, shape.textBytes) };
    const entry = {
      ...said,
      id: idOf(at),
      parentId: parent < 0 ? null : idOf(parent),
      timestamp: new Date(STAMP + at * 1000).toISOString(),
    };
    held.push(lineOf(entry, shape.migrated ?? false));
    parent = at;
    if (held.length < 2000) continue;
    writeSync(file, `${held.join("\n")}\n`);
    held = [];
  }
  if (held.length > 0) writeSync(file, `${held.join("\n")}\n`);
  closeSync(file);
};
