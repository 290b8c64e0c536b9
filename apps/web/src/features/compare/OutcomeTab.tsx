import type { Comparison, PathItem } from "@espalier/protocol";
import { LinkButton } from "../../ui/Button.tsx";
import { timeOfDay } from "../../view/format.ts";
import { Markdown } from "../../view/markdown/Markdown.tsx";
import { ToolCard } from "../../view/tool/ToolCard.tsx";
import { useView } from "../../view/view-context.tsx";
import styles from "./Compare.module.css";
import { endingOf, type Side } from "./compare-words.ts";
import { FilesTable } from "./FilesTable.tsx";
import { Tag } from "./Tag.tsx";

/** Words of an answer, and the calls of it that never came back. */
const Answer = ({ item }: { item: PathItem | null }) => {
  const { read } = useView();
  if (item?.kind !== "step" || item.entry.message.role !== "assistant")
    return <p className={styles.quiet}>Nobody answered on this branch.</p>;
  const texts = item.entry.message.content.filter((block) => block.type === "text");
  const text = texts.map((block) => block.text).join("\n\n");
  const open = item.groups.filter(({ kind }) => kind === "missing_results");
  const complete = item.groups.filter(({ kind }) => kind === "complete").length;
  return (
    <>
      {text.trim() === "" ? (
        <p className={styles.quiet}>No words, only calls.</p>
      ) : (
        <Markdown text={text} className={styles.prose ?? ""} />
      )}
      {texts.some(({ elided }) => elided !== undefined) && read && (
        <LinkButton onClick={() => read(item.id)}>Read all of it in the transcript</LinkButton>
      )}
      {open.length > 0 && (
        <div className={styles.openCalls}>
          {open.map((group, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- calls of one step keep their places, and ids repeat
            <ToolCard key={index} group={group} batch={{ total: item.groups.length, complete }} />
          ))}
        </div>
      )}
    </>
  );
};

/** How both branches ended: their last answers beside each other, and what became of the files. */
export const OutcomeTab = ({ comparison, sides }: { comparison: Comparison; sides: readonly Side[] }) => (
  <>
    <div className={styles.two} data-columns={sides.length}>
      {sides.map((side) => {
        const ending = endingOf(comparison[side]);
        const time = Date.parse(comparison.last[side]?.entry.timestamp ?? "");
        return (
          <section key={side} aria-label={`Last answer of ${side === "a" ? "A" : "B"}`}>
            <header>
              <Tag side={side} />
              <h3>Last answer</h3>
              <span className={styles.quiet}>
                {[Number.isFinite(time) ? timeOfDay(time) : "", ending]
                  .filter((part) => part !== "")
                  .join(", ")}
              </span>
            </header>
            <Answer item={comparison.last[side]} />
          </section>
        );
      })}
    </div>
    <FilesTable comparison={comparison} sides={sides} />
  </>
);
