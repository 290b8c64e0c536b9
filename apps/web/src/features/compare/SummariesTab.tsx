import { isAncestor } from "@espalier/core";
import type { Comparison } from "@espalier/protocol";
import { useSession } from "../../store/session-context.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Markdown } from "../../view/markdown/Markdown.tsx";
import { useView } from "../../view/view-context.tsx";
import styles from "./Compare.module.css";
import { LETTERS, type Side } from "./compare-words.ts";
import { Tag } from "./Tag.tsx";

const OTHER: Readonly<Record<Side, Side>> = { a: "b", b: "a" };

/** Branch summaries that stand on either branch, or tell of it elsewhere. */
export const SummariesTab = ({ comparison, sides }: { comparison: Comparison; sides: readonly Side[] }) => {
  const { read } = useView();
  const tree = useSession((open) => open.session?.tree);
  return (
    <div className={styles.two} data-columns={sides.length}>
      {sides.map((side) => (
        <section key={side} aria-label={`Summaries of ${side === "a" ? "A" : "B"}`}>
          {comparison[side].summaries.length === 0 && (
            <p className={styles.quiet}>
              <Tag side={side} /> No branch summary stands on this branch or tells of it.
            </p>
          )}
          {comparison[side].summaries.map(({ entryId, text }) => {
            const here = tree === undefined || isAncestor(tree, entryId, comparison[side].end);
            // One that tells of this branch beside it is read there: twice the same text helps nobody.
            const beside = !here && comparison[OTHER[side]].summaries.some((one) => one.entryId === entryId);
            return (
              <article key={entryId} className={styles.summary} aria-label="Branch summary">
                <header>
                  <Tag side={side} />
                  <h3>Branch summary</h3>
                  {!here && (
                    <span className={styles.quiet}>
                      {beside
                        ? `of this branch, stands on ${LETTERS[OTHER[side]]}`
                        : "of this branch, stands elsewhere"}
                    </span>
                  )}
                  {read && <LinkButton onClick={() => read(entryId)}>Show in the transcript</LinkButton>}
                </header>
                {!beside && <Markdown text={text} className={styles.prose ?? ""} />}
              </article>
            );
          })}
        </section>
      ))}
    </div>
  );
};
