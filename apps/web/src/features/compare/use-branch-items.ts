import type { ItemRange } from "@espalier/core";
import type { EntryId, PathItem } from "@espalier/protocol";
import { useCallback, useRef, useState } from "react";
import { useServices } from "../../store/services.tsx";
import { useSession } from "../../store/session-context.tsx";

const CHUNK = 60;

export interface BranchItems {
  /** Reads what is missing of a range; what is on its way is not asked for again. */
  readonly need: (range: ItemRange) => void;
  /** The items of a range; null while some are missing. */
  readonly of: (range: ItemRange) => readonly PathItem[] | null;
}

/** Items of the path to an end, read in parts as they are looked at. A component that uses it must be keyed by the end. */
export const useBranchItems = (end: EntryId): BranchItems => {
  const { api } = useServices();
  const id = useSession((open) => open.id);
  const [held, setHeld] = useState<ReadonlyMap<number, readonly PathItem[]>>(new Map());
  const asked = useRef(new Set<number>());
  const need = useCallback(
    ({ from, to }: ItemRange): void => {
      for (let chunk = Math.floor(from / CHUNK); chunk * CHUNK < to; chunk += 1) {
        if (asked.current.has(chunk)) continue;
        asked.current.add(chunk);
        api.items(id, end, chunk * CHUNK, (chunk + 1) * CHUNK).then(
          ({ items }) => setHeld((before) => new Map(before).set(chunk, items)),
          () => asked.current.delete(chunk),
        );
      }
    },
    [api, id, end],
  );
  const of = useCallback(
    ({ from, to }: ItemRange): readonly PathItem[] | null => {
      const items: PathItem[] = [];
      for (let at = from; at < to; at += 1) {
        const item = held.get(Math.floor(at / CHUNK))?.[at % CHUNK];
        if (item === undefined) return null;
        items.push(item);
      }
      return items;
    },
    [held],
  );
  return { need, of };
};
