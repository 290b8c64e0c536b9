import { createTwoFilesPatch, diffLines } from "diff";
import { linesOf } from "./truncate-output.ts";

/** What a result says about a changed file; pi's field names. */
export interface EditDetails {
  /** For the eye: a sign, the line number (old for removed lines, else new), the text; "..." for what is left out. */
  readonly diff: string;
  /** Unified diff, for programs. */
  readonly patch: string;
  /** In the new text, counted from 1. */
  readonly firstChangedLine: number | undefined;
}

/** Unchanged lines shown on each side of a change. */
const CONTEXT = 4;

interface Part {
  readonly kind: "same" | "add" | "del";
  readonly lines: readonly string[];
}

const partsOf = (before: string, after: string): Part[] =>
  diffLines(before, after).map(({ added, removed, value }) => ({
    kind: added ? "add" : removed ? "del" : "same",
    lines: linesOf(value),
  }));

/** The lines of an unchanged part that stand near a change; null marks the gap. */
const near = (lines: readonly string[], isFirst: boolean, isLast: boolean): (string | null)[] => {
  const head = isFirst ? 0 : CONTEXT;
  const tail = isLast ? 0 : CONTEXT;
  if (lines.length <= head + tail) return [...lines];
  return [...lines.slice(0, head), null, ...lines.slice(lines.length - tail)];
};

const displayDiff = (parts: readonly Part[], width: number): string => {
  const rows: string[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (const [at, part] of parts.entries()) {
    if (part.kind !== "same") {
      for (const line of part.lines) {
        const number = part.kind === "del" ? oldLine++ : newLine++;
        rows.push(`${part.kind === "del" ? "-" : "+"}${String(number).padStart(width)} ${line}`);
      }
      continue;
    }
    const shown = near(part.lines, at === 0, at === parts.length - 1);
    const skipped = part.lines.length - shown.filter((line) => line !== null).length;
    for (const line of shown) {
      const count = line === null ? skipped : 1;
      rows.push(line === null ? ` ${"".padStart(width)} ...` : ` ${String(newLine).padStart(width)} ${line}`);
      oldLine += count;
      newLine += count;
    }
  }
  return rows.join("\n");
};

const firstChange = (parts: readonly Part[]): number | undefined => {
  if (parts.every((part) => part.kind === "same")) return undefined;
  return parts[0]?.kind === "same" ? parts[0].lines.length + 1 : 1;
};

/** Compares two texts by lines. `path` heads the unified diff. */
export const editDetails = (path: string, before: string, after: string): EditDetails => {
  const parts = partsOf(before, after);
  const width = String(Math.max(linesOf(before).length, linesOf(after).length)).length;
  return {
    diff: displayDiff(parts, width),
    patch: createTwoFilesPatch(path, path, before, after, undefined, undefined, { context: CONTEXT }),
    firstChangedLine: firstChange(parts),
  };
};
