import type { Folders } from "../format.ts";
import { subjectOf } from "../tool/tool-text.ts";
import { wordsOf } from "./content-text.ts";
import type { FeedRow } from "./feed-rows.ts";

const short = (text: string): string =>
  (text.length > 80 ? `${text.slice(0, 80).toWellFormed()}\u2026` : text).trim();

/** The accessible name of a row of the transcript. */
export const rowName = (row: FeedRow, folders: Folders): string => {
  switch (row.kind) {
    case "answer":
      return "Assistant";
    case "group": {
      const { group } = row;
      if (group.kind === "unknown") return "Unrecognised block";
      if (group.kind === "orphaned_result")
        return `Result of ${group.result.message.toolName} without its call`;
      const name = `${group.use.call.name} ${short(subjectOf(group.use.call, folders))}`;
      return group.kind === "missing_results" ? `${name}, no result` : name;
    }
    case "fold":
      return `${row.groups.length} calls that only looked`;
    case "item":
      return itemName(row.of);
  }
};

const itemName = (item: Extract<FeedRow, { kind: "item" }>["of"]): string => {
  switch (item.kind) {
    case "user":
      return `You: ${item.entry.message.role === "user" ? short(wordsOf(item.entry.message.content)) : ""}`;
    case "orphan":
      return "Result without its call";
    case "bash":
      return "Command of yours";
    case "system":
      return "System prompt";
    case "note":
      return "Note of a program";
    case "compaction":
      return "Compaction";
    case "branch_summary":
      return "Branch summary";
    case "mark":
      return "Mark";
    case "unknown":
      return "Unrecognised entry";
  }
};
