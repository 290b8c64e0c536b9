import type { SessionTree } from "@espalier/core";
import type { EntryId, Row } from "@espalier/protocol";
import { useMemo, useRef } from "react";
import { useNarrow } from "../../ui/use-media.ts";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { plural } from "../../view/format.ts";
import styles from "./Tree.module.css";

const ROLES: Readonly<Record<string, string>> = {
  user: "you",
  assistant: "answer",
  toolResult: "result",
  bashExecution: "command",
  system: "system",
};

const roleOf = (row: Row): string =>
  row.role === undefined ? row.type.replaceAll("_", " ") : (ROLES[row.role] ?? row.role);

/** Every word must stand in the label, the kind, the name or the first words of an entry. */
const find = (tree: SessionTree, search: string): Row[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return tree.rows.filter((row) => {
    if (tree.isAside(row.id)) return false;
    const text =
      `${tree.labels.get(row.id) ?? ""} ${roleOf(row)} ${row.name ?? ""} ${row.line ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
};

/** Entries that match, newest last, in place of the outline. */
export const FoundEntries = ({
  tree,
  search,
  onOpen,
}: {
  tree: SessionTree;
  search: string;
  onOpen: (entry: EntryId) => void;
}) => {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const height = useNarrow() ? 44 : 26;
  const found = useMemo(() => find(tree, search), [tree, search]);
  return (
    <div ref={scroller} className={styles.scroller} role="region" aria-label="Entries found">
      <p className={styles.nothing}>{plural(found.length, "entry", "entries")} found</p>
      <VirtualList items={found} scroller={scroller} handle={list} itemSize={height}>
        {(row) => (
          <button key={row.id} type="button" className={styles.found} onClick={() => onOpen(row.id)}>
            <span className={styles.foundRole}>{roleOf(row)}</span>
            {tree.labels.get(row.id) ?? row.line ?? row.name ?? row.id}
          </button>
        )}
      </VirtualList>
    </div>
  );
};
