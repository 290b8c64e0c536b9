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
import { diskFs, type FileStat, type Fs } from "./fs.ts";
import { JsonlSession, type SessionPlace } from "./jsonl-session.ts";
import { derivedId, fileNameOf, folderOf, isSafeId, placeOfFile } from "./session-paths.ts";
import { type FileSummary, summarizeFile } from "./summarize-file.ts";

export interface JsonlFolders {
  /** Ours: new sessions are made here. */
  readonly sessions: string;
  /** pi's: its sessions are listed and opened where they lie. */
  readonly piSessions: string;
}

/** Files that are summarised at one time. */
const AT_ONCE = 4;
const STAGING = /^\..*\.staging-[0-9a-f]+$/;
/** A staging file this old belongs to nobody any more, ms. */
const STALE = 60 * 60 * 1000;

interface Known {
  readonly stat: FileStat;
  readonly summary: FileSummary | null;
}

/**
 * Sessions as pi's JSONL files, in our folder and in pi's. Nothing but `create` makes a file, and only `append` of an open
 * session changes one. Of several files with one header id the first seen keeps it as its id, for as long as this object lives;
 * ours are seen before pi's.
 */
export class JsonlStore implements SessionStore {
  readonly #folders: JsonlFolders;
  readonly #fs: Fs;
  readonly #known = new Map<string, Known>();
  readonly #pathOf = new Map<SessionId, SessionPlace>();
  readonly #idOf = new Map<string, SessionId>();
  /** Paths of files with a line that was not what it seemed: they are read line by line. */
  readonly #misread = new Set<string>();

  constructor(folders: JsonlFolders, fs: Fs = diskFs) {
    this.#folders = folders;
    this.#fs = fs;
  }

