import type { EntryId, EntryOf } from "@espalier/protocol";
import { projectEntry } from "../context/build-context.ts";
import { type ContextMessage, isEditable } from "../context/context-message.ts";
import { tokensOfMessage } from "../context/estimate-tokens.ts";
import { nodeOfEntry } from "../context/select-context.ts";
import { tokensOfWords } from "../group/bare-entry.ts";
import { PathItems } from "../group/join-groups.ts";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { startsTurn } from "./split-turn.ts";

/** Where a compaction would cut now. */
export interface CutNow {
  readonly firstKeptEntryId: EntryId;
  /** Start of the turn that the cut falls into; null when it falls between turns. */
  readonly turnStartEntryId: EntryId | null;
}

interface Edit {
  /** Place of the edit on the path. */
  readonly at: number;
  readonly tokens: number;
  readonly removes: boolean;
}

/** One entry of the path, as far as a cut depends on it. */
interface Place {
  readonly id: EntryId;
  readonly message: ContextMessage["role"] | null;
  readonly tokens: number;
  readonly isCompaction: boolean;
  /** Remembers a place and nothing else: no part of any context. */
  readonly isPosition: boolean;
  /** The path may be cut before it; taken back when a batch turns out to reach over it. */
  canCut: boolean;
  edit: Edit | null;
}

const CUTTABLE: ReadonlySet<string> = new Set(["user", "step", "bash", "note", "branch_summary"]);

/**
 * Knows at every moment where a compaction of a growing path would cut: `prepareCompaction`'s answer, at the cost of walking over
 * what would be kept. So it can be asked again on every move, however long the path is. Entries may be bare (see `bareEntry`).
 */
export class LiveCut {
  readonly #places: Place[] = [];
  readonly #at = new Map<EntryId, number>();
  readonly #items = new PathItems();
  /** Place of each item's first entry. */
  readonly #starts: number[] = [];
  readonly #early = new Map<string, Edit>();
  /** Where the stretch begins that could be summarised, and the newest compaction in it (-1: none). */
  #from = 0;
  #compaction = -1;

  /** `path` holds the entries of `contextPath`, root first. */
  constructor(path: Iterable<AnyEntry> = []) {
    for (const entry of path) this.append(entry);
  }

