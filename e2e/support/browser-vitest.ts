import { chai, JestAsymmetricMatchers, JestChaiExpect, JestExtend } from "@vitest/expect";

/** What a suite written for vitest needs of it, for a suite that runs in a page: cases are collected, and run when asked. */
const cases: { readonly name: string; readonly run: () => unknown }[] = [];

export const describe = (_name: string, define: () => void): void => define();

export const it = (name: string, run: () => unknown): void => {
  cases.push({ name, run });
};

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

export const { expect } = chai;

/** Runs all cases one after another; what went wrong in each, null when nothing did. */
export const runCases = async (): Promise<{ name: string; problem: string | null }[]> => {
  const results = [];
  for (const { name, run } of cases) {
    try {
      await run();
      results.push({ name, problem: null });
    } catch (error) {
      results.push({
        name,
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  return results;
};
