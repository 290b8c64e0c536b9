import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright/test";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Accessibility faults by WCAG 2.1 A and AA, as short lines. The script is put in by the test's own debugger, beside the page's policy. */
export const faults = async (page: Page): Promise<string[]> => {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const found = (await page.evaluate(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }).then(({ violations }) => violations)',
  )) as Violation[];
  return found.map(({ id, nodes }) => {
    const told = nodes.map(({ html, failureSummary }) => `${html.slice(0, 120)} ${failureSummary ?? ""}`);
    return `${id}: ${told.slice(0, 3).join(" | ")}`;
  });
};
