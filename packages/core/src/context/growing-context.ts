import type { ContextUse, EntryId, EntryOf, ModelRef } from "@espalier/protocol";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { measuredTokens, modelOf, projectEntry, type SessionContext } from "./build-context.ts";
import { type ContextMessage, isEditable, type Projected } from "./context-message.ts";
import { partOf, tokensOfMessage, type UsePart } from "./estimate-tokens.ts";
import { nodeOfEntry } from "./select-context.ts";
import { NO_SYSTEM, patchSystem, type SystemState } from "./system-prompt.ts";

type Edit = EntryOf<"context_edit">["replacement"];

/** An entry of the context with what it says. A compaction with a system checkpoint says two things. */
interface Slot {
  readonly entry: AnyEntry;
  /** Tokens of its words, where the entry itself does not hold them any more. */
  readonly words: number | undefined;
  said: readonly Projected[];
  tokens: number[];
}

const NO_USE: Readonly<Record<UsePart, number>> = {
  system: 0,
  summary: 0,
  user: 0,
  assistant: 0,
  toolResults: 0,
};

/** Roles whose words a bare entry does not hold. */
const WORDY: ReadonlySet<ContextMessage["role"]> = new Set([
  "user",
  "assistant",
  "toolResult",
  "custom",
  "bashExecution",
]);

/**
 * The context of one path, kept up to date while entries are appended: an append costs what it changes, not the path's length;
 * only a compaction goes over what it keeps. At every moment it is what `buildContext` makes of the whole path.
 */
export class GrowingContext {
  readonly #path: { readonly entry: AnyEntry; readonly words: number | undefined }[] = [];
  #slots: Slot[] = [];
  /** What the slots say, in order; made anew only when an edit changed what was said before. */
  #ids: EntryId[] = [];
  #messages: Projected[] = [];
  #isStale = false;
  readonly #slotOf = new Map<EntryId, Slot>();
  readonly #edits = new Map<string, { readonly replacement: Edit; readonly words: number | undefined }>();
  #compaction: EntryOf<"compaction"> | null = null;
  #model: ModelRef | null = null;
  #thinkingLevel: string | null = null;
  #system: SystemState = NO_SYSTEM;
  #measured: Slot | null = null;
  #use = { ...NO_USE };
  /** Estimated tokens behind the last measured answer, or of everything. */
  #since = 0;
  #made: SessionContext | null = null;

  /** `path` holds entries of `contextPath`, root first; asides may be left out. */
  constructor(path: Iterable<AnyEntry> = []) {
    for (const entry of path) this.append(entry);
  }

  /** Takes the next entry of the path. `words` are its tokens when the entry is bare (see `bareEntry`). */
  append(entry: AnyEntry, words?: number): void {
    this.#made = null;
    const known = asKnown(entry);
    this.#model = (known && modelOf(known)) ?? this.#model;
    if (known?.type === "thinking_level_change") this.#thinkingLevel = String(known.thinkingLevel);
    this.#path.push({ entry, words });
    if (known?.type === "compaction") this.#startOver(known);
    else this.#add(entry, words);
  }

  /** Last model that was chosen or answered; null when there was none. */
  get model(): ModelRef | null {
    return this.#model;
  }

  /** As the path names it; null when nothing was set. */
  get thinkingLevel(): string | null {
    return this.#thinkingLevel;
  }

  get system(): SystemState {
    return this.#system;
  }

  /** Tokens of the whole context, as `contextTokens` counts them. */
  get tokens(): number {
    const measured = this.#measured?.said[0];
    return (measured === undefined ? 0 : measuredTokens(measured)) + this.#since;
  }

  /** What takes up the context, as `contextUse` says it; `window` in tokens. */
  use(window: number): ContextUse {
    return { tokens: this.tokens, window, ...this.#use };
  }

  /** The context as `buildContext` gives it; the same object until something is appended. */
  get context(): SessionContext {
    if (this.#isStale) this.#messages = this.#slots.flatMap(({ said }) => said);
    this.#isStale = false;
    this.#made ??= {
      entryIds: this.#ids.slice(),
      messages: this.#messages.slice(),
      model: this.#model,
      thinkingLevel: this.#thinkingLevel ?? "off",
      system: this.#system,
      compaction: this.#compaction,
      measuredAt: this.#measuredAt(),
    };
    return this.#made;
  }

  #measuredAt(): number {
    const measured = this.#measured?.said[0];
    return measured === undefined ? -1 : this.#messages.lastIndexOf(measured);
  }

  /** The newest compaction comes first, then what it keeps. */
  #startOver(compaction: EntryOf<"compaction">): void {
    const before = this.#path.slice(0, -1);
    const from = before.findLastIndex(({ entry }) => entry.id === compaction.firstKeptEntryId);
    this.#compaction = compaction;
    this.#slots = [];
    this.#ids = [];
    this.#messages = [];
    this.#slotOf.clear();
    this.#edits.clear();
    this.#system = NO_SYSTEM;
    this.#use = { ...NO_USE };
    this.#since = 0;
    this.#add(compaction, undefined, true);
    for (const { entry, words } of from < 0 ? [] : before.slice(from)) {
      if (nodeOfEntry(entry).role !== "system") this.#add(entry, words);
    }
    this.#forgetMeasured();
  }

  #add(entry: AnyEntry, words: number | undefined, newest = false): void {
    if (nodeOfEntry(entry).position) return;
    const slot: Slot = { entry, words, said: [], tokens: [] };
    this.#slots.push(slot);
    this.#slotOf.set(entry.id, slot);
    this.#say(slot, newest);
    this.#ids.push(entry.id);
    this.#messages.push(...slot.said);
    const known = asKnown(entry);
    if (known?.type === "context_edit") return this.#edit(known, words);
    const [first] = slot.said;
    if (first !== undefined && measuredTokens(first) > 0) {
      this.#measured = slot;
      this.#since = 0;
    }
  }

  #edit(edit: EntryOf<"context_edit">, words: number | undefined): void {
    this.#edits.set(edit.targetId, { replacement: edit.replacement, words });
    const target = this.#slotOf.get(edit.targetId as EntryId);
    if (target) this.#say(target, target.entry === this.#compaction);
    this.#isStale = true;
    this.#forgetMeasured();
  }

  /** What was measured does not count what changed since: everything is estimated until the next answer. */
  #forgetMeasured(): void {
    this.#measured = null;
    this.#since = Object.values(this.#use).reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Projects an entry (again) and keeps the sums in step. */
  #say(slot: Slot, newest: boolean): void {
    const { entry } = slot;
    const before = slot.said;
    before.forEach(({ message }, at) => this.#count(partOf[message.role], -(slot.tokens[at] ?? 0)));
    const edit = this.#edits.get(entry.id);
    slot.said = projectEntry(entry, edit?.replacement, newest);
    slot.tokens = slot.said.map(({ message }) => {
      const words = edit !== undefined && isEditable(message) ? edit.words : slot.words;
      return words !== undefined && WORDY.has(message.role) ? words : tokensOfMessage(message);
    });
    slot.said.forEach(({ message }, at) => this.#count(partOf[message.role], slot.tokens[at] ?? 0));
    const systems = slot.said.flatMap(({ message }) => (message.role === "system" ? [message] : []));
    if (before.length === 0) this.#system = systems.reduce(patchSystem, this.#system);
  }

  #count(part: UsePart, tokens: number): void {
    this.#use[part] += tokens;
    this.#since += tokens;
  }
}
