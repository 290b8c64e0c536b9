import { statSync } from "node:fs";
import { createRequire } from "node:module";
import type Libsql from "libsql";

/** What the index holds, as another process can see it. `state`: "none", "ok", or why it cannot be read. */
export interface IndexReport {
  readonly path: string;
  readonly state: string;
  readonly bytes?: number;
  readonly sqlite?: string;
  readonly sessions?: number;
  readonly entries?: number;
  /** Sessions that were not read to their end yet. */
  readonly unread?: number;
}

/** Looks into an index without changing it. Never throws. */
export const indexReport = (path: string): IndexReport => {
  const stat = statSync(path, { throwIfNoEntry: false });
  try {
    const Database = createRequire(import.meta.url)("libsql") as typeof Libsql;
    const sql = new Database(stat ? path : ":memory:", { readonly: stat !== undefined });
    const number = (query: string): number => Number((sql.prepare(query).raw(true).all()[0] as unknown[])[0]);
    try {
      const [version] = sql.prepare("SELECT sqlite_version()").raw(true).all()[0] as [string];
      if (!stat) return { path, state: "none", sqlite: version };
      return {
        path,
        state: "ok",
        bytes: stat.size,
        sqlite: version,
        sessions: number("SELECT count(*) FROM file"),
        entries: number("SELECT count(*) FROM entry"),
        unread: number("SELECT count(*) FROM file WHERE done = 0"),
      };
    } finally {
      sql.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { path, state: `cannot be read: ${reason}`, ...(stat ? { bytes: stat.size } : {}) };
  }
};
