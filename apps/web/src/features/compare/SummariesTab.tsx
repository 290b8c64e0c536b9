import { isAncestor } from "@espalier/core";
import type { Comparison } from "@espalier/protocol";
import { useSession } from "../../store/session-context.tsx";
import { LinkButton } from "../../ui/Button.tsx";
import { Markdown } from "../../view/markdown/Markdown.tsx";
import { useView } from "../../view/view-context.tsx";
import styles from "./Compare.module.css";
import type { Side } from "./compare-words.ts";
import { Tag } from "./Tag.tsx";

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
          {comparison[side].summaries.map(({ entryId, text }) => (
            <article key={entryId} className={styles.summary} aria-label="Branch summary">
              <header>
                <Tag side={side} />
                <h3>Branch summary</h3>
                <span className={styles.quiet}>
                  {tree && isAncestor(tree, entryId, comparison[side].end)
                    ? ""
                    : "elsewhere, tells of this branch"}
                </span>
                {read && <LinkButton onClick={() => read(entryId)}>Show in the transcript</LinkButton>}
              </header>
              <Markdown text={text} className={styles.prose ?? ""} />
            </article>
          ))}
        </section>
      ))}
    </div>
  );
};
