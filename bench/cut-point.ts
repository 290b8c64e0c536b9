import { join } from "node:path";
import { contextPath, leafAtOpen, prepareCompaction } from "@espalier/core";
import { JsonlStore } from "../apps/api/src/storage/jsonl-store.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

/** Where a compaction of a path of 10,000 entries would cut; the floor walks the path once and does nothing. */
export const bench: Bench = () =>
  inFolder(async (folder) => {
    const path = join(folder, "long.jsonl");
    writeSession(path, "long", folder, { entries: 10_000, textBytes: 300, branchEvery: 0 });
    const session = await new JsonlStore({ sessions: folder, piSessions: folder }).openFile(path);
    const entries = await session.read(contextPath(session.tree, leafAtOpen(session.tree)));
    await session.close();
    let seen = 0;
    const best = await fastestOf(
      10,
      () => prepareCompaction(entries, { keepRecentTokens: 20_000, time: 0 }),
      () => {
        for (const entry of entries) seen += entry.id.length;
      },
    );
    if (seen === 0) throw new Error("the path is empty");
    return [line("cut-point", best.ours, "ms", 10, best.floor)];
  });
