import { memo } from "react";
import { visibleText } from "../visible-text.ts";
import styles from "./Code.module.css";
import type { CodeToken } from "./code-token.ts";
import { useColours } from "./use-colours.ts";

export const CodeTokens = ({ tokens }: { tokens: readonly CodeToken[] }) =>
  tokens.map((token, index) =>
    token.colour === undefined ? (
      visibleText(token.text)
    ) : (
      // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
      <span key={index} className={styles[token.colour]}>
        {visibleText(token.text)}
      </span>
    ),
  );

/** Code in colours, once they are there. */
export const ColouredCode = memo(({ text, language }: { text: string; language: string | null }) => {
  const tokens = useColours(text, language);
  return tokens ? <CodeTokens tokens={tokens} /> : <>{visibleText(text)}</>;
});
