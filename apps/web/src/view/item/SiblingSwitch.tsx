import type { EntryId } from "@espalier/protocol";
import { ChevronLeft, ChevronRight, GitCompare } from "lucide-react";
import { useMemo } from "react";
import { IconButton } from "../../ui/Button.tsx";
import { useView } from "../view-context.tsx";
import { branchName, type Siblings, siblingsOf } from "./branch-name.ts";
import styles from "./Item.module.css";

/** The siblings of an entry, looked up again when the tree grows. */
export const useSiblings = (entry: EntryId): Siblings | null => {
  const { tree, treeVersion } = useView();
  return useMemo(
    () => (tree && treeVersion > 0 ? siblingsOf(tree, entry) : null),
    [tree, treeVersion, entry],
  );
};

/** ‹ 2/3 ›: which of several branches this is, the way to its neighbours, and the two beside each other. */
export const SiblingSwitch = ({ siblings }: { siblings: Siblings }) => {
  const { read, compare } = useView();
  const { ids, index } = siblings;
  const here = ids[index];
  const other = ids[index + 1] ?? ids[index - 1];
  const go = (step: number) => {
    const next = ids[index + step];
    if (next !== undefined) read?.(next);
  };
  return (
    <span className={styles.siblings}>
      <IconButton
        label="Previous branch"
        icon={ChevronLeft}
        small
        disabled={index === 0}
        onClick={() => go(-1)}
      />
      <span>
        <b>{index + 1}</b>/{ids.length}
      </span>
      <IconButton
        label="Next branch"
        icon={ChevronRight}
        small
        disabled={index === ids.length - 1}
        onClick={() => go(1)}
      />
      {compare && here !== undefined && other !== undefined && (
        <IconButton
          label={`Compare with branch ${ids.indexOf(other) + 1}`}
          icon={GitCompare}
          iconSize={12}
          small
          onClick={() => compare(other, here)}
        />
      )}
    </span>
  );
};

/** The names of the other branches, as far as there is room. */
export const SiblingNames = ({ siblings }: { siblings: Siblings }) => {
  const { tree, read } = useView();
  if (!tree) return null;
  const others = siblings.ids.filter((_, index) => index !== siblings.index).slice(0, 2);
  return others.map((id) => (
    <button key={id} type="button" className={styles.siblingName} onClick={() => read?.(id)}>
      {branchName(tree, id)}
    </button>
  ));
};
