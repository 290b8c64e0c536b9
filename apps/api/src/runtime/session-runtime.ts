import { randomUUID } from "node:crypto";
import {
  type AnyEntry,
  answerOpenCalls,
  asKnown,
  contextIds,
  contextPath,
  GrowingContext,
  isOpen,
  MessageQueue,
  ProblemError,
  problemOf,
  type QueuedMessage,
  queueItems,
  retryDelay,
  runAt,
  runTurn,
  type TurnEnd,
  type TurnPorts,
  userDraft,
} from "@espalier/core";
import {
  type CommandOf,
  type Entry,
  type EntryDraft,
  type EntryId,
  type ModelInfo,
  type ModelRef,
  type Problem,
  type RunId,
  type RunInfo,
  runId,
  type ThinkingLevel,
} from "@espalier/protocol";
import { ActiveRun } from "./active-run.ts";
import { Approvals } from "./approvals.ts";
import { whileDiskRefuses } from "./disk-pause.ts";
import { makeRoom, tellNotCompacted } from "./make-room.ts";
import { PathReader } from "./path-reader.ts";
import type { ProcessParts, WorkspaceParts } from "./runtime-parts.ts";
import type { SessionJournal } from "./session-journal.ts";
import { drainMode, durabilityOf, retryOf } from "./settings.ts";
import { pathSelection, planStep, prologue } from "./step-plan.ts";
import { isFolder } from "./workspace.ts";

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });

/** What a new prompt is, once its place is known. */
type Prompt = Pick<CommandOf<"prompt">, "text" | "images" | "model" | "at">;

/**
 * One open session at work: it starts runs, feeds them, and writes what they bring. Several runs may be open, at most one at
 * each leaf; each writes under its own tip.
 */
export class SessionRuntime {
  readonly journal: SessionJournal;
  readonly process: ProcessParts;
  readonly workspace: WorkspaceParts;
  readonly queue = new MessageQueue();
  readonly approvals: Approvals;
  readonly reader: PathReader;
  readonly #runs = new Map<RunId, ActiveRun>();
  /** What the person chose since the last prompt; it is written with the next one. */
  #chosen: { model?: ModelRef; thinkingLevel?: ThinkingLevel } = {};

  constructor(journal: SessionJournal, process: ProcessParts, workspace: WorkspaceParts) {
    this.journal = journal;
    this.reader = new PathReader(journal);
    this.process = process;
    this.workspace = workspace;
    this.approvals = new Approvals({
      state: process.local,
      emit: (event) => journal.emit(event),
      waiting: (run, waits) => this.#waiting(run, waits),
    });
  }

