import type { Token } from "marked";
import { memo, useMemo, useState } from "react";
import { classNames } from "../../ui/class-names.ts";
import { BlockView } from "./Block.tsx";
import styles from "./Markdown.module.css";
import { GrowingBlocks, parseBlocks } from "./parse-blocks.ts";

interface MarkdownProps {
  text: string;
  /** The text still grows: blocks that are whole are kept, and a caret stands at the end. */
  growing?: boolean;
  className?: string;
}

const isDrawn = (token: Token): boolean => token.type !== "space" && token.type !== "def";

/**
 * Markdown of a model or a person as React nodes. No HTML is interpreted, no image is fetched, and only http, https and mailto
 * links can be followed.
 */
export const Markdown = memo(({ text, growing = false, className }: MarkdownProps) => {
  const [growingBlocks] = useState(() => new GrowingBlocks());
  const blocks = useMemo(
    () => (growing ? growingBlocks.update(text) : parseBlocks(text)).filter(isDrawn),
    [text, growing, growingBlocks],
  );
  return (
    <div className={classNames(styles.prose, className)} data-growing={growing || undefined}>
      {blocks.map((token, index) => (
        // Blocks are only ever added at the end, so the place of a block is its identity.
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
        <BlockView key={index} token={token} growing={growing && index === blocks.length - 1} />
      ))}
      {growing && blocks.length === 0 && <span className={styles.caret} />}
    </div>
  );
});
