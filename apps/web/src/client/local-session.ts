import {
  type AnyEntry,
  type BranchPlan,
  branchLeft,
  buildContext,
  carriedPart,
  contextUse,
  extractedBranchSummary,
  joinPath,
  landingOf,
  leafAtOpen,
  leafThrough,
  makeEntry,
  newEntryId,
  OUTCOME,
  ProblemError,
  pathToLeaf,
  prepareBranchSummary,
  SessionTree,
} from "@espalier/core";
import type {
  Command,
  CommandAnswer,
  CommandOf,
  EntryDraft,
  EntryId,
  PathItem,
  PathWindow,
  Row,
  SessionId,
  Snapshot,
} from "@espalier/protocol";
import type { IdbSession } from "./idb-session.ts";

/** What a session is kept in while the server is away. */
export interface LocalSource {
  readonly tree: SessionTree;
  /** What the server said of it, or what its file says. */
  readonly facts: Omit<Snapshot, "rows" | "keys" | "items" | "from" | "leafId">;
  /** Where it stands. */
  readonly leafId: EntryId | null;
  /** Bodies in the order asked for; what is not here is told by its row. */
  read(ids: readonly EntryId[]): Promise<readonly AnyEntry[]>;
  append(entries: readonly AnyEntry[]): Promise<void>;
}

const WINDOW = 60;

const AWAY =
  "The backend does not answer. Start it with npm start; until then this session can be read, branched, marked and renamed.";

/** Stands for an entry that never came to this page. */
export const unseenEntry = (row: Row): AnyEntry => ({
  type: "custom_message",
  customType: row.role ?? row.type,
  content: `${row.line ?? ""} \u2026\n\nThe rest of this was not read in this browser yet. It comes with the backend.`,
  display: true,
  id: row.id,
  parentId: row.parentId,
  timestamp: new Date(row.time).toISOString(),
});

/** Answers for one session what the server would, as far as that can be done without it. */
export class LocalSession {
  readonly #source: LocalSource;
  #leaf: EntryId | null;

  constructor(source: LocalSource) {
    this.#source = source;
    this.#leaf = source.leafId;
  }

  async snapshot(at?: EntryId, limit = WINDOW): Promise<Snapshot> {
    const { tree, facts } = this.#source;
    if (at !== undefined && !tree.has(at)) throw notHere(at);
    const leaf = at === undefined ? this.#leaf : leafThrough(tree, at, this.#leaf);
    const items = await this.#items(leaf);
    const place = at === undefined ? -1 : items.findIndex(({ id }) => id === at);
    const last = Math.max(0, items.length - limit);
    const from = place < 0 ? last : Math.min(last, Math.max(0, place - Math.floor(limit / 4)));
    return {
      ...facts,
      rows: [...tree.rows],
      leafId: this.#leaf,
      keys: items.map(({ id }) => id),
      from,
      items: items.slice(from, from + limit),
    };
  }

  async items(leaf: EntryId, from: number, to: number): Promise<PathWindow> {
    if (!this.#source.tree.has(leaf)) throw notHere(leaf);
    const items = await this.#items(leaf);
    return { leafId: leaf, keys: items.map(({ id }) => id), from, items: items.slice(from, to) };
  }

  async entry(id: EntryId): Promise<AnyEntry> {
    const [entry] = this.#source.tree.has(id) ? await this.#source.read([id]) : [];
    if (entry === undefined) throw notHere(id);
    return entry;
  }

  /** Moves, marks and names; everything else needs the server and throws `io`. */
  async command(command: Command): Promise<CommandAnswer> {
    if (command.type === "navigate") return this.#navigate(command);
    if (command.type === "carry_over") return this.#carryOver(command);
    if (command.type === "outcome") return this.#outcome(command);
    if (command.type === "rename")
      return this.#add({ type: "session_info", name: command.name.replaceAll(/[\r\n]+/g, " ").trim() });
    if (command.type !== "label") throw new ProblemError("io", AWAY);
    if (!this.#source.tree.has(command.entryId)) throw notHere(command.entryId);
    const label = (command.label ?? "").replaceAll(/\s+/g, " ").trim();
    return this.#add({ type: "label", targetId: command.entryId, ...(label === "" ? {} : { label }) });
  }

  async #navigate({ target, summary }: CommandOf<"navigate">): Promise<CommandAnswer> {
    const { tree } = this.#source;
    if (target !== null && !tree.has(target)) throw notHere(target);
    const leaf = target === null ? null : await this.#landing(target);
    const from = this.#leaf;
    const plan = summary === true && from !== null ? await this.#branch(from, leaf) : null;
    if (plan !== null && from !== null) return this.#tell(leaf, extractedBranchSummary(plan, from));
    this.#leaf = leaf;
    if (leaf !== null && leafAtOpen(tree) !== leaf)
      await this.#add({ type: "custom", customType: "espalier.position", data: { v: 1, at: leaf } });
    return { ok: true, seq: 0, ...(leaf === null ? {} : { entryId: leaf }) };
  }

  /** A branch summary, which becomes the place one is at. Without the server it is made of the branch's own words. */
  async #tell(at: EntryId | null, draft: EntryDraft): Promise<CommandAnswer> {
    this.#leaf = at;
    const answer = await this.#add(draft);
    this.#leaf = (answer.entryId as EntryId | undefined) ?? at;
    return answer;
  }

