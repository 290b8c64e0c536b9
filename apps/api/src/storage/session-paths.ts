import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { type SessionId, sessionId } from "@espalier/protocol";

/** pi's folder for the sessions of a working folder. Lossy: `/a-b` and `/a/b` share one, so the header's `cwd` decides. */
export const folderOf = (cwd: string): string =>
  `--${resolve(cwd)
    .replace(/^[/\\]/, "")
    .replace(/[/\\:]/g, "-")}--`;

/** pi's file name: the time with `:` and `.` made `-`, then the id. A time that somebody wrote by hand must not name a folder. */
export const fileNameOf = (timestamp: string, id: string): string =>
  `${timestamp.replace(/[:./\\\0]/g, "-")}_${id}.jsonl`;

/** pi's rule for session ids; others are not used in routes, paths or file names. */
const SAFE_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

export const isSafeId = (id: string): boolean => SAFE_ID.test(id);

const hashOf = (path: string): string => createHash("sha256").update(path).digest("hex").slice(0, 16);

/** The route id of a file whose header id is taken by another file, or is none that a route may carry. */
export const derivedId = (headerId: string, path: string): string =>
  `${isSafeId(headerId) ? headerId : "session"}~${hashOf(path)}`;

/** A file that is named on a command line, wherever it lies. */
export const placeOfFile = (file: string): { id: SessionId; path: string; root: "espalier" } => {
  const path = resolve(file);
  return { id: sessionId(derivedId("", path)), path, root: "espalier" };
};
