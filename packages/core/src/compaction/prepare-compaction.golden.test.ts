import { readdirSync } from "node:fs";
import { join } from "node:path";
import { entryId } from "@espalier/protocol";
import { describe, expect, it } from "vitest";
import { dataFolder, readData } from "../../../../testing/data-folder.ts";
import type { Projected } from "../context/context-message.ts";
import { idOfIndex } from "../session/migrate.ts";
import { parseJsonl } from "../session/parse-jsonl.ts";
import { pathToLeaf } from "../session/path-to-leaf.ts";
import { SessionTree } from "../session/session-tree.ts";
import { LiveCut } from "./live-cut.ts";
import { prepareCompaction } from "./prepare-compaction.ts";
import { fileOperations } from "./touched-files.ts";

type Id = string | number | null;
interface Row {
  leafId: string | number;
  keepRecentTokens: number;
  nothing?: boolean;
  firstKeptEntryId: Id;
  isSplitTurn: boolean;
  summarized: number;
  turnPrefix: number;
  firstSummarized: Id;
  lastSummarized: Id;
  firstPrefix: Id;
  tokensBefore: number;
  readFiles: number;
  modifiedFiles: number;
}

const folder = dataFolder();
const files =
  folder === null
    ? []
    : readdirSync(join(folder, "sessions/pi")).filter((name) => name.endsWith(".cuts.json"));
/** Version 1 files name entries by their index. */
const name = (id: Id): string | null => (typeof id === "number" ? idOfIndex(id) : id);

/** The golden data name a message that was made of another entry type by its role. */
const label = (projected: Projected | undefined): string | null => {
  if (projected === undefined) return null;
  const { role } = projected.message;
  return role === "branchSummary" || role === "custom" ? role : projected.entryId;
};

describe.skipIf(folder === null)("prepareCompaction against pi 1.6.0", () => {
  it.each(files)("%s", (file) => {
    const golden = JSON.parse(new TextDecoder().decode(readData(`sessions/pi/${file}`))) as { rows: Row[] };
    const session = parseJsonl(readData(`sessions/pi/${file.replace(".cuts.json", ".jsonl")}`));
    if (session === null) throw new Error("not a session");
    const tree = new SessionTree(session.rows);
    for (const row of golden.rows) {
      const path = pathToLeaf(tree, entryId(name(row.leafId) ?? ""));
      const entries = path.map((id) => session.read(id) ?? expect.fail(`no entry ${id}`));
      const plan = prepareCompaction(entries, { keepRecentTokens: row.keepRecentTokens, time: 0 });
      const live = new LiveCut(entries).find(row.keepRecentTokens);
      const where = `leaf ${row.leafId}, ${row.keepRecentTokens}`;
      if ("nothing" in plan) {
        expect(row.nothing, where).toBe(true);
        expect(live, where).toBeNull();
        continue;
      }
      const { firstKeptEntryId, turnStartEntryId } = plan;
      expect(live, where).toEqual({ firstKeptEntryId, turnStartEntryId });
      const operations = fileOperations(
        [...plan.messagesToSummarize, ...plan.turnPrefix].map(({ message }) => message),
        plan.previous === null ? [] : [plan.previous],
      );
      expect(
        {
          firstKeptEntryId: plan.firstKeptEntryId,
          isSplitTurn: plan.isSplitTurn,
          summarized: plan.messagesToSummarize.length,
          turnPrefix: plan.turnPrefix.length,
          firstSummarized: label(plan.messagesToSummarize[0]),
          lastSummarized: label(plan.messagesToSummarize.at(-1)),
          firstPrefix: label(plan.turnPrefix[0]),
          tokensBefore: plan.tokensBefore,
          readFiles: operations.read.size,
          modifiedFiles: operations.modified.size,
        },
        where,
      ).toEqual({
        firstKeptEntryId: name(row.firstKeptEntryId),
        isSplitTurn: row.isSplitTurn,
        summarized: row.summarized,
        turnPrefix: row.turnPrefix,
        firstSummarized: name(row.firstSummarized),
        lastSummarized: name(row.lastSummarized),
        firstPrefix: name(row.firstPrefix),
        tokensBefore: row.tokensBefore,
        readFiles: row.readFiles,
        modifiedFiles: row.modifiedFiles,
      });
      expect(plan.tokensAfter).toBeLessThan(plan.tokensBefore);
    }
  });
});
