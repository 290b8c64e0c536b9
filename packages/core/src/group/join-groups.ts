import type { EntryId, EntryOf, PathItem, PathItemOf, ToolGroup } from "@espalier/protocol";
import { type AnyEntry, asKnown } from "../session/known-entry.ts";
import { isResult, itemOfEntry } from "./item-of-entry.ts";
import { OpenCalls } from "./open-calls.ts";
import { type ResultEntry, resultEntries } from "./tool-group.ts";

/** Where an entry went: its item, and the group in it when the entry is a result. */
interface Place {
  readonly item: number;
  readonly group?: number;
}

/**
 * One path as items, kept up to date while entries are appended: a result turns its own group complete, an edit marks what it
 * edits. Every change makes new objects for the items concerned and leaves all others as they are, so a view can compare by
 * identity. Appending is O(1) in the path's length.
 */
export class PathItems {
  readonly #items: PathItem[] = [];
  readonly #places = new Map<EntryId, Place>();
  readonly #calls = new OpenCalls<number>();
  #snapshot: readonly PathItem[] | null = null;

  /** Goes on from items that were joined before, e.g. the last part of a path that a server sent. */
  static resume(items: readonly PathItem[]): PathItems {
    const path = new PathItems();
    for (const item of items) path.#add(item);
    return path;
  }

  /** The items as they are now; the same array until something changes. */
  get items(): readonly PathItem[] {
    this.#snapshot ??= [...this.#items];
    return this.#snapshot;
  }

  get last(): PathItem | undefined {
    return this.#items.at(-1);
  }

  get length(): number {
    return this.#items.length;
  }

  /** Index of the item that an entry is part of, or -1. */
  indexOf(id: EntryId): number {
    return this.#places.get(id)?.item ?? -1;
  }

  /** Takes the next entry of the path; returns the indices of the items that are new or changed. */
  append(entry: AnyEntry): number[] {
    this.#snapshot = null;
    const known = asKnown(entry);
    if (known !== null && isResult(known)) {
      const answered = this.#answer(known);
      if (answered !== null) return [answered];
    }
    const added = this.#add(itemOfEntry(entry));
    return known?.type === "context_edit" ? [added, ...this.#edit(known)] : [added];
  }

  #add(item: PathItem): number {
    const at = this.#items.length;
    this.#items.push(item);
    this.#places.set(item.id, { item: at });
    if (item.kind !== "step") return at;
    const open = item.groups.flatMap((group, index) =>
      group.kind === "missing_results" ? [[group.toolCallId, index] as const] : [],
    );
    this.#calls.declare(at, open);
    item.groups.forEach((group, index) => {
      for (const id of resultEntries(group)) this.#places.set(id, { item: at, group: index });
    });
    return at;
  }

  #answer(entry: ResultEntry): number | null {
    const { message, id } = entry;
    const found = this.#calls.answer(message.toolCallId);
    if (found === null) return null;
    const step = this.#items[found.step];
    const group = step?.kind === "step" ? step.groups[found.call] : undefined;
    if (step?.kind !== "step" || group?.kind !== "missing_results") return null;
    const { toolCallId, use } = group;
    this.#items[found.step] = withGroup(step, found.call, {
      kind: "complete",
      toolCallId,
      use,
      result: { entryId: id, message },
    });
    this.#places.set(id, { item: found.step, group: found.call });
    return found.step;
  }

  /** The last edit of a target holds. Only what pi's format can edit is marked. */
  #edit(edit: EntryOf<"context_edit">): number[] {
    const place = this.#places.get(edit.targetId);
    const item = place === undefined ? undefined : this.#items[place.item];
    if (place === undefined || item === undefined) return [];
    const edited = editItem(item, place.group, edit);
    if (edited === null) return [];
    this.#items[place.item] = edited;
    return [place.item];
  }
}

const withGroup = (step: PathItemOf<"step">, at: number, group: ToolGroup): PathItem => ({
  ...step,
  groups: step.groups.with(at, group),
});

const editGroup = (group: ToolGroup, edit: EntryOf<"context_edit">): ToolGroup =>
  group.kind === "complete" || group.kind === "orphaned_result"
    ? { ...group, result: { ...group.result, edit } }
    : group;

const editItem = (
  item: PathItem,
  group: number | undefined,
  edit: EntryOf<"context_edit">,
): PathItem | null => {
  switch (item.kind) {
    case "step": {
      const edited = group === undefined ? undefined : item.groups[group];
      if (group === undefined || edited === undefined) return { ...item, edit };
      return withGroup(item, group, editGroup(edited, edit));
    }
    case "orphan":
      return { ...item, edit, group: editGroup(item.group, edit) };
    case "user":
    case "note":
      return { ...item, edit };
    case "bash":
    case "system":
    case "compaction":
    case "branch_summary":
    case "mark":
    case "unknown":
      return null;
  }
};

/** The items of a whole path, root first. Adding entries one by one to a `PathItems` gives the same. */
export const joinPath = (entries: Iterable<AnyEntry>): readonly PathItem[] => {
  const path = new PathItems();
  for (const entry of entries) path.append(entry);
  return path.items;
};
