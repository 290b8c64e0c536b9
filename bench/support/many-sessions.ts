import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { diskFs } from "../../apps/api/src/storage/fs.ts";
import { JsonlStore } from "../../apps/api/src/storage/jsonl-store.ts";
import { SessionIndex } from "../../apps/api/src/storage/session-index.ts";
import { SessionPlaces } from "../../apps/api/src/storage/session-places.ts";
import { writeSession } from "./make-session.ts";

/** Files per folder, as people's projects have them. */
const PER_FOLDER = 100;

/** Writes `count` sessions and reads them into an index; `path` is its database. The index is to be closed. */
export const indexedSessions = async (
  folder: string,
  count: number,
  shape: { entries: number; textBytes: number },
): Promise<{ index: SessionIndex; path: string }> => {
  const sessions = join(folder, `sessions-${count}`);
  for (let at = 0; at < count; at += 1) {
    const inside = join(sessions, `--w-${Math.floor(at / PER_FOLDER)}--`);
    mkdirSync(inside, { recursive: true });
    writeSession(join(inside, `s${at}.jsonl`), `s${at}`, "/w", { ...shape, branchEvery: 0 });
  }
  const folders = { sessions, piSessions: join(folder, "none") };
  const places = new SessionPlaces();
  const store = new JsonlStore(folders, diskFs, places);
  const path = join(folder, `index-${count}.db`);
  const index = new SessionIndex({
    path,
    folders,
    fs: diskFs,
    places,
    byReading: () => store.list(),
    changed: () => undefined,
  });
  await index.settled();
  return { index, path };
};
