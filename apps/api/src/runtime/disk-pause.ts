import { problemOf } from "@espalier/core";
import type { Problem, ProblemCode } from "@espalier/protocol";

/** Waits before writing is tried again, ms; the last one holds from there on. */
const WAITS = [250, 500, 1000, 2000, 5000];

/** What may pass without us: somebody makes room, mounts the disk again, gives the right back. */
const MAY_PASS: ReadonlySet<ProblemCode> = new Set(["disk_full", "io", "read_only"]);

export interface DiskPause {
  readonly signal: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Writing failed and is tried again in `ms`; `first` for the first time of this pause. */
  readonly paused: (problem: Problem, ms: number, first: boolean) => void;
  /** The pause is over, whether or not the work was done. */
  readonly over: (done: boolean) => void;
}

/**
 * Does work that writes, and while the disk refuses does it again until it is done or stopped. `work` must be one that can be
 * repeated. Throws what `work` throws when waiting cannot mend it, or when `signal` aborts meanwhile.
 */
export const whileDiskRefuses = async <Result>(
  work: () => Promise<Result>,
  { signal, sleep, paused, over }: DiskPause,
): Promise<Result> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await work();
      if (attempt > 0) over(true);
      return result;
    } catch (error) {
      const problem = problemOf(error);
      if (!MAY_PASS.has(problem.code) || signal.aborted) {
        if (attempt > 0) over(false);
        throw error;
      }
      const ms = WAITS[Math.min(attempt, WAITS.length - 1)] as number;
      paused(problem, ms, attempt === 0);
      await sleep(ms, signal);
    }
  }
};
