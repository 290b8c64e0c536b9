import type { OutlineRow, RunKind } from "@espalier/core";
import { memo } from "react";
import { classNames } from "../../ui/class-names.ts";
import styles from "./Tree.module.css";

const ROW = 26;
const MIDDLE = 13;
/** Lanes further out than this share the last place: the words need the room. */
const LANES = 9;

/** Where a lane lies, px from the left. */
const laneX = (lane: number): number => 18 + 14 * Math.min(lane, LANES);

interface GutterProps {
  row: Pick<OutlineRow, "lane" | "onPath" | "branch" | "first" | "last" | "underPath">;
  kind: RunKind | "live";
  /** A run of a branch: a capsule whatever it starts with. */
  capsule: boolean;
  entries: number;
  /** The session's leaf is in this row. */
  tip: boolean;
}

/** The lines of a row: other lanes first, the active one over them. */
const Lines = ({ row }: { row: GutterProps["row"] }) => {
  const x = laneX(row.lane);
  const lanes = Array.from({ length: Math.min(row.lane, LANES) }, (_, lane) => lane);
  const own = row.onPath ? classNames(styles.line, styles.active) : styles.line;
  const above = laneX(row.lane - 1);
  return (
    <>
      {lanes.slice(1).map((lane) => (
        <path key={lane} className={styles.line} d={`M${laneX(lane)} 0V${ROW}`} />
      ))}
      {row.branch && row.lane <= LANES && (
        <path
          className={own}
          d={`M${above} 0v3a10 10 0 0 0 10 10H${x}${row.last ? "" : `M${x} ${MIDDLE}V${ROW}`}`}
        />
      )}
      {!row.branch && !(row.first && row.last) && (
        <path className={own} d={`M${x} ${row.first ? MIDDLE : 0}V${row.last ? MIDDLE : ROW}`} />
      )}
      {row.lane > 0 && (
        <path
          className={classNames(styles.line, row.underPath && styles.active)}
          d={`M${laneX(0)} 0V${ROW}`}
        />
      )}
    </>
  );
};

const Node = ({ row, kind, capsule, entries }: Omit<GutterProps, "tip">) => {
  const x = laneX(row.lane);
  const active = row.onPath && styles.active;
  if (kind === "live")
    return (
      <>
        <circle className={styles.ring} cx={x} cy={MIDDLE} r="7" />
        <circle className={styles.leaf} cx={x} cy={MIDDLE} r="4" />
      </>
    );
  if (kind === "compaction")
    return (
      <>
        <path className={styles.gap} d={`M${x - 5} ${MIDDLE + 2.5}l10-5`} />
        <path
          className={styles.clay}
          d={`M${x - 5} ${MIDDLE + 0.4}l10-4.6M${x - 5} ${MIDDLE + 4.6}l10-4.6`}
        />
      </>
    );
  if (kind === "summary" && !capsule)
    return <path className={styles.summary} d={`M${x - 4} ${MIDDLE - 5}h5l3 3v7h-8z`} />;
  if (kind === "user" && !capsule) return <circle className={styles.user} cx={x} cy={MIDDLE} r="3.75" />;
  const height = Math.min(18, Math.round(5 + 1.7 * Math.log2(1 + entries)));
  return (
    <rect
      className={classNames(styles.capsule, active)}
      x={x - 3.5}
      y={MIDDLE - height / 2}
      width="7"
      height={height}
      rx="3.5"
    />
  );
};

/** The drawing at the left of an outline row: lanes, elbows and the row's own mark. */
export const Gutter = memo(({ row, kind, capsule, entries, tip }: GutterProps) => (
  <svg className={styles.gutter} width={laneX(row.lane) + 10} height={ROW} aria-hidden="true">
    <Lines row={row} />
    <Node row={row} kind={kind} capsule={capsule} entries={entries} />
    {tip && <circle className={styles.tip} cx={laneX(row.lane)} cy={MIDDLE} r="7.5" />}
  </svg>
));
