import type { SessionTree } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useRef } from "react";
import { useFolders } from "../../store/use-folders.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { type ListHandle, VirtualList } from "../../ui/VirtualList.tsx";
import { plural, withoutFolder } from "../../view/format.ts";
import styles from "./Tree.module.css";
import { roleOf, useFound } from "./use-found.ts";

/** Entries that match, newest last, in place of the outline. */
export const FoundEntries = ({
  tree,
  version,
  search,
  onOpen,
}: {
  tree: SessionTree;
  version: number;
  search: string;
  onOpen: (entry: EntryId) => void;
}) => {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<ListHandle>(null);
  const height = useNarrow() ? 44 : 26;
  const folders = useFolders();
  const { rows, done } = useFound(tree, version, search);
  return (
    <div ref={scroller} className={styles.scroller} role="region" aria-label="Entries found">
      <p className={styles.nothing} role="status">
        {plural(rows.length, "entry", "entries")} found{done ? "" : " so far"}
      </p>
      <VirtualList items={rows} scroller={scroller} handle={list} itemSize={height}>
        {(row) => (
          <button key={row.id} type="button" className={styles.found} onClick={() => onOpen(row.id)}>
            <span className={styles.foundRole}>{roleOf(row)}</span>
            {tree.labels.get(row.id) ?? withoutFolder(row.line ?? row.name ?? row.id, folders)}
          </button>
        )}
      </VirtualList>
    </div>
  );
};
