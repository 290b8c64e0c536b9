import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionInfo } from "@espalier/protocol";
import { afterEach, beforeEach } from "vitest";
import { FaultyFs } from "./faulty-fs.ts";
import { diskFs } from "./fs.ts";
import { JsonlStore } from "./jsonl-store.ts";
import { SessionIndex } from "./session-index.ts";
import { SessionPlaces } from "./session-places.ts";

/** A folder of its own for every case. */
export let folder: string;
let open: SessionIndex[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "espalier-index-"));
  mkdirSync(join(folder, "sessions"));
  open = [];
});
afterEach(async () => {
  for (const index of open) await index.close();
  rmSync(folder, { recursive: true, force: true });
});

export const dbPath = (): string => join(folder, "index.db");

export const make = (path = dbPath(), changed = () => {}) => {
  const fs = new FaultyFs(diskFs);
  const folders = { sessions: join(folder, "sessions"), piSessions: join(folder, "pi") };
  const places = new SessionPlaces();
  const store = new JsonlStore(folders, fs, places);
  const index = new SessionIndex({
    path,
    folders,
    fs,
    places,
    byReading: () => store.list(),
    changed,
    retryMs: 0,
  });
  open.push(index);
  return { index, store, fs };
};

export const stamp = (at: number): string => new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
export const fileOf = (name: string): string => join(folder, "sessions", "--w--", `${name}.jsonl`);
export const header = (id: string, cwd = "/w"): string =>
  `${JSON.stringify({ type: "session", version: 3, id, timestamp: stamp(0), cwd })}\n`;
export const user = (id: string, parentId: string | null, text: string, at = 1): string =>
  `${JSON.stringify({ type: "message", id, parentId, timestamp: stamp(at), message: { role: "user", content: text, timestamp: 1 } })}\n`;
const usage = {
  input: 5,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 10,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 },
};
export const answer = (id: string, parentId: string | null, content: unknown[], at = 2): string =>
  `${JSON.stringify({ type: "message", id, parentId, timestamp: stamp(at), message: { role: "assistant", content, api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1 } })}\n`;
export const result = (id: string, parentId: string, text: string): string =>
  `${JSON.stringify({ type: "message", id, parentId, timestamp: stamp(3), message: { role: "toolResult", toolCallId: "c", toolName: "read", content: [{ type: "text", text }], isError: false, timestamp: 1 } })}\n`;
export const text = (words: string) => [{ type: "text", text: words }];

export const write = (name: string, ...lines: string[]): string => {
  const path = fileOf(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join(""));
  return path;
};

export const byPath = (infos: readonly SessionInfo[]) => infos.toSorted((a, b) => (a.path < b.path ? -1 : 1));
export const withoutTotals = (infos: readonly SessionInfo[]) =>
  byPath(infos).map(({ totals: _totals, ...info }) => info);
export const words = async (index: SessionIndex, query: string): Promise<string[]> => {
  const { hits } = await index.search(query, 50, null);
  return hits.map(({ entryId }) => entryId).sort();
};
