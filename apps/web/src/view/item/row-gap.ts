import type { FeedRow } from "./feed-rows.ts";

type Look = "you" | "text" | "card" | "cut" | "quiet";

const lookOf = (row: FeedRow): Look => {
  switch (row.kind) {
    case "answer":
      return "text";
    case "group":
    case "fold":
      return "card";
    case "item":
      switch (row.of.kind) {
        case "user":
          return "you";
        case "orphan":
        case "bash":
        case "unknown":
          return "card";
        case "compaction":
          return "cut";
        case "system":
        case "note":
        case "branch_summary":
        case "mark":
          return "quiet";
      }
  }
};

/** Pixels between two rows: cards in a row stay close, a new turn stands apart. */
export const gapBefore = (before: FeedRow | undefined, row: FeedRow): number => {
  if (!before) return 16;
  const [above, here] = [lookOf(before), lookOf(row)];
  if (here === "card") return above === "card" ? 4 : above === "text" ? 6 : 12;
  if (here === "you") return above === "cut" || above === "quiet" ? 12 : 24;
  if (here === "quiet") return above === "quiet" ? 2 : 12;
  return 12;
};
