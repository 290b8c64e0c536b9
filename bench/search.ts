import Database from "libsql";
import { inFolder } from "./support/folder.ts";
import { type Bench, line } from "./support/line.ts";
import { indexedSessions } from "./support/many-sessions.ts";
import { fastestOf } from "./support/measure.ts";

/** Words that stand in every session: the hardest to rank. */
const WORDS = "branch shoot";
const BARE = `SELECT rowid FROM words WHERE words MATCH '"branch" AND "shoot"*' ORDER BY rank LIMIT 30`;

/** The first hits over 1,000 sessions with their excerpts, against the index's own query for the same words. */
export const bench: Bench = () =>
  inFolder(async (folder) => {
    const { index, path } = await indexedSessions(folder, 1_000, { entries: 40, textBytes: 600 });
    const sql = new Database(path, { readonly: true });
    const bare = sql.prepare(BARE);
    const { ours, floor } = await fastestOf(
      9,
      async () => {
        if ((await index.search(WORDS, 30, null)).hits.length !== 30) throw new Error("too few hits");
      },
      () => bare.all(),
    );
    sql.close();
    await index.close();
    return [line("search-1000", ours, "ms", 9, floor)];
  });
