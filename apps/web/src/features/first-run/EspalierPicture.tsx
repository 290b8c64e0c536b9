import { classNames } from "../../ui/class-names.ts";
import styles from "./FirstRun.module.css";

const LEAF = "M0 0C3-5 9-6 15-4C12 2 6 4 0 0Z";
const WIRES = [72, 172, 272, 372];
const BRANCHES = [
  "M210 200V100",
  "M210 100a28 28 0 0 0 -28 -28H98",
  "M210 100a28 28 0 0 1 28 -28H306",
  "M210 200a28 28 0 0 0 -28 -28H60",
  "M210 300a28 28 0 0 0 -28 -28H46",
  "M210 300a28 28 0 0 1 28 -28H386",
  "M210 400a28 28 0 0 0 -28 -28H34",
  "M210 400a28 28 0 0 1 28 -28H378",
];

type Leaf = readonly [x: number, y: number, scale: number, turn: number, here?: boolean];
/** Place, size (negative: to the left) and turn of each leaf. */
const LEAVES: readonly Leaf[] = [
  [158, 71, -1.12, -46],
  [128, 73, -1.13, 58],
  [98, 72, -1.1, 8],
  [262, 73, 1.06, 58],
  [306, 72, 1.1, 8],
  [155, 171, -1.08, -46],
  [133, 173, -1.11, 58],
  [104, 171, -1.09, -46],
  [60, 172, -1.1, 8],
  [265, 173, 1.03, 58, true],
  [289, 171, 1.04, -46, true],
  [313, 173, 1.08, 58, true],
  [156, 271, -1.09, -46],
  [130, 273, -1.14, 58],
  [104, 271, -1.09, -46],
  [76, 273, -1.09, 58],
  [46, 272, -1.1, 8],
  [263, 273, 1, 58],
  [290, 271, 1.01, -46],
  [313, 273, 1.03, 58],
  [341, 271, 1.08, -46],
  [386, 272, 1.1, 8],
  [155, 371, -1.06, -46],
  [131, 373, -1.08, 58],
  [106, 371, -1.07, -46],
  [75, 373, -1.04, 58],
  [34, 372, -1.1, 8],
  [259, 373, 1.09, 58],
  [289, 371, 1.09, -46],
  [316, 373, 1.14, 58],
  [346, 371, 1.01, -46],
  [378, 372, 1.1, 8],
];

/** A tree trained along wires: trunk, branches, one cut, and where one is. */
export const EspalierPicture = () => (
  <svg className={styles.picture} width="420" height="562" viewBox="0 0 420 562" aria-hidden="true">
    {WIRES.map((y) => (
      <path key={y} className={styles.wire} d={`M0 ${y}H420`} />
    ))}
    <path className={styles.wire} d="M14 36V560M406 36V560" />
    {BRANCHES.map((path) => (
      <path key={path} className={styles.branch} d={path} />
    ))}
    <path className={styles.trunk} d="M210 560V200a28 28 0 0 1 28 -28H354" />
    {LEAVES.map(([x, y, scale, turn, here]) => (
      <path
        key={`${x} ${y}`}
        className={classNames(styles.leaf, here && styles.leafHere)}
        transform={`translate(${x} ${y}) scale(${scale} ${Math.abs(scale)}) rotate(${turn})`}
        d={LEAF}
      />
    ))}
    <g transform="translate(210 470)">
      <path className={styles.gap} d="M-9 3l18-6" />
      <path className={styles.cut} d="M-9 0.5l18-6M-9 6.5l18-6" />
    </g>
    <circle className={styles.ring} cx="360" cy="172" r="11" />
    <circle className={styles.dot} cx="360" cy="172" r="5.5" />
    <path className={styles.soil} d="M114 560.5H306" />
  </svg>
);
