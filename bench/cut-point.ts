import { join } from "node:path";
import { contextPath, LiveCut, leafAtOpen } from "@espalier/core";
import { sessionId } from "@espalier/protocol";
import { diskFs } from "../apps/api/src/storage/fs.ts";
import { JsonlSession } from "../apps/api/src/storage/jsonl-session.ts";
import { inFolder } from "./support/folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { writeSession } from "./support/make-session.ts";
import { fastestOf } from "./support/measure.ts";

const SIZES = { "cut-point-1k": 1_000, "cut-point-10k": 10_000, "cut-point-100k": 100_000 };
/** Entries of 300 characters that 20,000 tokens hold: what has to be walked over whatever the length. */
const KEPT = 270;
const TIMES = 2_000;

/** Where a compaction of a path would cut now, asked again and again; the floor walks over as many numbers as are kept. */
export const bench: Bench = () =>
  inFolder(async (folder) => {
    const lines: Line[] = [];
    for (const [name, entries] of Object.entries(SIZES)) {
      const path = join(folder, `${name}.jsonl`);
      writeSession(path, name, folder, { entries, textBytes: 300, branchEvery: 0 });
      const session = await JsonlSession.open({ id: sessionId(name), path, root: "espalier" }, diskFs);
      const live = new LiveCut(
        await session.read(contextPath(session.tree, leafAtOpen(session.tree)), "once"),
      );
      await session.close();
      const tokens = new Int32Array(entries).fill(75);
      let seen = 0;
      const best = await fastestOf(
        5,
        () => {
          for (let at = 0; at < TIMES; at += 1) seen += live.find(20_000 - (at % 7)) === null ? 0 : 1;
        },
        () => {
          for (let at = 0; at < TIMES; at += 1)
            for (let back = 1; back <= KEPT; back += 1) seen += tokens[entries - back] ?? 0;
        },
      );
      if (seen === 0) throw new Error("there is no cut");
      lines.push(line(name, best.ours / TIMES, "ms", 5 * TIMES, best.floor / TIMES));
    }
    return lines;
  });
