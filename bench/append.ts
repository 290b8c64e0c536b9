import { fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { leafAtOpen, makeEntry, newEntryId } from "@espalier/core";
import type { Entry, EntryId } from "@espalier/protocol";
import { JsonlStore } from "../apps/api/src/storage/jsonl-store.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

const APPENDS = 2_000;
/** One sync for so many appends: about what a step of parallel calls writes. */
const GROUP = 100;

const text = "x".repeat(800);
const entryUnder = (parentId: EntryId | null, taken: (id: EntryId) => boolean): Entry =>
  makeEntry(
    { type: "message", message: { role: "user", content: [{ type: "text", text }], timestamp: 1 } },
    { id: newEntryId(taken), parentId, time: Date.now() },
  );

export const bench: Bench = () =>
  inFolder(async (folder) => {
    const ours = async (): Promise<void> => {
      for (let at = 0; at < APPENDS; at += 1) {
        const entry = entryUnder(leaf, (id) => session.tree.has(id));
        await session.append([entry]);
        leaf = entry.id;
        if (at % GROUP === GROUP - 1) await session.sync();
      }
    };
    const path = join(folder, "appended.jsonl");
    writeSession(path, "appended", folder, { entries: 8, textBytes: 200, branchEvery: 0 });
    const session = await new JsonlStore({ sessions: folder, piSessions: folder }).openFile(path);
    let leaf = leafAtOpen(session.tree);
    const bare = openSync(join(folder, "bare.jsonl"), "a");
    const bareLine = Buffer.from(`${JSON.stringify(entryUnder(leaf, () => false))}\n`);
    const floor = (): void => {
      for (let at = 0; at < APPENDS; at += 1) {
        writeSync(bare, bareLine);
        if (at % GROUP === GROUP - 1) fdatasyncSync(bare);
      }
    };
    const best = await fastestOf(5, ours, floor);
    await session.close();
    const each = 1000 / APPENDS;
    return [line("append", best.ours * each, "us", 5 * APPENDS, best.floor * each)];
  });
