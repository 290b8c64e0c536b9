import type { PathItem } from "@espalier/protocol";
import { memo } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { ErrorBoundary } from "../../ui/ErrorBoundary.tsx";
import { ToolCard } from "../tool/ToolCard.tsx";
import { AnswerItem } from "./AnswerItem.tsx";
import { FoldItem } from "./FoldItem.tsx";
import type { FeedRow } from "./feed-rows.ts";
import styles from "./Item.module.css";
import {
  BashItem,
  BranchSummaryItem,
  CompactionItem,
  MarkItem,
  NoteItem,
  SystemItem,
  UnknownItem,
} from "./OtherItems.tsx";
import { UserItem } from "./UserItem.tsx";

const Item = ({ item, compaction }: { item: Exclude<PathItem, { kind: "step" }>; compaction: number }) => {
  switch (item.kind) {
    case "user":
      return <UserItem item={item} />;
    case "orphan":
      return <ToolCard group={item.group} batch={{ total: 1, complete: 0 }} />;
    case "bash":
      return <BashItem item={item} />;
    case "system":
      return <SystemItem item={item} />;
    case "note":
      return <NoteItem item={item} />;
    case "compaction":
      return <CompactionItem item={item} number={compaction} />;
    case "branch_summary":
      return <BranchSummaryItem item={item} />;
    case "mark":
      return <MarkItem item={item} />;
    case "unknown":
      return <UnknownItem item={item} />;
  }
};

const Row = ({ row, compaction }: RowViewProps) => {
  switch (row.kind) {
    case "item":
      return <Item item={row.of} compaction={compaction} />;
    case "answer":
      return <AnswerItem item={row.of} />;
    case "group": {
      const complete = row.of.groups.filter((group) => group.kind === "complete").length;
      return <ToolCard group={row.group} batch={{ total: row.of.groups.length, complete }} />;
    }
    case "fold":
      return <FoldItem groups={row.groups} />;
  }
};

interface RowViewProps {
  row: FeedRow;
  /** Number of the compaction on its path, from 1; used by a compaction only. */
  compaction: number;
}

/** One row of the transcript. What goes wrong while drawing it stays inside it. */
export const RowView = memo(({ row, compaction }: RowViewProps) => (
  <ErrorBoundary
    of={row}
    fallback={(error, again) => (
      <div className={styles.broken} role="note">
        This entry cannot be shown: {error.message} <LinkButton onClick={again}>Try again</LinkButton>
      </div>
    )}
  >
    <Row row={row} compaction={compaction} />
  </ErrorBoundary>
));
