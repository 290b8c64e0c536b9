import { join } from "node:path";
import {
  type AnyEntry,
  ProblemError,
  type SessionStore,
  type StoredSession,
  serializeEntry,
  serializeHeader,
} from "@espalier/core";
import { type SessionHeader, type SessionId, type SessionInfo, sessionId } from "@espalier/protocol";
import { diskProblem, systemCode } from "./disk-problem.ts";
import { infoOfShown, shownOf, unreadableInfo } from "./file-glance.ts";
import { diskFs, type FileStat, type Fs, type OpenFile } from "./fs.ts";
import { JsonlSession, type SessionPlace } from "./jsonl-session.ts";
import { makeFolder, publishFile } from "./publish-file.ts";
import { foldersIn, type JsonlFolders, sessionFiles } from "./session-files.ts";
import { fileNameOf, folderOf, isSafeId, placeOfFile } from "./session-paths.ts";
import { SessionPlaces } from "./session-places.ts";
import { type FileSummary, summarizeFile } from "./summarize-file.ts";

/** Files that are summarised at one time. */
const AT_ONCE = 4;
const STAGING = /^\..*\.staging-[0-9a-f]+$/;
/** A staging file this old belongs to nobody any more, ms. */
const STALE = 60 * 60 * 1000;

/** `failed`: why the file cannot be read. */
interface Known {
  readonly stat: FileStat;
  readonly summary: FileSummary | null;
  readonly failed?: unknown;
}

/**
 * Sessions as pi's JSONL files, in our folder and in pi's. Nothing but `create` makes a file, and only `append` of an open
 * session changes one. Of several files with one header id the first seen keeps it as its id, for as long as `places` lives;
 * ours are seen before pi's.
 */
export class JsonlStore implements SessionStore {
  readonly #folders: JsonlFolders;
  readonly #fs: Fs;
  readonly #known = new Map<string, Known>();
  readonly #places: SessionPlaces;
  /** Paths of files with a line that was not what it seemed: they are read line by line. */
  readonly #misread = new Set<string>();

  constructor(folders: JsonlFolders, fs: Fs = diskFs, places = new SessionPlaces()) {
    this.#folders = folders;
    this.#fs = fs;
    this.#places = places;
  }

  async list(): Promise<SessionInfo[]> {
    const files = await sessionFiles(this.#fs, this.#folders);
    const queue = files.entries();
    const summaries: (Known | null)[] = files.map(() => null);
    const work = async (): Promise<void> => {
      for (const [at, file] of queue) summaries[at] = await this.#look(file.path);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return files.flatMap((file, at) => {
      const known = summaries[at];
      if (known?.failed !== undefined) return unreadableInfo(file, known.failed) ?? [];
      if (!known?.summary) return [];
      const place = this.#places.place(file.path, file.root, known.summary.header.id);
      return [infoOfShown(place, shownOf(known.summary))];
    });
  }

  async open(id: SessionId): Promise<StoredSession> {
    const place = await this.#find(id);
    const misread = (): void => void this.#misread.add(place.path);
    return JsonlSession.open(place, this.#fs, this.#misread.has(place.path) ? null : { misread });
  }

  create(header: SessionHeader, entries: readonly AnyEntry[]): Promise<StoredSession> {
    return this.createFrom(header, serializeHeader(header) + entries.map(serializeEntry).join(""));
  }

  async createFrom(header: SessionHeader, text: string): Promise<StoredSession> {
    if (!isSafeId(header.id))
      throw new ProblemError("bad_request", `${JSON.stringify(header.id)} is no session id.`);
    const folder = join(this.#folders.sessions, folderOf(header.cwd));
    const path = join(folder, fileNameOf(header.timestamp, header.id));
    const id = sessionId(header.id);
    const bytes = Buffer.from(text);
    let reader: OpenFile;
    try {
      await makeFolder(this.#fs, folder);
      reader = await publishFile(this.#fs, path, bytes);
    } catch (error) {
      if (systemCode(error) === "EEXIST") throw new ProblemError("conflict", `${path} is there already.`);
      throw diskProblem(error, `Making ${path}`);
    }
    const place = this.#places.byId(id)
      ? this.#places.place(path, "espalier", header.id)
      : this.#places.remember({ id, path, root: "espalier" });
    return JsonlSession.ofText(place, bytes, reader, this.#fs);
  }

  /** The session of a file by its path: what verbs that are given a file use. */
  async openFile(path: string): Promise<StoredSession> {
    return JsonlSession.open(this.#places.byPath(path) ?? placeOfFile(path), this.#fs);
  }

  /** Removes what a crash left half made. Never touches a session file. */
  async removeStale(now: number): Promise<void> {
    for (const folder of await foldersIn(this.#fs, this.#folders.sessions)) {
      for (const { name } of await this.#fs.readdir(folder)) {
        if (!STAGING.test(name)) continue;
        const path = join(folder, name);
        const stat = this.#fs.stat(path);
        if (stat !== null && now - stat.mtime > STALE) await this.#fs.unlink(path).catch(() => undefined);
      }
    }
  }

  async #find(id: SessionId): Promise<SessionPlace> {
    const known = this.#places.byId(id);
    if (known !== undefined && this.#fs.stat(known.path) !== null) return known;
    // A file that is named after the id spares reading all the others.
    const named = (await sessionFiles(this.#fs, this.#folders)).filter(({ path }) =>
      path.endsWith(`_${id}.jsonl`),
    );
    const [only] = named;
    const header =
      only === undefined || named.length > 1 ? undefined : (await this.#look(only.path))?.summary?.header;
    if (only !== undefined && header?.id === id) return this.#places.place(only.path, only.root, header.id);
    await this.list();
    const place = this.#places.byId(id);
    if (place === undefined || this.#fs.stat(place.path) === null) {
      throw new ProblemError(
        "not_found",
        `There is no session ${id} under ${this.#folders.sessions} or pi's folder.`,
      );
    }
    return place;
  }

  /** What the list says of a file; read again only when the file has changed. Null when it is gone. */
  async #look(path: string): Promise<Known | null> {
    const stat = this.#fs.stat(path);
    if (stat === null) return null;
    const known = this.#known.get(path);
    const same =
      known !== undefined &&
      known.stat.size === stat.size &&
      known.stat.mtime === stat.mtime &&
      known.stat.inode === stat.inode;
    if (same) return known;
    try {
      const file = await this.#fs.open(path, "read");
      const summary = await summarizeFile(file).finally(() => file.close());
      const fresh = { stat, summary };
      this.#known.set(path, fresh);
      return fresh;
    } catch (error) {
      return systemCode(error) === "ENOENT" ? null : { stat, summary: null, failed: error };
    }
  }
}