  /** Takes the next entry of the path. `words` are its tokens when it is bare. */
  append(entry: AnyEntry, words?: number): void {
    const at = this.#places.length;
    const known = asKnown(entry);
    const [said] = projectEntry(entry, undefined, false);
    this.#places.push({
      id: entry.id,
      message: said?.message.role ?? null,
      tokens: said === undefined ? 0 : (words ?? tokensOfMessage(said.message)),
      isCompaction: entry.type === "compaction",
      isPosition: nodeOfEntry(entry).position,
      canCut: false,
      edit: said !== undefined && isEditable(said.message) ? (this.#early.get(entry.id) ?? null) : null,
    });
    this.#at.set(entry.id, at);
    this.#join(entry, at);
    if (known?.type === "context_edit") this.#note(known, at, words);
    if (known?.type === "compaction") this.#startOver(known, at);
  }

  /** The cut that keeps about `keepRecentTokens`; null when there is nothing to summarise before it. */
  find(keepRecentTokens: number): CutNow | null {
    const cut = this.#cut(keepRecentTokens);
    if (cut === null) return null;
    const kept = this.#overMarks(this.#leaveOmitted(cut));
    const start = this.#turnStart(kept);
    if (!this.#saysBefore(kept)) return null;
    return {
      firstKeptEntryId: this.#place(kept).id,
      turnStartEntryId: start < 0 ? null : this.#place(start).id,
    };
  }

  #place(at: number): Place {
    return this.#places[at] as Place;
  }

  /** Joins the entry to its group; whatever stands between a call and a result that came just now can no longer be cut before. */
  #join(entry: AnyEntry, at: number): void {
    const before = this.#items.length;
    const [changed = -1] = this.#items.append(entry);
    if (this.#items.length === before) {
      for (let between = (this.#starts[changed] ?? at) + 1; between <= at; between += 1)
        this.#place(between).canCut = false;
      return;
    }
    this.#starts.push(at);
    const kind = this.#items.last?.kind ?? "";
    // A cut before the very first item is the way to say that everything is kept.
    const isFirst = before === 0 && kind !== "orphan" && kind !== "compaction";
    this.#place(at).canCut = isFirst || CUTTABLE.has(kind);
  }

  #note(edit: EntryOf<"context_edit">, at: number, words: number | undefined): void {
    const noted = { at, tokens: words ?? tokensOfWords(edit), removes: edit.replacement === null };
    this.#early.set(edit.targetId, noted);
    const target = this.#places[this.#at.get(edit.targetId as EntryId) ?? -1];
    const role = target?.message ?? null;
    if (target !== undefined && role !== null && isEditable({ role } as ContextMessage)) target.edit = noted;
  }

  #startOver(compaction: EntryOf<"compaction">, at: number): void {
    const kept = this.#at.get(compaction.firstKeptEntryId as EntryId);
    this.#from = kept === undefined || kept >= at ? at : kept;
    this.#compaction = at;
  }

  /** Whether the entry at a place is part of the context: system messages that a compaction kept are in its checkpoint. */
  #counts(at: number): boolean {
    const { isPosition, message } = this.#place(at);
    return !isPosition && !(at < this.#compaction && message === "system");
  }

  #edit(at: number): Edit | null {
    const { edit } = this.#place(at);
    return edit !== null && edit.at >= this.#from ? edit : null;
  }

  /** What the entry says to the model, by role; null when it says nothing (any more). */
  #says(at: number): ContextMessage["role"] | null {
    return this.#edit(at)?.removes ? null : this.#place(at).message;
  }

  #tokens(at: number): number {
    if (this.#says(at) === null) return 0;
    return this.#edit(at)?.tokens ?? this.#place(at).tokens;
  }

  #isCut(at: number): boolean {
    return this.#counts(at) && this.#place(at).canCut && this.#says(at) !== null;
  }

  #cut(keepRecentTokens: number): number | null {
    let nearest = -1;
    let sum = 0;
    for (let at = this.#places.length - 1; at >= this.#from; at -= 1) {
      if (!this.#counts(at)) continue;
      if (this.#isCut(at)) nearest = at;
      const tokens = this.#tokens(at);
      if (tokens === 0) continue;
      sum += tokens;
      if (sum < keepRecentTokens) continue;
      return nearest >= 0 ? nearest : this.#cutBefore(at);
    }
    for (let at = this.#from; at < this.#places.length; at += 1) if (this.#isCut(at)) return at;
    return null;
  }

  #cutBefore(place: number): number | null {
    for (let at = place; at >= this.#from; at -= 1) if (this.#isCut(at)) return at;
    return null;
  }

  /** When only failed answers that were taken out follow what is kept, that too is summarised: it is what is too large. */
  #leaveOmitted(cut: number): number {
    let next = -1;
    let omitted = false;
    for (let at = cut + 1; at < this.#places.length; at += 1) {
      if (!this.#counts(at)) continue;
      if (this.#says(at) !== null) return cut;
      if (next < 0) next = at;
      omitted ||= this.#place(at).message === "assistant";
    }
    return omitted ? next : cut;
  }

  /** Marks before the cut go with what follows them. */
  #overMarks(cut: number): number {
    let kept = cut;
    for (let at = cut - 1; at >= this.#from; at -= 1) {
      if (!this.#counts(at)) continue;
      if (this.#says(at) !== null || this.#place(at).isCompaction) break;
      kept = at;
    }
    return kept;
  }

  #turnStart(cut: number): number {
    if (startsTurn(this.#says(cut))) return -1;
    for (let at = cut - 1; at >= this.#from; at -= 1)
      if (this.#counts(at) && startsTurn(this.#says(at))) return at;
    return -1;
  }

  /** Whether anything before the cut could be summarised: system messages go on by themselves. */
  #saysBefore(cut: number): boolean {
    for (let at = this.#from; at < cut; at += 1) {
      const role = this.#counts(at) ? this.#says(at) : null;
      if (role !== null && role !== "system") return true;
    }
    return false;
  }
}
