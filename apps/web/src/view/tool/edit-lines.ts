import type { ToolCallContent, ToolResult } from "@espalier/protocol";
import { compareTexts, type DiffLine, readPiDiff } from "../diff/diff-lines.ts";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const pairsOf = (args: Readonly<Record<string, unknown>>): { before: string; after: string }[] => {
  const edits = Array.isArray(args.edits) ? args.edits.filter(isRecord) : [args];
  return edits.flatMap(({ oldText, newText }) =>
    typeof oldText === "string" || typeof newText === "string"
      ? [{ before: text(oldText), after: text(newText) }]
      : [],
  );
};

/** What an edit did: the diff that came with its result, else what its arguments replace. */
export const editLines = (call: ToolCallContent, result: ToolResult | null): DiffLine[] => {
  const details = result?.message.details;
  const diff = isRecord(details) && typeof details.diff === "string" ? readPiDiff(details.diff) : null;
  if (diff) {
    // The marks of what is left out above the first and below the last line say nothing.
    const start = diff[0]?.kind === "gap" ? 1 : 0;
    const end = diff.at(-1)?.kind === "gap" ? diff.length - 1 : diff.length;
    return diff.slice(start, end);
  }
  return pairsOf(call.arguments).flatMap(({ before, after }, index): DiffLine[] => [
    ...(index > 0 ? [{ kind: "gap", number: 0, pieces: [] } as const] : []),
    ...compareTexts(before, after),
  ]);
};
