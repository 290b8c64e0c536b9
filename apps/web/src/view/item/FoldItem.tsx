import { Layers } from "lucide-react";
import { fineCount, plural } from "../format.ts";
import styles from "../tool/Card.module.css";
import { CardFrame } from "../tool/CardFrame.tsx";
import { ToolCard } from "../tool/ToolCard.tsx";
import { kindOfTool } from "../tool/tool-look.ts";
import { textOfResult } from "../tool/tool-text.ts";
import { useFolded } from "../use-folded.ts";
import type { CompleteGroup } from "./feed-rows.ts";

const says = (groups: readonly CompleteGroup[]): string => {
  const kinds = groups.map((group) => kindOfTool(group.use.call.name));
  const number = (kind: string) => kinds.filter((known) => known === kind).length;
  return [
    number("read") > 0 && plural(number("read"), "read"),
    number("search") > 0 && plural(number("search"), "search", "searches"),
    number("list") > 0 && plural(number("list"), "listing"),
  ]
    .filter(Boolean)
    .join(", ");
};

const names = (groups: readonly CompleteGroup[]): string => {
  const found = new Set(
    groups.map(({ use }) => {
      const { path, pattern } = use.call.arguments;
      const name = typeof path === "string" ? path : typeof pattern === "string" ? pattern : "";
      return name.slice(name.lastIndexOf("/") + 1);
    }),
  );
  const list = [...found].filter((name) => name !== "");
  return list.length > 2 ? `${list.slice(0, 2).join(", ")}, ${list.length - 2} more` : list.join(", ");
};

/** Several calls in a row that only looked around, as one line. */
export const FoldItem = ({ groups }: { groups: readonly CompleteGroup[] }) => {
  const [open, toggle] = useFolded("tools", false);
  const tokens = groups.reduce(
    (sum, group) => sum + textOfResult(group.result.message.content).length / 4,
    0,
  );
  return (
    <CardFrame
      variant="fold"
      icon={Layers}
      name={says(groups)}
      subject={names(groups)}
      words
      open={open}
      onToggle={toggle}
      result={
        <span className={styles.time}>
          {fineCount(tokens)}
          <span className={styles.wide}> tokens</span>
        </span>
      }
    >
      <div className={styles.folded}>
        {groups.map((group) => (
          <ToolCard
            key={`${group.use.entryId}:${group.use.index}`}
            group={group}
            batch={{ total: 1, complete: 1 }}
          />
        ))}
      </div>
    </CardFrame>
  );
};