  get openRuns(): readonly ActiveRun[] {
    return [...this.#runs.values()];
  }

  /** The folder tools work in: the person's choice for this session, else its own; `missing` when that is gone. */
  async folder(): Promise<{ cwd: string; missing: boolean }> {
    const path = this.journal.stored?.path;
    const cwd = (path && (await this.process.local.folder(path))) ?? this.journal.header.cwd;
    return { cwd, missing: !(await isFolder(cwd)) };
  }

  /** The whole path that a context at `leaf` is chosen from, root first. Asides that others' entries hang under are on it. */
  path(leaf: EntryId | null): Promise<readonly AnyEntry[]> {
    return this.journal.read(contextPath(this.journal.state.tree, leaf));
  }

  /** Commands the person typed that are running. */
  readonly shells = new Set<AbortController>();

  /** True when there were any. */
  stopShells(): boolean {
    for (const shell of this.shells) shell.abort();
    return this.shells.size > 0;
  }

  /** What was chosen and not written yet, for the session that goes on instead of this one. */
  takeChoice(): { model?: ModelRef; thinkingLevel?: ThinkingLevel } {
    const choice = this.#chosen;
    this.#chosen = {};
    return choice;
  }

  choose(choice: { model?: ModelRef; thinkingLevel?: ThinkingLevel }): void {
    this.#chosen = { ...this.#chosen, ...choice };
  }

  /** Model and thinking level the next prompt at the leaf would use; model null when none can be found. */
  async selection(leaf: EntryId | null): Promise<{ model: ModelRef | null; thinkingLevel: ThinkingLevel }> {
    const before = pathSelection(await this.reader.known(leaf));
    const settings = await this.process.settings.current();
    const fallback = async (): Promise<ModelRef | null> => {
      const info = await this.process.models.fallback();
      return info && { provider: info.provider, modelId: info.id };
    };
    return {
      model: this.#chosen.model ?? before.model ?? (await fallback()),
      thinkingLevel: this.#chosen.thinkingLevel ?? before.thinkingLevel ?? settings.thinkingLevel ?? "medium",
    };
  }

  /** Throws ProblemError when a prompt cannot be taken; answers where it goes. */
  async mayPrompt({ text, images, model, at }: Prompt): Promise<EntryId | null> {
    const { state } = this.journal;
    const parent = at === undefined ? state.leafId : at;
    if (parent !== null && !state.tree.has(parent)) {
      throw new ProblemError("not_found", `Entry ${parent} is not in this session.`);
    }
    if (text.trim() === "" && !images?.length) throw new ProblemError("bad_command", "The message is empty.");
    await this.#workingFolder();
    await this.#model(model ?? (await this.selection(parent)).model);
    return parent;
  }

  /** Writes the person's words and starts to work on them. Throws ProblemError with nothing written. */
  async prompt(prompt: Prompt): Promise<{ run: RunId; entryId: EntryId }> {
    const parent = await this.mayPrompt(prompt);
    const user = userDraft(prompt.text, prompt.images ?? [], this.process.now());
    const run = await this.#begin(parent, { answers: [], words: [user] }, prompt.model);
    return { run: run.id, entryId: run.tip as EntryId };
  }

  /**
   * Goes on at the leaf without new words, after an error, a stop or a crash. Calls without a result are answered in the file first:
   * they may have run, and are not run again.
   */
  async resume(): Promise<{ run: RunId }> {
    const { leafId } = this.journal.state;
    const last = leafId === null ? undefined : (await this.journal.read([leafId]))[0];
    const known = last && asKnown(last);
    if (!known) throw new ProblemError("nothing_to_do", "There is nothing to go on with: write a message.");
    const done =
      known.type === "message" && known.message.role === "assistant" && known.message.stopReason === "stop";
    if (done) throw new ProblemError("nothing_to_do", "The last answer is complete: write a message.");
    const answers = answerOpenCalls(await this.path(leafId), this.process.now());
    return { run: (await this.#begin(leafId, { answers, words: [] }, undefined)).id };
  }

  /** Puts a message into the queue of a run. */
  enqueue(kind: QueuedMessage["kind"], command: CommandOf<"steer"> | CommandOf<"follow_up">): void {
    const run = this.#runFor(command.run);
    this.queue.add({ id: randomUUID(), run: run.id, kind, text: command.text, images: command.images ?? [] });
    this.tellQueue();
  }

  tellQueue(): void {
    this.journal.emit({ type: "queue", queue: queueItems(this.queue) });
  }

  /** Stops a run; it ends by itself soon, with every call answered. */
  stop(id: RunId | undefined): ActiveRun {
    const run = this.#runFor(id);
    if (run.info.status !== "stopping") {
      this.#report(run, { status: "stopping" });
      run.stop.abort();
    }
    return run;
  }

  /** Runs work of another kind at a leaf as a run: it can be stopped, and nothing else starts there meanwhile. */
  async startWork(
    kind: NonNullable<RunInfo["work"]>,
    leaf: EntryId | null,
    path: readonly AnyEntry[],
    work: (run: ActiveRun) => Promise<TurnEnd>,
  ): Promise<RunId> {
    this.#refuseBusy(leaf);
    const selection = await this.selection(leaf);
    const run = this.#open(await this.#model(selection.model), path, kind);
    run.finished = work(run)
      .catch((error: unknown): TurnEnd => ({ status: "failed", problem: problemOf(error) }))
      .then((end) => this.#finish(run, end));
    return run.id;
  }

  /** Stops everything and waits until it is written, at most `ms`. */
  async close(ms: number): Promise<void> {
    this.stopShells();
    const ending = this.openRuns.map((run) => this.stop(run.id).finished);
    const ended = new AbortController();
    // The wait is called off with the last run, or its timer would hold the process.
    const all = Promise.all(ending).then(() => ended.abort());
    await Promise.race([all, sleep(ms, ended.signal)]);
    try {
      await this.journal.sync();
    } catch (error) {
      // A file that was replaced or taken away has said so long before.
      if (problemOf(error).code !== "session_changed") throw error;
    } finally {
      await this.journal.close();
    }
  }

  #runFor(id: RunId | undefined): ActiveRun {
    const { state } = this.journal;
    const at =
      id ?? runAt(state, state.leafId)?.id ?? (this.#runs.size === 1 ? this.openRuns[0]?.id : undefined);
    const run = at && this.#runs.get(at);
    if (!run) throw new ProblemError("conflict", "No run is working here (any more).");
    return run;
  }

  async #begin(
    parent: EntryId | null,
    said: { readonly answers: readonly EntryDraft[]; readonly words: readonly EntryDraft[] },
    wanted: Prompt["model"],
  ): Promise<ActiveRun> {
    this.#refuseBusy(parent);
    const cwd = await this.#workingFolder();
    const selection = await this.selection(parent);
    const model = await this.#model(wanted ?? selection.model);
    const path = await this.journal.read(contextIds(this.journal.state.tree, parent));
    const context = new GrowingContext(path);
    const before = await prologue(this, { context, cwd, model, thinkingLevel: selection.thinkingLevel });
    // A batch is never parted: what answers its calls stands before anything new.
    const drafts = [...said.answers, ...before, ...said.words];
    const entries = await this.journal.commit(drafts, { parent, source: "command" });
    this.#chosen = {};
    const run = this.#open(model, [...path, ...entries]);
    run.finished = this.#work(run, cwd);
    return run;
  }

  async #workingFolder(): Promise<string> {
    const { cwd, missing } = await this.folder();
    if (!missing) return cwd;
    throw new ProblemError(
      "folder_missing",
      `The folder ${cwd} is gone: continue in the current one, fork there, or cancel.`,
    );
  }

  #refuseBusy(leaf: EntryId | null): void {
    if (!runAt(this.journal.state, leaf)) return;
    throw new ProblemError("busy", "A run is working here: steer it, queue a follow-up, or stop it.");
  }

  #open(model: ModelInfo, path: readonly AnyEntry[], work?: NonNullable<RunInfo["work"]>): ActiveRun {
    const run = new ActiveRun(runId(randomUUID()), model, path, this.process.now(), work);
    this.#runs.set(run.id, run);
    this.journal.watch("run", true);
    this.journal.emit({ type: "run", run: run.info });
    return run;
  }

