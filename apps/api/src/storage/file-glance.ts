import { basename } from "node:path";
import { problemOf } from "@espalier/core";
import { type SessionInfo, sessionId } from "@espalier/protocol";
import { diskProblem } from "./disk-problem.ts";
import type { Fs } from "./fs.ts";
import type { ShownFile } from "./index-database.ts";
import type { FoundFile } from "./session-files.ts";
import { derivedId } from "./session-paths.ts";
import { type FileSummary, glanceAtFile } from "./summarize-file.ts";

/** pi's file names: a time and the session's id. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z_(.+)\.jsonl$/;

/** What the list says of a file that cannot be read, from its name; null for a file that is not named like a session. */
export const unreadableInfo = ({ path, root }: FoundFile, error: unknown): SessionInfo | null => {
  const [, day, hour, minute, second, ms, id] = NAME.exec(basename(path)) ?? [];
  if (id === undefined) return null;
  const time = `${day}T${hour}:${minute}:${second}.${ms}Z`;
  return {
    id: sessionId(derivedId(id, path)),
    path,
    root,
    cwd: "",
    firstMessage: "",
    created: time,
    modified: time,
    messageCount: 0,
    problem: problemOf(diskProblem(error, `Reading ${path}`)).message,
  };
};

export const shownOf = ({ header, name, firstMessage, modified, messageCount }: FileSummary): ShownFile => ({
  header: {
    id: header.id,
    timestamp: header.timestamp,
    cwd: header.cwd,
    ...(header.parentSession === undefined ? {} : { parentSession: header.parentSession }),
  },
  ...(name === undefined ? {} : { name }),
  firstMessage,
  modified,
  messageCount,
});

/** What the first and last lines of a file say of it: a session's summary, null for no session, or why it cannot be read. */
export const glance = async (fs: Fs, found: FoundFile): Promise<ShownFile | null | { failed: unknown }> => {
  try {
    const file = await fs.open(found.path, "read");
    const summary = await glanceAtFile(file).finally(() => file.close());
    return summary === null ? null : shownOf(summary);
  } catch (error) {
    return { failed: error };
  }
};

/** A file as the list's answer has it. */
export const infoOfShown = (
  place: Pick<SessionInfo, "id" | "path" | "root">,
  { header, name, firstMessage, modified, messageCount, totals, problem }: ShownFile,
): SessionInfo => ({
  id: place.id,
  path: place.path,
  root: place.root,
  cwd: header.cwd,
  ...(name === undefined ? {} : { name }),
  firstMessage,
  created: header.timestamp,
  modified: modified > 0 ? new Date(modified).toISOString() : header.timestamp,
  messageCount,
  ...(header.parentSession === undefined ? {} : { parent: header.parentSession }),
  ...(totals === undefined ? {} : { totals }),
  ...(problem === undefined ? {} : { problem }),
});
