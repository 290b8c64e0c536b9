import { makeEntry, newEntryId, ProblemError, problemOf } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { JsonlStore } from "./jsonl-store.ts";

/**
 * One of two programs that write to a session at once: `append-many.case.ts FILE NAME COUNT BEGIN`. It begins at
 * BEGIN (epoch ms). Each entry hangs under its own last
 * one; an id that the other has taken meanwhile is drawn again.
 */
const [file, name, count, begin] = process.argv.slice(2);
if (file === undefined || name === undefined || count === undefined || begin === undefined)
  throw new ProblemError("bad_request", "usage: append-many.case.ts FILE NAME COUNT BEGIN");

const session = await new JsonlStore({ sessions: "/nowhere", piSessions: "/nowhere" }).openFile(file);
await new Promise((resolve) => setTimeout(resolve, Number(begin) - Date.now()));
let parentId: EntryId | null = session.tree.rows[0]?.id ?? null;
for (let at = 0; at < Number(count); ) {
  const message = { role: "user", content: `${name} ${at} ${"é".repeat(at % 40)}`, timestamp: at } as const;
  const id = newEntryId((taken) => session.tree.has(taken));
  const entry = makeEntry({ type: "message", message }, { id, parentId, time: at });
  try {
    await session.append([entry]);
    parentId = id;
    at += 1;
  } catch (error) {
    if (problemOf(error).code !== "conflict") throw error;
  }
}
await session.sync();
await session.close();
