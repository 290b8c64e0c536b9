import type { EntryOf } from "@espalier/protocol";
import type { ContextMessage } from "../context/context-message.ts";

/** Files that summarised work touched: `readFiles` were only read. Both sorted. */
export interface TouchedFiles {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
}

const textsOf = (details: unknown, key: keyof TouchedFiles): string[] => {
  const list =
    typeof details === "object" && details !== null ? (details as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) ? list.filter((path): path is string => typeof path === "string") : [];
};

/** Everything that was read, and everything that was written; a file can be in both. */
export interface FileOperations {
  readonly read: ReadonlySet<string>;
  readonly modified: ReadonlySet<string>;
}

/** An entry that may remember files of the work it stands for. */
type Remembering = EntryOf<"compaction"> | EntryOf<"branch_summary">;

/**
 * Files named by calls of read, write and edit, together with those that earlier summaries remembered (unless a plugin made
 * them: then their details have a meaning of their own).
 */
export const fileOperations = (
  messages: readonly ContextMessage[],
  earlier: readonly Remembering[],
): FileOperations => {
  const kept = earlier.flatMap(({ fromHook, details }) => (fromHook === true ? [] : [details]));
  const read = new Set(kept.flatMap((details) => textsOf(details, "readFiles")));
  const modified = new Set(kept.flatMap((details) => textsOf(details, "modifiedFiles")));
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall") continue;
      const path: unknown = block.arguments?.path;
      if (typeof path !== "string") continue;
      if (block.name === "read") read.add(path);
      if (block.name === "write" || block.name === "edit") modified.add(path);
    }
  }
  return { read, modified };
};

/** The same as a compaction stores it. */
export const touchedFiles = ({ read, modified }: FileOperations): TouchedFiles => ({
  readFiles: [...read].filter((path) => !modified.has(path)).sort(byCodeUnits),
  modifiedFiles: [...modified].sort(byCodeUnits),
});

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
