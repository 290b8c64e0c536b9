import type { OutlineRow, RunKind } from "@espalier/core";
import { memo } from "react";
import { classNames } from "../../ui/class-names.ts";
import styles from "./Tree.module.css";

/** Lanes further out than these lie closer together; those beyond the last share its place: the words need the room. */
const WIDE = 4;
const LANES = 12;

/** Where a lane lies, px from the left. */
const laneX = (lane: number): number =>
  18 + 14 * Math.min(lane, WIDE) + 6 * Math.max(0, Math.min(lane, LANES) - WIDE);

interface GutterProps {
  /** Of the row, px. */
  height: number;
  row: Pick<OutlineRow, "lane" | "onPath" | "branch" | "first" | "last" | "underPath">;
  kind: RunKind | "live";
  /** A run of a branch: a capsule whatever it starts with. */
  capsule: boolean;
  entries: number;
  /** The session's leaf is in this row. */
  tip: boolean;
}

/** From the lane above down and around to the row's middle; narrower where lanes lie closer. */
const elbow = (middle: number, apart: number): string => {
  const radius = Math.min(10, apart);
  return `v${middle - radius}a${radius} ${radius} 0 0 0 ${radius} ${radius}`;
};

/** The lines of a row: other lanes first, the active one over them. */
const Lines = ({ row, height }: Pick<GutterProps, "row" | "height">) => {
  const middle = height / 2;
  const x = laneX(row.lane);
  const lanes = Array.from({ length: Math.min(row.lane, LANES) }, (_, lane) => lane);
  const own = row.onPath ? classNames(styles.line, styles.active) : styles.line;
  const above = laneX(row.lane - 1);
  return (
    <>
      {lanes.slice(1).map((lane) => (
        <path key={lane} className={styles.line} d={`M${laneX(lane)} 0V${height}`} />
      ))}
      {row.branch && row.lane <= LANES && (
        <path
          className={own}
          d={`M${above} 0${elbow(middle, x - above)}H${x}${row.last ? "" : `M${x} ${middle}V${height}`}`}
        />
      )}
      {!row.branch && !(row.first && row.last) && (
        <path className={own} d={`M${x} ${row.first ? middle : 0}V${row.last ? middle : height}`} />
      )}
      {row.lane > 0 && (
        <path
          className={classNames(styles.line, row.underPath && styles.active)}
          d={`M${laneX(0)} 0V${height}`}
        />
      )}
    </>
  );
};

const Node = ({ row, kind, capsule, entries, height }: Omit<GutterProps, "tip">) => {
  const middle = height / 2;
  const x = laneX(row.lane);
  const active = row.onPath && styles.active;
  if (kind === "live")
    return (
      <>
        <circle className={styles.ring} cx={x} cy={middle} r="7" />
        <circle className={styles.leaf} cx={x} cy={middle} r="4" />
      </>
    );
  if (kind === "compaction")
    return (
      <>
        <path className={styles.gap} d={`M${x - 5} ${middle + 2.5}l10-5`} />
        <path
          className={styles.clay}
          d={`M${x - 5} ${middle + 0.4}l10-4.6M${x - 5} ${middle + 4.6}l10-4.6`}
        />
      </>
    );
  if (kind === "summary" && !capsule)
    return <path className={styles.summary} d={`M${x - 4} ${middle - 5}h5l3 3v7h-8z`} />;
  if (kind === "user" && !capsule) return <circle className={styles.user} cx={x} cy={middle} r="3.75" />;
  const long = Math.min(18, Math.round(5 + 1.7 * Math.log2(1 + entries)));
  return (
    <rect
      className={classNames(styles.capsule, active)}
      x={x - 3.5}
      y={middle - long / 2}
      width="7"
      height={long}
      rx="3.5"
    />
  );
};

/** The drawing at the left of an outline row: lanes, elbows and the row's own mark. */
export const Gutter = memo(({ row, kind, capsule, entries, tip, height }: GutterProps) => (
  <svg className={styles.gutter} width={laneX(row.lane) + 10} height={height} aria-hidden="true">
    <Lines row={row} height={height} />
    <Node row={row} kind={kind} capsule={capsule} entries={entries} height={height} />
    {tip && <circle className={styles.tip} cx={laneX(row.lane)} cy={height / 2} r="7.5" />}
  </svg>
));
