import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionStoreCase } from "@espalier/core/store-case";
import { afterAll } from "vitest";
import { diskFs } from "./fs.ts";
import { IndexedStore } from "./indexed-store.ts";
import { JsonlStore } from "./jsonl-store.ts";
import { SessionIndex } from "./session-index.ts";
import { SessionPlaces } from "./session-places.ts";

const made: { readonly folder: string; readonly index: SessionIndex }[] = [];
afterAll(async () => {
  for (const { folder, index } of made) {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

sessionStoreCase("JSONL files with an index", async () => {
  const folder = mkdtempSync(join(tmpdir(), "espalier-indexed-"));
  const folders = { sessions: join(folder, "sessions"), piSessions: join(folder, "pi") };
  const places = new SessionPlaces();
  const files = new JsonlStore(folders, diskFs, places);
  const index = new SessionIndex({
    path: join(folder, "index.db"),
    folders,
    fs: diskFs,
    places,
    byReading: () => files.list(),
    changed: () => undefined,
  });
  made.push({ folder, index });
  const store = new IndexedStore(files, index);
  const bytes = async (id: string): Promise<Uint8Array> => {
    const info = (await store.list()).find((each) => each.id === id);
    return info === undefined ? new Uint8Array() : readFileSync(info.path);
  };
  return { store, bytes };
});
