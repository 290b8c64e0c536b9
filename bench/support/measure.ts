import { readFileSync } from "node:fs";

/** Milliseconds that `work` takes once. */
const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now();
  await work();
  return performance.now() - start;
};

/**
 * The fastest of `n` runs of each of two works, taken in turn so that a busy moment of the machine meets both. The fastest says
 * most about the code, the others about the machine.
 */
export const fastestOf = async (
  n: number,
  ours: () => unknown,
  floor: () => unknown,
): Promise<{ ours: number; floor: number }> => {
  let best = { ours: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let run = 0; run < n; run += 1) {
    best = {
      floor: Math.min(best.floor, await timed(floor)),
      ours: Math.min(best.ours, await timed(ours)),
    };
  }
  return best;
};

/** The value below which the share `at` (0 to 1) of the values lies. NaN when there are none. */
export const percentile = (values: readonly number[], at: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * at))] ?? Number.NaN;

/** Resident memory of a process, MB; NaN where the system does not tell. */
export const residentOf = (pid: number | undefined): number => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
};