  async #branch(from: EntryId, to: EntryId | null): Promise<BranchPlan | null> {
    const { tree } = this.#source;
    const left = branchLeft(tree, from, to).filter((id) => !tree.isAside(id));
    return prepareBranchSummary(await this.#source.read(left), 0);
  }

  async #carryOver(command: CommandOf<"carry_over">): Promise<CommandAnswer> {
    const { from, to = this.#leaf, entries = [], files = [] } = command;
    const { tree } = this.#source;
    for (const id of [from, to]) if (id !== null && !tree.has(id)) throw notHere(id);
    const leaf = to === null ? null : await this.#landing(to);
    const plan = await this.#branch(from, leaf);
    const whole = entries.length + files.length === 0;
    const draft =
      plan === null
        ? null
        : whole
          ? extractedBranchSummary(plan, from)
          : carriedPart(plan, { entries, files }, from);
    if (draft === null)
      throw new ProblemError("nothing_to_do", "That branch holds nothing of it that is not here already.");
    return this.#tell(leaf, draft);
  }

  async #outcome({ entryId, outcome, note = "" }: CommandOf<"outcome">): Promise<CommandAnswer> {
    if (!this.#source.tree.has(entryId)) throw notHere(entryId);
    const said =
      outcome === undefined ? {} : { outcome, ...(note.trim() === "" ? {} : { note: note.trim() }) };
    return this.#add({ type: "custom", customType: OUTCOME, data: { v: 1, at: entryId, ...said } });
  }

  /** Never inside a batch of tool calls; the end of a branch is left as it is. */
  async #landing(target: EntryId): Promise<EntryId | null> {
    const { tree } = this.#source;
    if (tree.branches(target).length === 0) return target;
    const below = leafThrough(tree, target, this.#leaf);
    const path = pathToLeaf(tree, below).filter((id) => !tree.isAside(id));
    return landingOf(await this.#items(below), path, target).target;
  }

  async #add(draft: EntryDraft): Promise<CommandAnswer> {
    const { tree } = this.#source;
    const id = newEntryId((taken) => tree.has(taken));
    await this.#source.append([makeEntry(draft, { id, parentId: this.#leaf, time: Date.now() })]);
    return { ok: true, seq: 0, entryId: id };
  }

  async #items(leaf: EntryId | null): Promise<readonly PathItem[]> {
    return joinPath(
      await this.#source.read(pathToLeaf(this.#source.tree, leaf).filter((id) => !this.#isPosition(id))),
    );
  }

  #isPosition(id: EntryId): boolean {
    const row = this.#source.tree.get(id);
    return row?.type === "custom" && row.name === "espalier.position";
  }
}

const notHere = (id: EntryId): ProblemError =>
  new ProblemError("not_found", `Entry ${id} is not in this session.`);

/** The facts of a session file that only this browser has. */
export const factsOfFile = async (session: IdbSession): Promise<LocalSource["facts"]> => {
  const leaf = leafAtOpen(session.tree);
  const entries = await session.read(pathToLeaf(session.tree, leaf));
  return {
    id: session.id,
    epoch: "browser",
    seq: 0,
    rev: 0,
    path: session.path,
    root: session.root,
    header: session.header,
    stored: true,
    run: null,
    runs: [],
    partials: {},
    tools: [],
    approvals: [],
    queue: [],
    damage: [...session.damage],
    model: null,
    thinkingLevel: "medium",
    context: contextUse(buildContext(entries), 0),
    folder: { cwd: session.header.cwd, missing: false },
  };
};

/** A name that can be an address, else a fresh one. */
export const localId = (named: string): SessionId =>
  (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/.test(named)
    ? named
    : crypto.randomUUID()) as SessionId;
