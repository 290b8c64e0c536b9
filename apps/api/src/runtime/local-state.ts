import { rename } from "node:fs/promises";
import { join } from "node:path";
import { type Static, Type } from "@sinclair/typebox";
import { readJsonFile, writeJsonFile } from "../files/json-file.ts";

const LocalStateFile = Type.Object({
  /** Folder a session works in instead of its header's, by file path. */
  folders: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Sessions whose place is before the root, which their file cannot say. */
  atRoot: Type.Optional(Type.Array(Type.String())),
  /** Tools that run unasked, by workspace folder. */
  allowed: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()))),
});
type LocalStateFile = Static<typeof LocalStateFile>;

/**
 * `<data-dir>/local.json`: what belongs to this machine and to no session file. Losing it loses no session, only answers
 * that are asked for again. Changes are written one after another, on disk before they hold.
 */
export class LocalState {
  readonly #path: string;
  #state: LocalStateFile | null = null;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(dataDir: string) {
    this.#path = join(dataDir, "local.json");
  }

  async folder(sessionPath: string): Promise<string | undefined> {
    return (await this.#read()).folders?.[sessionPath];
  }

  setFolder(sessionPath: string, cwd: string): Promise<void> {
    return this.#change((state) => ({ ...state, folders: { ...state.folders, [sessionPath]: cwd } }));
  }

  async atRoot(sessionPath: string): Promise<boolean> {
    return (await this.#read()).atRoot?.includes(sessionPath) ?? false;
  }

  setAtRoot(sessionPath: string, atRoot: boolean): Promise<void> {
    return this.#change((state) => {
      const others = (state.atRoot ?? []).filter((path) => path !== sessionPath);
      return { ...state, atRoot: atRoot ? [...others, sessionPath] : others };
    });
  }

  async allowed(workspace: string): Promise<ReadonlySet<string>> {
    return new Set((await this.#read()).allowed?.[workspace] ?? []);
  }

  allow(workspace: string, tool: string): Promise<void> {
    return this.#change((state) => {
      const tools = new Set(state.allowed?.[workspace] ?? []).add(tool);
      return { ...state, allowed: { ...state.allowed, [workspace]: [...tools].sort() } };
    });
  }

  async #read(): Promise<LocalStateFile> {
    this.#state ??= (await readJsonFile(this.#path, LocalStateFile).catch(() => this.#setAside())) ?? {};
    return this.#state;
  }

  /** A damaged file must not keep anybody from their sessions: it is kept beside, and what it held is asked for again. */
  async #setAside(): Promise<null> {
    await rename(this.#path, `${this.#path}.damaged`);
    return null;
  }

  #change(make: (state: LocalStateFile) => LocalStateFile): Promise<void> {
    const done = this.#writing.then(async () => {
      const next = make(await this.#read());
      await writeJsonFile(this.#path, next);
      this.#state = next;
    });
    this.#writing = done.catch(() => undefined);
    return done;
  }
}
