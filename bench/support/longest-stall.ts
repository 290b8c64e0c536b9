import { monitorEventLoopDelay } from "node:perf_hooks";

/** Longest time the event loop stood still while `work` ran, ms. */
export const longestStall = async (work: () => Promise<void>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await work();
  delay.disable();
  return delay.max / 1e6;
};