  async list(): Promise<SessionInfo[]> {
    const files = await this.#files();
    const queue = files.entries();
    const summaries: (FileSummary | null)[] = files.map(() => null);
    const work = async (): Promise<void> => {
      for (const [at, file] of queue) summaries[at] = await this.#summary(file.path);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return files.flatMap(({ path, root }, at) => {
      const summary = summaries[at];
      return summary ? [infoOf(this.#place(path, root, summary.header), summary)] : [];
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
    try {
      await this.#fs.mkdir(folder);
      await this.#publish(folder, path, Buffer.from(text));
    } catch (error) {
      if (systemCode(error) === "EEXIST") throw new ProblemError("conflict", `${path} is there already.`);
      throw diskProblem(error, `Making ${path}`);
    }
    const place = this.#pathOf.has(id)
      ? this.#place(path, "espalier", header)
      : this.#remember({ id, path, root: "espalier" });
    return JsonlSession.open(place, this.#fs);
  }

  /** The session of a file by its path: what verbs that are given a file use. */
  async openFile(path: string): Promise<StoredSession> {
    const known = this.#idOf.get(path);
    const place = known === undefined ? undefined : this.#pathOf.get(known);
    return JsonlSession.open(place ?? placeOfFile(path), this.#fs);
  }

  /** Removes what a crash left half made. Never touches a session file. */
  async removeStale(now: number): Promise<void> {
    for (const folder of await this.#foldersIn(this.#folders.sessions)) {
      for (const { name } of await this.#fs.readdir(folder)) {
        if (!STAGING.test(name)) continue;
        const path = join(folder, name);
        const stat = this.#fs.stat(path);
        if (stat !== null && now - stat.mtime > STALE) await this.#fs.unlink(path).catch(() => undefined);
      }
    }
  }

  /** Staging file, its bytes on the disk, its final name, the name on the disk; another program never sees a part. */
  async #publish(folder: string, path: string, bytes: Uint8Array): Promise<void> {
    const name = path.slice(folder.length + 1);
    const staging = join(folder, `.${name}.staging-${crypto.randomUUID().slice(0, 8)}`);
    try {
      await this.#writeNew(staging, bytes);
      await this.#fs.link(staging, path).catch(async (error: unknown) => {
        // Some file systems have no second names (exFAT, some network shares): made in place then, still never over another.
        if (!["EPERM", "ENOTSUP", "ENOSYS", "EOPNOTSUPP"].includes(systemCode(error) ?? "")) throw error;
        await this.#writeNew(path, bytes);
      });
    } finally {
      await this.#fs.unlink(staging).catch(() => undefined);
    }
    await this.#fs.syncFolder(folder);
  }

  async #writeNew(path: string, bytes: Uint8Array): Promise<void> {
    const file = await this.#fs.open(path, "create");
    try {
      for (let taken = 0; taken < bytes.length; ) {
        const count = file.write(bytes.subarray(taken));
        if (count === 0) throw new ProblemError("io", "The disk takes no more bytes.");
        taken += count;
      }
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #find(id: SessionId): Promise<SessionPlace> {
    const known = this.#pathOf.get(id);
    if (known !== undefined && this.#fs.stat(known.path) !== null) return known;
    // A file that is named after the id spares reading all the others.
    const named = (await this.#files()).filter(({ path }) => path.endsWith(`_${id}.jsonl`));
    const [only] = named;
    const header =
      only === undefined || named.length > 1 ? undefined : (await this.#summary(only.path))?.header;
    if (only !== undefined && header?.id === id) return this.#place(only.path, only.root, header);
    await this.list();
    const place = this.#pathOf.get(id);
    if (place === undefined || this.#fs.stat(place.path) === null) {
      throw new ProblemError(
        "not_found",
        `There is no session ${id} under ${this.#folders.sessions} or pi's folder.`,
      );
    }
    return place;
  }

  async #foldersIn(root: string): Promise<string[]> {
    const inside = (await this.#fs.readdir(root)).filter(({ folder }) => folder);
    return [root, ...inside.map(({ name }) => join(root, name)).sort()];
  }

  async #files(): Promise<{ path: string; root: SessionInfo["root"] }[]> {
    const found: { path: string; root: SessionInfo["root"] }[] = [];
    const roots = [
      { dir: this.#folders.sessions, root: "espalier" as const },
      { dir: this.#folders.piSessions, root: "pi" as const },
    ];
    for (const { dir, root } of roots) {
      for (const folder of await this.#foldersIn(dir)) {
        const names = (await this.#fs.readdir(folder)).filter(
          (entry) => !entry.folder && entry.name.endsWith(".jsonl") && !entry.name.startsWith("."),
        );
        for (const { name } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
          found.push({ path: join(folder, name), root });
        }
      }
    }
    return found;
  }

  /** What the list says of a file; read again only when the file has changed. A file that cannot be read is not listed. */
  async #summary(path: string): Promise<FileSummary | null> {
    const stat = this.#fs.stat(path);
    if (stat === null) return null;
    const known = this.#known.get(path)?.stat;
    const same =
      known !== undefined &&
      known.size === stat.size &&
      known.mtime === stat.mtime &&
      known.inode === stat.inode;
    if (same) return this.#known.get(path)?.summary ?? null;
    try {
      const file = await this.#fs.open(path, "read");
      const summary = await summarizeFile(file).finally(() => file.close());
      this.#known.set(path, { stat, summary });
      return summary;
    } catch {
      return null;
    }
  }

  /** The place of a file under the id it goes by; the first file with an id keeps it. */
  #place(path: string, root: SessionInfo["root"], header: SessionHeader): SessionPlace {
    const known = this.#idOf.get(path);
    const own = sessionId(header.id);
    const free = isSafeId(header.id) && !this.#pathOf.has(own);
    return this.#remember({ id: known ?? (free ? own : sessionId(derivedId(header.id, path))), path, root });
  }

  #remember(place: SessionPlace): SessionPlace {
    this.#pathOf.set(place.id, place);
    this.#idOf.set(place.path, place.id);
    return place;
  }
}

const infoOf = (place: SessionPlace, summary: FileSummary): SessionInfo => {
  const { header, name, firstMessage, messageCount, modified } = summary;
  return {
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
  };
};
