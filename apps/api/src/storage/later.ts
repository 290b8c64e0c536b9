/** Calls `work` once after `ms`, unless it is undone before. */
export type Later = (ms: number, work: () => void) => () => void;

/** The machine's clock. What waits never keeps the process alive. */
export const unhurried: Later = (ms, work) => {
  const timer = setTimeout(work, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
