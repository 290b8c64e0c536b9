import type { OutlineRow } from "@espalier/core";
import { ArrowRight, Check, ChevronDown, ChevronRight, Circle, CircleSlash, Flag, X } from "lucide-react";
import { type MouseEvent, memo } from "react";
import { classNames } from "../../ui/class-names.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { ago, fineCount, hourOf, plural, shortCount } from "../../view/format.ts";
import { runName } from "../../view/tree/run-name.ts";
import { type Ending, endingOf, sumsOf } from "../../view/tree/run-sums.ts";
import { firstRowOf, labelsOf, lastRowOf } from "../../view/tree/run-words.ts";
import { useView } from "../../view/view-context.tsx";
import { Gutter } from "./Gutter.tsx";
import { lastRunOf, type Outline } from "./outline-model.ts";
import styles from "./Tree.module.css";

interface TreeRowProps {
  outline: Outline;
  row: OutlineRow;
  /** The band: what is read is in this row. */
  here: boolean;
  focused: boolean;
  /** The node that outline and map have in hand. */
  chosen: boolean;
  /** The session's leaf is in this row. */
  tip: boolean;
  running: boolean;
  /** A or B: marked for comparing. */
  mark: string;
  /** Px. */
  height: number;
  index: number;
  /** The same object at every drawing, so that a key draws two rows and not all of them. */
  acts: RowActs;
}

interface RowHandlers {
  readonly open: (index: number) => void;
  readonly toggle: (index: number) => void;
  readonly focus: (index: number) => void;
  readonly menu: (index: number, x: number, y: number) => void;
}

/** What rows call: always the handlers of the last drawing. */
export class RowActs {
  #handlers: RowHandlers | null = null;

  set(handlers: RowHandlers): void {
    this.#handlers = handlers;
  }

  open(index: number): void {
    this.#handlers?.open(index);
  }

  toggle(index: number): void {
    this.#handlers?.toggle(index);
  }

  focus(index: number): void {
    this.#handlers?.focus(index);
  }

  menu(index: number, x: number, y: number): void {
    this.#handlers?.menu(index, x, y);
  }
}

type Facts = Pick<TreeRowProps, "outline" | "row">;

const ENDINGS: Readonly<Record<Ending, readonly [icon: Glyph, words: string, look: string | undefined]>> = {
  ok: [Check, "worked", styles.good],
  failed: [X, "failed", styles.bad],
  abandoned: [CircleSlash, "left for good", undefined],
  open: [Circle, "left open", undefined],
};

/** How a row ended, when something ends in it or somebody said so; null: nothing to say. */
const endingOfRow = ({ outline, row }: Facts): Ending | null => {
  const run = lastRunOf(outline, row);
  if (sumsOf(outline).outcome.has(run) || (row.ends > 0 && !row.onPath)) return endingOf(outline, run);
  return null;
};

/** How a compaction changed the window: what it held before, and how long the summary is. */
const Sizes = ({ outline, row }: Facts) => {
  const first = firstRowOf(outline, row.run);
  if (!first) return null;
  return (
    <>
      {first.before !== undefined && (
        <>
          {shortCount(first.before)} <Icon of={ArrowRight} size={12} />
        </>
      )}
      {shortCount(first.tokens)}
    </>
  );
};

/** Tokens and cost, where the rail is wide enough. */
const Sums = ({ outline, row }: Facts) => {
  const sums = sumsOf(outline);
  const cost = sums.cost[row.run] ?? 0;
  return (
    <span className={styles.sums}>
      {fineCount(sums.tokens[row.run] ?? 0)}
      {cost > 0 && ` $${cost.toFixed(2)}`}
    </span>
  );
};

const Meta = ({ outline, row, running }: Facts & { running: boolean }) => {
  const kind = outline.fold.kind[row.run];
  if (running) return <>now</>;
  if (kind === "compaction") return <Sizes outline={outline} row={row} />;
  const alone = kind === "user" && row.onPath && row.fold === "none";
  const ending = endingOfRow({ outline, row });
  const [icon, , look] = ENDINGS[ending ?? "open"];
  return (
    <>
      <Sums outline={outline} row={row} />
      {alone ? hourOf(firstRowOf(outline, row.run)?.time ?? 0) : row.entries}
      {ending !== null && <Icon of={icon} size={12} className={look} />}
    </>
  );
};

/** Said, not shown: what the marks of a row mean. */
const spoken = (props: TreeRowProps): string => {
  const { row, tip, here, mark } = props;
  const ending = endingOfRow(props);
  return [
    row.branch && "branch",
    row.fold !== "none" && plural(row.entries, "entry", "entries"),
    row.ends > 1 && plural(row.ends, "end"),
    row.ends === 1 && "end",
    ending !== null && ENDINGS[ending][1],
    tip && "current place",
    here && "being read",
    mark !== "" && `marked ${mark}`,
  ]
    .filter(Boolean)
    .join(", ");
};

/** For a pointer that rests: what has no room in the row. */
const tooltip = ({ outline, row }: Facts, name: string): string => {
  const sums = sumsOf(outline);
  const cost = sums.cost[row.run] ?? 0;
  const time = lastRowOf(outline, row.run)?.time ?? 0;
  const facts = [
    plural(row.entries, "entry", "entries"),
    `${fineCount(sums.tokens[row.run] ?? 0)} tokens`,
    cost > 0 && `$${cost.toFixed(2)}`,
    time > 0 && ago(time),
  ];
  return `${name}\n${facts.filter(Boolean).join(", ")}`;
};

const Title = ({ outline, row, name }: Facts & { name: string }) => {
  const { folders } = useView();
  const label = labelsOf(outline).get(row.run);
  return (
    <span className={styles.text} dir="auto">
      {label !== undefined && (
        <span className={styles.flag}>
          <Icon of={Flag} size={12} />
          {label}
        </span>
      )}
      {label === name ? runName(outline, row.run, false, folders) : name}
    </span>
  );
};

/** One row of the outline. */
export const TreeRow = memo((props: TreeRowProps) => {
  const { outline, row, here, focused, chosen, tip, running, mark, height, index, acts } = props;
  const { folders } = useView();
  const kind = outline.fold.kind[row.run] ?? "run";
  const name = runName(outline, row.run, row.branch, folders);
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
      data-entry={firstRowOf(outline, row.run)?.id}
      data-ends={row.ends || undefined}
      data-chosen={chosen || undefined}
      tabIndex={focused ? 0 : -1}
      title={tooltip(props, name)}
      onClick={() => acts.open(index)}
      onFocus={() => acts.focus(index)}
      onContextMenu={(event: MouseEvent<HTMLDivElement>) => {
        event.preventDefault();
        const box = event.currentTarget.getBoundingClientRect();
        // Asked for by a key there is no pointer: the menu opens at the row's words.
        const byKey = event.clientX === 0 && event.clientY === 0;
        acts.menu(index, byKey ? box.left + 60 : event.clientX, byKey ? box.bottom : event.clientY);
      }}
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
            acts.toggle(index);
          }}
        >
          <Icon of={row.fold === "open" ? ChevronDown : ChevronRight} size={12} />
        </span>
      )}
      <Title outline={outline} row={row} name={name} />
      <span className="visually-hidden">{spoken(props)}</span>
      {mark !== "" && (
        <span className={styles.mark} aria-hidden="true">
          {mark}
        </span>
      )}
      <span className={styles.meta}>
        <Meta outline={outline} row={row} running={running} />
      </span>
    </div>
  );
});

/** Runs keep their number while the tree only grows. */
export const treeRowId = (run: number): string => `tree-${run}`;
