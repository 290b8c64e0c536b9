import Database from "libsql";
import { inFolder } from "./support/folder.ts";
import { type Bench, type Line, line } from "./support/line.ts";
import { indexedSessions } from "./support/many-sessions.ts";
import { fastestOf } from "./support/measure.ts";

const ROWS =
  "SELECT route, path, root, cwd, name, first_message, created, modified, messages, parent, entries, branches, tokens, cost, damaged, model FROM file";

/** All sessions from the index, against one select of the same rows. */
export const bench: Bench = () =>
  inFolder(async (folder) => {
    const lines: Line[] = [];
    for (const count of [1_000, 10_000]) {
      const { index, path } = await indexedSessions(folder, count, { entries: 8, textBytes: 200 });
      const sql = new Database(path, { readonly: true });
      const select = sql.prepare(ROWS);
      const { ours, floor } = await fastestOf(
        9,
        async () => {
          if ((await index.list()).length !== count) throw new Error("the list is not whole");
        },
        () => select.all(),
      );
      lines.push(line(`list-${count}`, ours, "ms", 9, floor));
      sql.close();
      await index.close();
    }
    return lines;
  });
