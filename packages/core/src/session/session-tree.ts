import type { EntryId, Outcome, Row, RowFlag } from "@espalier/protocol";
import { OUTCOME } from "./aside.ts";

/** A person's judgement of how something ended; `note` is at most its first 120 characters. */
export interface OutcomeMark {
  readonly outcome: Outcome;
  readonly note?: string;
}

/**
 * A session's entries as a tree, stored flat: rows in file order with an index by id. Append only; `append` is O(1) and
 * `version` changes with every append and every row that was filled, so that a view can tell whether it is stale. A row whose flags say "aside" (position, label,
 * name ...) hangs at its parent as a note: it is no leaf, no branch point and no run end.
 */
export class SessionTree {
  readonly #rows: Row[] = [];
  readonly #index = new Map<EntryId, number>();
  /** Made when somebody first asks for children: whoever only walks up does not pay for it. */
  #children: Map<EntryId | null, EntryId[]> | null = null;
  readonly #labels = new Map<EntryId, string>();
  readonly #outcomes = new Map<EntryId, OutcomeMark>();
  #name: string | undefined;
  #filled = 0;

  constructor(rows: Iterable<Row> = []) {
    for (const row of rows) this.append(row);
  }

  /** Rows in file order. */
  get rows(): readonly Row[] {
    return this.#rows;
  }

  get version(): number {
    return this.#rows.length + this.#filled;
  }

  /** Number of entries. */
  get size(): number {
    return this.#rows.length;
  }

  /** The last `session_info` in file order, on any branch; undefined when none or cleared. */
  get name(): string | undefined {
    return this.#name;
  }

  /** Label by target: the last one in file order holds, on any branch. */
  get labels(): ReadonlyMap<EntryId, string> {
    return this.#labels;
  }

  /** How branches and runs ended, by the entry that is marked: the last mark in file order holds, on any branch. */
  get outcomes(): ReadonlyMap<EntryId, OutcomeMark> {
    return this.#outcomes;
  }

  get(id: EntryId): Row | undefined {
    const at = this.#index.get(id);
    return at === undefined ? undefined : this.#rows[at];
  }

  has(id: EntryId): boolean {
    return this.#index.has(id);
  }

  /** Place in file order, zero-based; -1 for an id that is not there. */
  indexOf(id: EntryId): number {
    return this.#index.get(id) ?? -1;
  }

  /** All children in file order, asides included; `null` gives the roots. */
  children(id: EntryId | null): readonly EntryId[] {
    return this.#below().get(id) ?? [];
  }

  /** Children that are drawn: asides are skipped and what hangs below an aside counts as its parent's. */
  branches(id: EntryId | null): EntryId[] {
    const found: EntryId[] = [];
    const stack = this.children(id).toReversed();
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (!this.isAside(next)) found.push(next);
      else for (const child of this.children(next).toReversed()) stack.push(child);
    }
    return found;
  }

  isAside(id: EntryId): boolean {
    return this.get(id)?.flags?.includes("aside") ?? false;
  }

  /** Throws RangeError on an id that is there already: ids are unique inside a session. */
  append(row: Row): void {
    if (this.#index.has(row.id)) throw new RangeError(`entry id ${row.id} is in the session already`);
    this.#index.set(row.id, this.#rows.length);
    this.#rows.push(row);
    if (this.#children !== null) addChild(this.#children, row);
    if (row.type === "label" && row.target !== undefined) this.#setLabel(row.target as EntryId, row.name);
    if (row.name === OUTCOME && row.target !== undefined) this.#setOutcome(row.target as EntryId, row);
    if (row.type === "session_info") this.#name = row.name === "" ? undefined : row.name;
  }

  /**
   * Replaces rows that held only what the tree needs by whole ones; ids that are not there are passed over. Parent and re-attached
   * mark stay those of the tree. One change of `version` for all of them.
   */
  fill(rows: Iterable<Row>): void {
    for (const row of rows) {
      const at = this.#index.get(row.id);
      const known = at === undefined ? undefined : this.#rows[at];
      if (at === undefined || known === undefined) continue;
      const flags: RowFlag[] = known.flags?.includes("reattached")
        ? [...(row.flags ?? []), "reattached"]
        : (row.flags ?? []);
      this.#rows[at] = { ...row, parentId: known.parentId, ...(flags.length === 0 ? {} : { flags }) };
    }
    this.#filled += 1;
  }

  #setOutcome(target: EntryId, { outcome, line }: Row): void {
    if (outcome === undefined) this.#outcomes.delete(target);
    else this.#outcomes.set(target, line === undefined ? { outcome } : { outcome, note: line });
  }

  #below(): Map<EntryId | null, EntryId[]> {
    if (this.#children !== null) return this.#children;
    this.#children = new Map();
    for (const row of this.#rows) addChild(this.#children, row);
    return this.#children;
  }

  #setLabel(target: EntryId, label: string | undefined): void {
    if (label === undefined || label === "") this.#labels.delete(target);
    else this.#labels.set(target, label);
  }
}

const addChild = (children: Map<EntryId | null, EntryId[]>, { id, parentId }: Row): void => {
  const siblings = children.get(parentId);
  if (siblings) siblings.push(id);
  else children.set(parentId, [id]);
};
