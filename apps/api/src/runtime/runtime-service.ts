import { resolve } from "node:path";
import { asKnown, CURRENT_VERSION, ProblemError, problemOf, type StoredSession } from "@espalier/core";
import {
  type Command,
  type CommandAnswer,
  type CommandOf,
  type Comparison,
  type EntryBody,
  type EntryId,
  type ImportBody,
  type NewSession,
  type NewSessionAnswer,
  type PathWindow,
  type SearchAnswer,
  type SessionHeader,
  type SessionId,
  type SessionList,
  type Snapshot,
  sessionId,
  type TrashAnswer,
  type TrashList,
} from "@espalier/protocol";
import { AnswerBook } from "./answer-book.ts";
import { compareBranches } from "./compare-branches.ts";
import type { ProcessParts, WorkspaceParts } from "./runtime-parts.ts";
import { type AcrossSessions, type Done, doCommand, writes } from "./session-commands.ts";
import { copyFor, importedCopy, savedCopy, writableCopy } from "./session-copies.ts";
import { SessionJournal } from "./session-journal.ts";
import { SessionRuntime } from "./session-runtime.ts";
import type { BlockBody, SessionService } from "./session-service.ts";
import { discardSession } from "./session-trash.ts";
import { durabilityOf } from "./settings.ts";
import { makeSnapshot } from "./snapshot.ts";
import { userShell } from "./user-shell.ts";
import { uuidV7 } from "./uuid-v7.ts";
import { isFolder } from "./workspace.ts";

interface OpenOne {
  readonly runtime: SessionRuntime;
  /** Resolves when rows are complete enough to be shown. */
  readonly shown: Promise<void>;
}

const isAcross = (command: Command): command is Extract<Command, { type: AcrossSessions }> =>
  ["fork", "clone", "save_copy", "repair", "folder"].includes(command.type);

/** Sessions over a store: opens them when asked for, keeps them open, and does their commands one after another. */
export class RuntimeService implements SessionService {
  readonly #process: ProcessParts;
  readonly #workspace: WorkspaceParts;
  readonly #open = new Map<SessionId, Promise<OpenOne>>();
  readonly #lanes = new Map<SessionId, Promise<unknown>>();
  readonly #answers: AnswerBook;
  /** Sessions as they were before their files were replaced or cut: until they are saved, or it happens again. */
  readonly #before = new Map<SessionId, SessionRuntime>();
  #closing = false;
  readonly #unfollow: () => void;

  constructor(process: ProcessParts, workspace: WorkspaceParts) {
    this.#process = process;
    this.#workspace = workspace;
    this.#answers = new AnswerBook(process.now);
    this.#unfollow = process.log.onFollow(() => this.#watchFollowed());
  }

