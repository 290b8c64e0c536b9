import type { PathFacts } from "../../store/window-history.ts";
import styles from "./Inspector.module.css";

const WIDTH = 360;
const HEIGHT = 66;
const TOP = 15;
const BOTTOM = 58;
/** No more steps than can be told apart. */
const STEPS = 90;

/** How the window grew along the path, and where it was cut. */
export const WindowChart = ({ facts }: { facts: PathFacts }) => {
  const { points, highest } = facts;
  const last = points.at(-1);
  if (!last || points.length < 2) return null;
  const end = Math.max(1, last.index);
  const x = (index: number) => Math.round((index / end) * (WIDTH - 8) * 10) / 10;
  const y = (tokens: number) => Math.round((BOTTOM - (tokens / highest) * (BOTTOM - TOP)) * 10) / 10;
  const every = Math.max(1, Math.ceil(points.length / STEPS));
  const shown = points.filter(
    (point, index) => index % every === 0 || point.cut || points[index + 1]?.cut || point === last,
  );
  let line = "";
  let cuts = "";
  let height = 0;
  for (const point of shown) {
    const [left, top] = [x(point.index), y(point.tokens)];
    if (point.cut) cuts += `M${left} ${height}V${top}`;
    line += line === "" || point.cut ? `M${left} ${top}` : `H${left}V${top}`;
    height = top;
  }
  return (
    <svg
      className={styles.chart}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`Size of the window along this path, with ${facts.compactions} compactions`}
    >
      <path d={`M0 ${TOP}H${WIDTH}`} className={styles.chartTop} />
      <path d={`M0 ${BOTTOM + 0.5}H${WIDTH}`} className={styles.chartFloor} />
      <path d={line} className={styles.chartLine} />
      <path d={cuts} className={styles.chartCut} />
      <circle cx={x(last.index)} cy={y(last.tokens)} r="3.5" className={styles.chartDot} />
    </svg>
  );
};