  async #model(ref: ModelRef | string | null): Promise<ModelInfo> {
    if (ref === null)
      throw new ProblemError("no_model", "No model is connected. Connect one, or choose demo/gardener.");
    const found = await this.process.models.resolve(ref);
    if ("code" in found) throw new ProblemError(found.code, found.message);
    return found;
  }

  async #work(run: ActiveRun, cwd: string): Promise<void> {
    const end = await runTurn(run.id, await this.#ports(run, cwd), run.stop.signal);
    await this.#finish(run, end);
  }

  /** Writes under the run's tip, or under another place; while the disk refuses, the run waits and tries again until it is stopped. */
  commitFor(run: ActiveRun, drafts: readonly EntryDraft[], under?: EntryId | null): Promise<Entry[]> {
    return this.#untilWritten(run, () => this.journal.commitFor(run, drafts, under));
  }

  #untilWritten<Result>(run: ActiveRun, work: () => Promise<Result>): Promise<Result> {
    const { journal, process } = this;
    return whileDiskRefuses(work, {
      signal: run.stop.signal,
      sleep,
      paused: (problem, ms, first) => {
        if (first) run.pauses(true);
        const { code, message } = problem;
        this.#report(run, { status: "retrying", retryAt: process.now() + ms, problem: { code, message } });
        const text = `${message} The run waits and goes on by itself when the disk can be written.`;
        if (first) journal.emit({ type: "notice", level: "error", code, text });
      },
      over: (done) => {
        if (!run.pauses(false)) return;
        const { problem: _, ...info } = run.info;
        run.info = info;
        this.#report(run, { status: "running" });
        const text = "The disk can be written again: the run goes on.";
        if (done) journal.emit({ type: "notice", level: "info", code: "disk_back", text });
      },
    });
  }

  async #ports(run: ActiveRun, cwd: string): Promise<TurnPorts> {
    const { process, journal } = this;
    const settings = await process.settings.current();
    return {
      sink: {
        commit: (drafts) => this.commitFor(run, drafts),
        emit: (event) => journal.emit(event),
      },
      clock: { now: process.now, sleep },
      validate: process.validate,
      prepare: () => planStep(this, run, cwd),
      take: (kind) => {
        const taken = this.queue.take(run.id, kind, drainMode(settings, kind));
        if (taken.length > 0) this.tellQueue();
        return taken;
      },
      retryDelay: (problem, attempt, after) =>
        retryDelay(problem, attempt, after, retryOf(settings), process.random),
      report: (change) => this.#report(run, change),
      makeRoom: (_, refused) => makeRoom(this, run, refused),
      settle: async () => {
        if (durabilityOf(settings) !== "turn") await this.#untilWritten(run, () => journal.sync());
      },
    };
  }

  #report(run: ActiveRun, change: Partial<RunInfo>): void {
    const { retryAt: _, ...info } = run.info;
    // A stopping run stays one, whatever its last steps report.
    const status = run.stop.signal.aborted ? "stopping" : (change.status ?? info.status);
    run.info = { ...info, ...change, status };
    this.journal.emit({ type: "run", run: run.info });
  }

  #waiting(id: RunId, waits: boolean): void {
    const run = this.#runs.get(id);
    if (run?.waits(waits)) this.#report(run, { status: waits ? "waiting" : "running" });
  }

  async #finish(run: ActiveRun, end: TurnEnd): Promise<void> {
    const settled = await this.#settled(run, end);
    const { retryAt: _, problem: __, ...info } = run.info;
    const problem: { problem?: Problem } = settled.status === "failed" ? { problem: settled.problem } : {};
    run.info = { ...info, ...problem, status: settled.status, endedAt: this.process.now() };
    this.#runs.delete(run.id);
    if (run.compactAsked !== null) tellNotCompacted(this);
    if (this.#runs.size === 0) this.journal.watch("run", false);
    this.journal.emit({ type: "run", run: run.info });
    await this.#returnQueue(run);
    const open = [...this.journal.state.runs.values()].some(isOpen);
    if (!open) await this.journal.rememberPlace().catch(() => undefined);
  }

  /** The end once everything of the run is on the disk; one that could not be made safe has failed. */
  async #settled(run: ActiveRun, end: TurnEnd): Promise<TurnEnd> {
    try {
      await this.#untilWritten(run, () => this.journal.sync());
      return end;
    } catch (error) {
      return end.status === "failed" ? end : { status: "failed", problem: problemOf(error) };
    }
  }

  /** What still waits for a run that is over goes back to the person, unless the run hands it on: nothing typed is lost. */
  async #returnQueue(run: ActiveRun): Promise<void> {
    const left = this.queue.clear(run.id);
    if (left.length === 0) return;
    this.tellQueue();
    if (await run.handOn?.(left).catch(() => false)) return;
    this.journal.emit({ type: "returned", texts: left.map(({ text }) => text) });
  }
}
