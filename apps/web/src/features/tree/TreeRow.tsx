import type { OutlineRow, SessionTree } from "@espalier/core";
import type { Row } from "@espalier/protocol";
import { ArrowRight, ChevronDown, ChevronRight, Circle, Flag, X } from "lucide-react";
import { memo } from "react";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { hourOf, plural, shortCount, withoutFolder } from "../../view/format.ts";
import { branchName } from "../../view/item/branch-name.ts";
import { useView } from "../../view/view-context.tsx";
import { Gutter } from "./Gutter.tsx";
import { firstRow, labelOf, lastRow, type Outline, titleOf } from "./outline-model.ts";
import styles from "./Tree.module.css";

interface TreeRowProps {
  outline: Outline;
  row: OutlineRow;
  tree: SessionTree;
  /** The band: what is read is in this row. */
  here: boolean;
  focused: boolean;
  /** The session's leaf is in this row. */
  tip: boolean;
  running: boolean;
  /** Px. */
  height: number;
  onOpen: () => void;
  onToggle: () => void;
  onFocus: () => void;
}

const isFailed = (row: Row | undefined): boolean =>
  row?.flags?.some((flag) => flag === "error" || flag === "aborted") ?? false;

/** How a compaction changed the window: what it held before, and how long the summary is. */
const Sizes = ({ row }: { row: Row }) => (
  <>
    {row.before !== undefined && (
      <>
        {shortCount(row.before)} <Icon of={ArrowRight} size={12} />
      </>
    )}
    {shortCount(row.tokens)}
  </>
);

const Meta = ({ outline, row, running }: Pick<TreeRowProps, "outline" | "row" | "running">) => {
  const first = firstRow(outline, row);
  const kind = outline.fold.kind[row.run];
  if (running) return <>now</>;
  if (kind === "compaction" && first) return <Sizes row={first} />;
  const alone = kind === "user" && row.onPath && row.fold === "none";
  const ended = row.ends > 0 && !row.onPath;
  return (
    <>
      {alone && first ? hourOf(first.time) : row.entries}
      {ended &&
        (isFailed(lastRow(outline, row)) ? (
          <Icon of={X} size={12} className={styles.bad} />
        ) : (
          <Icon of={Circle} size={12} />
        ))}
    </>
  );
};

/** Said, not shown: what the marks of a row mean. */
const spoken = (row: OutlineRow, tip: boolean, here: boolean): string =>
  [
    row.branch && "branch",
    row.fold !== "none" && plural(row.entries, "entry", "entries"),
    row.ends > 1 && plural(row.ends, "end"),
    row.ends === 1 && "end",
    tip && "current place",
    here && "being read",
  ]
    .filter(Boolean)
    .join(", ");

const Title = ({ outline, row, tree }: Pick<TreeRowProps, "outline" | "row" | "tree">) => {
  const kind = outline.fold.kind[row.run];
  const first = firstRow(outline, row);
  const label = labelOf(outline, row, tree.labels);
  const number = kind === "compaction" && first ? compactionNumber(outline, row) : 0;
  const { folders } = useView();
  const name = withoutFolder(
    row.branch && first ? branchName(tree, first.id) : titleOf(outline, row),
    folders,
  );
  return (
    <span className={styles.text} dir="auto">
      {label !== null && (
        <span className={styles.flag}>
          <Icon of={Flag} size={12} />
          {label}
        </span>
      )}
      {kind === "compaction"
        ? `compaction ${number}`
        : label === name
          ? withoutFolder(titleOf(outline, row), folders)
          : name}
    </span>
  );
};

/** Which compaction of its path this is, from 1. */
const compactionNumber = ({ fold }: Outline, row: OutlineRow): number => {
  let number = 0;
  for (let run = row.run; run >= 0; run = fold.parent[run] ?? -1)
    if (fold.kind[run] === "compaction") number += 1;
  return number;
};

/** One row of the outline. */
export const TreeRow = memo((props: TreeRowProps) => {
  const { outline, row, tree, here, focused, tip, running, height, onOpen, onToggle, onFocus } = props;
  const kind = outline.fold.kind[row.run] ?? "run";
  const first = firstRow(outline, row);
  return (
    <div
      role="treeitem"
      id={treeRowId(row.run)}
      className={classNames(
        styles.row,
        kind === "compaction" && styles.cut,
        (kind === "run" || kind === "summary") && styles.quiet,
        !row.onPath && styles.off,
        here && styles.here,
        running && styles.live,
      )}
      aria-level={row.level}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-selected={here}
      aria-expanded={row.fold === "none" ? undefined : row.fold === "open"}
      data-entry={first?.id}
      data-ends={row.ends || undefined}
      tabIndex={focused ? 0 : -1}
      onClick={onOpen}
      onFocus={onFocus}
    >
      <Gutter
        height={height}
        row={row}
        kind={running ? "live" : kind}
        capsule={row.branch && kind !== "compaction"}
        entries={row.entries}
        tip={tip && !running}
      />
      {row.fold !== "none" && (
        <span
          className={styles.fold}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          <Icon of={row.fold === "open" ? ChevronDown : ChevronRight} size={12} />
        </span>
      )}
      <Title outline={outline} row={row} tree={tree} />
      <span className="visually-hidden">{spoken(row, tip, here)}</span>
      <span className={styles.meta}>
        <Meta outline={outline} row={row} running={running} />
      </span>
    </div>
  );
});

/** Runs keep their number while the tree only grows. */
export const treeRowId = (run: number): string => `tree-${run}`;
