import type {
  BranchReport,
  EntryId,
  EntryOf,
  PathItem,
  PathItemOf,
  ToolGroup,
  ToolResultMessage,
} from "@espalier/protocol";
import { tokensOfEntry } from "../session/entry-tokens.ts";
import { firstWords } from "../session/row.ts";
import { NetChange } from "./net-change.ts";
import { checkEnd, looksLikeCheck, mayChangeFiles } from "./read-command.ts";

/** Commands that are named; beyond them only their number is told. */
const NAMED_COMMANDS = 50;
/** A longer pause between two entries is no time at work, ms. */
const LONGEST_PAUSE = 600_000;

/** Time between the first and the last of these times, ms, without long pauses. */
const workedFor = (times: readonly number[]): number =>
  times
    .toSorted((one, other) => one - other)
    .reduce((sum, time, at, all) => {
      const pause = time - (all[at - 1] ?? time);
      return pause > LONGEST_PAUSE ? sum : sum + pause;
    }, 0);

type Counts = Omit<BranchReport, "end" | "first" | "files" | "commands" | "summaries" | "turnStarts">;
type Step = PathItemOf<"step">;

const COUNTED = [
  "items",
  "entries",
  "turns",
  "calls",
  "failed",
  "open",
  "tokens",
  "cost",
  "commandCount",
] as const;
type Counted = (typeof COUNTED)[number];

const resultOf = (group: ToolGroup) =>
  group.kind === "complete" || group.kind === "orphaned_result" ? group.result : null;

const speaks = ({ entry: { message } }: Step): boolean =>
  message.role === "assistant" &&
  message.content.some((block) => block.type === "text" && block.text.trim() !== "");

const textOf = ({ content }: ToolResultMessage): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

const entryOf = (id: EntryId, message: EntryOf<"message">["message"]): EntryOf<"message"> => ({
  type: "message",
  id,
  parentId: null,
  timestamp: "",
  message,
});

/**
 * What a branch came to since its fork, counted item by item: `add` takes the items of its path in order, from the first one on of
 * which the other branch does not hold everything. Entries that both hold are not counted; a call counts where its result is.
 */
export class BranchAccount {
  readonly #isShared: (id: EntryId) => boolean;
  readonly #files = new NetChange();
  readonly #turnStarts: number[] = [];
  readonly #commands: BranchReport["commands"][number][] = [];
  readonly #summaries: BranchReport["summaries"][number][] = [];
  readonly #times: number[] = [];
  #last: Step | null = null;
  #counts: Counts = {
    items: 0,
    entries: 0,
    turns: 0,
    calls: 0,
    failed: 0,
    open: 0,
    tokens: 0,
    cost: 0,
    ms: 0,
    started: 0,
    ended: 0,
    stop: null,
    check: null,
    commandCount: 0,
  };

  /** `isShared`: whether an entry lies on the way to both ends. */
  constructor(isShared: (id: EntryId) => boolean) {
    this.#isShared = isShared;
  }

  add(item: PathItem): void {
    if (item.kind === "user") this.#turnStarts.push(this.#counts.items);
    this.#count({ items: 1 });
    const own = !this.#isShared(item.id);
    if (own) this.#ownEntry(item);
    if (item.kind !== "step") return;
    if (own && (speaks(item) || this.#last === null || !speaks(this.#last))) this.#last = item;
    for (const group of item.groups) this.#group(group, own);
  }

  /** `end` is the entry the branch ends at, `first` the index of the first item that was added, on its path. */
  report(end: EntryId, first: number): BranchReport {
    return {
      ...this.#counts,
      end,
      first,
      ms: workedFor(this.#times),
      turnStarts: this.#turnStarts,
      files: [...this.#files.files],
      commands: this.#commands,
      summaries: this.#summaries,
    };
  }

  /** The last answer with words, else the last one; null when the branch holds none. */
  get last(): Step | null {
    return this.#last;
  }

  #count(more: Partial<Record<Counted, number>>): void {
    const counts = { ...this.#counts };
    for (const name of COUNTED) counts[name] += more[name] ?? 0;
    this.#counts = counts;
  }

  #saw(time: number): void {
    if (!Number.isFinite(time) || time <= 0) return;
    const { started, ended } = this.#counts;
    this.#times.push(time);
    const begin = started === 0 ? time : Math.min(started, time);
    this.#counts = { ...this.#counts, started: begin, ended: Math.max(ended, time) };
  }

  #ownEntry(item: PathItem): void {
    const { entry } = item;
    this.#saw(Date.parse(entry.timestamp ?? ""));
    this.#count({ entries: 1, tokens: tokensOfEntry(entry) });
    if (item.kind === "user") this.#count({ turns: 1 });
    if (item.kind === "branch_summary")
      this.#summaries.push({ entryId: item.id, fromId: item.entry.fromId, text: item.entry.summary });
    if (item.kind === "bash" && item.entry.message.role === "bashExecution")
      this.#command(item.id, item.entry.message.command);
    if (item.kind !== "step" || item.entry.message.role !== "assistant") return;
    const { usage, stopReason } = item.entry.message;
    this.#counts = { ...this.#counts, stop: stopReason };
    const cost: unknown = usage?.cost?.total;
    if (typeof cost === "number" && cost > 0) this.#count({ cost });
  }

  #group(group: ToolGroup, ownStep: boolean): void {
    const result = resultOf(group);
    if (result === null) {
      if (ownStep && group.kind === "missing_results") this.#count({ calls: 1, open: 1 });
      return;
    }
    if (this.#isShared(result.entryId)) return;
    this.#saw(result.message.timestamp);
    this.#count({
      entries: 1,
      calls: 1,
      failed: result.message.isError ? 1 : 0,
      tokens: tokensOfEntry(entryOf(result.entryId, result.message)),
    });
    if (group.kind !== "complete") return;
    const { call, entryId } = group.use;
    if (!result.message.isError) this.#files.add(call);
    const command: unknown = call.name === "bash" ? call.arguments.command : undefined;
    if (typeof command !== "string") return;
    this.#command(entryId, command);
    if (looksLikeCheck(command))
      this.#counts = {
        ...this.#counts,
        check: {
          entryId,
          command: firstWords(command),
          ...checkEnd(textOf(result.message), result.message.isError),
        },
      };
  }

  #command(entryId: EntryId, command: string): void {
    if (!mayChangeFiles(command)) return;
    this.#count({ commandCount: 1 });
    if (this.#commands.length < NAMED_COMMANDS)
      this.#commands.push({ entryId, command: firstWords(command) });
  }
}