  async list(): Promise<SessionList> {
    return { sessions: await this.#process.store.list() };
  }

  async create({ cwd }: NewSession): Promise<NewSessionAnswer> {
    const folder = resolve(this.#workspace.cwd, cwd ?? ".");
    if (!(await isFolder(folder))) throw new ProblemError("folder_missing", `There is no folder ${folder}.`);
    const header = this.#newHeader(folder);
    const id = sessionId(header.id);
    const journal = SessionJournal.fresh(id, header, this.#journalParts());
    this.#open.set(id, Promise.resolve(this.#openOne(journal)));
    return { id };
  }

  async snapshot(id: SessionId, window: { at?: EntryId; limit?: number }): Promise<Snapshot> {
    const take = async (): Promise<{ runtime: SessionRuntime; snapshot: Snapshot }> => {
      const { runtime } = await this.#upToDate(id);
      return { runtime, snapshot: await makeSnapshot(runtime, this.#process.log.epoch, window) };
    };
    // A damaged line may be found only now: then the file is read anew, and everything of it is known.
    const { runtime, snapshot } = await this.#process.foreground.during(() =>
      take().catch((error: unknown) => {
        if (problemOf(error).code === "session_changed") return take();
        throw error;
      }),
    );
    // A look that asks for no items only counts, and comes often.
    if (window.limit !== 0) runtime.journal.tellLost();
    return snapshot;
  }

  async items(
    id: SessionId,
    window: { leaf: EntryId | null; from: number; to: number },
  ): Promise<PathWindow> {
    const { runtime } = await this.#get(id);
    return this.#process.foreground.during(() => runtime.reader.window(window.leaf, window.from, window.to));
  }

  async compare(id: SessionId, { a, b }: { a: EntryId; b: EntryId }): Promise<Comparison> {
    const { runtime } = await this.#get(id);
    return this.#process.foreground.during(() => compareBranches(runtime, a, b));
  }

  async entry(id: SessionId, entryId: EntryId): Promise<EntryBody> {
    const { runtime } = await this.#get(id);
    const [entry] = await runtime.journal.read([entryId]);
    if (!entry) throw new ProblemError("not_found", `Entry ${entryId} is not in this session.`);
    return { entry };
  }

  async block(id: SessionId, entryId: EntryId, index: number): Promise<BlockBody> {
    const { entry } = await this.entry(id, entryId);
    return blockOf(entry, index);
  }

  command(id: SessionId, command: Command): Promise<CommandAnswer> {
    return this.#answers.once(id, command.commandId, () => this.#route(id, command, id));
  }

  async import({ text }: ImportBody): Promise<NewSessionAnswer> {
    const stored = await importedCopy(this.#process, text);
    await this.adopt(stored);
    this.#process.log.append(null, { type: "sessions_changed" });
    return { id: stored.id };
  }

  search({ text, limit, session }: Parameters<SessionService["search"]>[0]): Promise<SearchAnswer> {
    return this.#process.search(text, limit, session);
  }

  discard(id: SessionId): Promise<TrashAnswer> {
    return this.#inLane(id, async () => {
      const open = (await this.#open.get(id)?.catch(() => null)) ?? null;
      const ticket = await discardSession(this.#process, id, open?.runtime ?? null, () =>
        this.#open.delete(id),
      );
      return { ticket };
    });
  }

  async restore(ticket: string): Promise<NewSessionAnswer> {
    const id = await this.#process.trash.restore(ticket);
    this.#process.log.append(null, { type: "sessions_changed" });
    return { id };
  }

  async discarded(): Promise<TrashList> {
    return { sessions: await this.#process.trash.discarded() };
  }

  /** The runtime of an open session, for runs that are started from the command line. */
  async runtime(id: SessionId): Promise<SessionRuntime> {
    return (await this.#get(id)).runtime;
  }

  /** Stops all runs, writes what they have, closes all files; takes at most about `ms`. */
  async close(ms: number): Promise<void> {
    this.#closing = true;
    this.#unfollow();
    const opened = await Promise.allSettled(this.#open.values());
    const runtimes = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value.runtime] : []));
    const ended = await Promise.allSettled(
      [...runtimes, ...this.#before.values()].map((runtime) => runtime.close(ms)),
    );
    this.#open.clear();
    this.#before.clear();
    // All are closed by now; what could not be made safe is said.
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  }

  /** Does a command in the lane of the session it is meant for now: one that went on in a copy is followed there. */
  async #route(id: SessionId, command: Command, asked: SessionId): Promise<CommandAnswer> {
    if (this.#closing) throw new ProblemError("conflict", "The server is stopping.");
    const step = await this.#inLane(id, async () => {
      const one = await this.#get(id);
      const there = await this.#leadsTo(one, command);
      if (there !== null) return { there };
      // The person's own command may take long: it must not keep the lane from Stop and from answers.
      return command.type === "bash" ? { shell: one } : { answer: await this.#do(one, command, asked) };
    });
    if ("there" in step) return this.#route(step.there, command, asked);
    if ("answer" in step) return step.answer;
    const { runtime } = step.shell;
    const { journal } = runtime;
    const done = await userShell(runtime, command as CommandOf<"bash">, (work) =>
      this.#inLane(journal.id, work),
    );
    return {
      ok: true,
      seq: journal.seq(),
      ...(journal.id === asked ? {} : { session: journal.id }),
      ...done,
    };
  }

  async #do({ runtime }: OpenOne, command: Command, asked: SessionId): Promise<CommandAnswer> {
    if (command.type === "bash")
      throw new ProblemError("internal", "A shell command has no place in the lane.");
    const moved = runtime.journal.id === asked ? {} : { session: runtime.journal.id };
    const done = isAcross(command) ? await this.#across(runtime, command) : await doCommand(runtime, command);
    if (command.type === "rename" || command.type === "prompt")
      this.#process.log.append(null, { type: "sessions_changed" });
    return { ok: true, seq: runtime.journal.seq(), ...moved, ...done };
  }

  async #across(runtime: SessionRuntime, command: Extract<Command, { type: AcrossSessions }>): Promise<Done> {
    const { journal } = runtime;
    if (command.type === "folder" && command.choice === "cancel") return {};
    if (command.type === "folder" && command.choice === "here") {
      if (!journal.stored) throw new ProblemError("nothing_to_do", "This session has no file yet.");
      await this.#process.local.setFolder(journal.stored.path, this.#workspace.cwd);
      journal.emit({
        type: "notice",
        level: "info",
        code: "folder",
        text: `This session works in ${this.#workspace.cwd} now.`,
      });
      return {};
    }
    if (command.type === "save_copy") return this.#saveCopy(runtime);
    const fork = await copyFor(runtime, command, this.#workspace.cwd);
    // Nothing to copy before the first message: an empty session in the same folder.
    if (!fork) return { session: (await this.create({ cwd: journal.header.cwd })).id };
    await this.adopt(fork);
    this.#process.log.append(null, { type: "sessions_changed" });
    return { session: fork.id };
  }

  /** Of a session whose file was replaced and read anew since, what it was before is saved. */
  async #saveCopy(runtime: SessionRuntime): Promise<Done> {
    const { id } = runtime.journal;
    const before = this.#before.get(id);
    const { stored, note } = await savedCopy(before ?? runtime);
    await this.adopt(stored);
    this.#process.log.append(null, { type: "sessions_changed" });
    this.#before.delete(id);
    await before?.close(0);
    return { session: stored.id, ...(note === null ? {} : { note }) };
  }

  /**
   * The session a command is really for. Old versions and damaged headers are left as they are: the first command that writes
   * goes to a copy of version 3, and all later ones go there too. Null: it is for this one.
   */
  async #leadsTo({ runtime }: OpenOne, command: Command): Promise<SessionId | null> {
    const { journal } = runtime;
    const { stored, state } = journal;
    if (state.movedTo !== null) return state.movedTo;
    if (!stored || stored.readOnly === null || !writes(command)) return null;
    if (command.type === "prompt") await runtime.mayPrompt(command);
    const copy = await writableCopy(this.#process, stored);
    const folder = await this.#process.local.folder(stored.path);
    if (folder !== undefined) await this.#process.local.setFolder(copy.path, folder);
    const there = await this.adopt(copy);
    there.runtime.journal.moveLeaf(state.leafId);
    there.runtime.choose(runtime.takeChoice());
    journal.emit({ type: "moved", session: copy.id });
    this.#process.log.append(null, { type: "sessions_changed" });
    return copy.id;
  }

  /** The session with what other programs wrote. A file that was replaced or cut is read anew, unless a run works on it. */
  async #upToDate(id: SessionId): Promise<OpenOne> {
    const one = await this.#get(id);
    await one.shown;
    if ((await one.runtime.journal.refresh()) || one.runtime.openRuns.length > 0) return one;
    return this.#inLane(id, async () => {
      const known = await this.#get(id);
      const stored = known === one ? await this.#process.store.open(id).catch(() => null) : null;
      if (stored === null) return known;
      one.runtime.journal.tellLost();
      const fresh = await this.adopt(stored);
      await this.#before.get(id)?.close(0);
      this.#before.set(id, one.runtime);
      one.runtime.journal.rest();
      // Pages hold rows that are not there any more.
      this.#process.log.append(null, { type: "resync" });
      return fresh;
    });
  }

  /** Takes a session in that was opened or made elsewhere. */
  adopt(stored: StoredSession): Promise<OpenOne> {
    const opened = SessionJournal.open(stored, this.#journalParts()).then((journal) =>
      this.#openOne(journal),
    );
    this.#open.set(stored.id, opened);
    return opened;
  }

  #get(id: SessionId): Promise<OpenOne> {
    const known = this.#open.get(id);
    if (known) return known;
    const opened = this.#process.store
      .open(id)
      .then((stored) => SessionJournal.open(stored, this.#journalParts()))
      .then((journal) => this.#openOne(journal));
    this.#open.set(id, opened);
    opened.catch(() => this.#open.delete(id));
    return opened;
  }

  /** Sessions that somebody follows are watched for other programs' writes. */
  #watchFollowed(): void {
    for (const [id, opened] of this.#open) {
      void opened.then(
        ({ runtime }) => runtime.journal.watch("followed", this.#process.log.isFollowed(id)),
        () => undefined,
      );
    }
  }

  #openOne(journal: SessionJournal): OpenOne {
    journal.watch("followed", this.#process.log.isFollowed(journal.id));
    const { foreground } = this.#process;
    const shown = new Promise<void>((resolve) => {
      // What was shown by then may be wrong: pages ask again, and the file is read line by line.
      journal
        .fill(resolve, () => foreground.idle())
        .catch(() => this.#process.log.append(null, { type: "resync" }));
    });
    return {
      runtime: new SessionRuntime(journal, this.#process, this.#workspace),
      shown,
    };
  }

  #inLane<T>(id: SessionId, work: () => Promise<T>): Promise<T> {
    const before = this.#lanes.get(id) ?? Promise.resolve();
    const done = before.then(work);
    this.#lanes.set(
      id,
      done.catch(() => undefined),
    );
    return done;
  }

  #journalParts() {
    const { store, log, local, now, settings } = this.#process;
    return { store, log, local, now, durability: () => durabilityOf(settings.last) };
  }

  #newHeader(cwd: string): SessionHeader {
    const now = this.#process.now();
    return {
      type: "session",
      version: CURRENT_VERSION,
      id: uuidV7(now),
      timestamp: new Date(now).toISOString(),
      cwd,
    };
  }
}

const blockOf = (entry: EntryBody["entry"], index: number): BlockBody => {
  const known = asKnown(entry);
  const content =
    known?.type === "message" && "content" in known.message
      ? known.message.content
      : known?.type === "custom_message"
        ? known.content
        : [];
  const block = typeof content === "string" ? undefined : content[index];
  if (known?.type === "message" && known.message.role === "bashExecution") {
    return { kind: "text", text: known.message.output };
  }
  if (typeof content === "string" && index === 0) return { kind: "text", text: content };
  switch (block?.type) {
    case "text":
      return { kind: "text", text: block.text };
    case "thinking":
      return { kind: "text", text: block.thinking };
    case "toolCall":
      return { kind: "text", text: JSON.stringify(block.arguments, null, 2) };
    case "image":
      return { kind: "image", mimeType: imageType(block.mimeType), bytes: Buffer.from(block.data, "base64") };
    case undefined:
      throw new ProblemError("not_found", `Entry ${entry.id} has no block ${index}.`);
  }
};

/** Only pictures that cannot carry scripts are sent as such. */
const imageType = (named: string): string =>
  /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(named) ? named : "application/octet-stream";
