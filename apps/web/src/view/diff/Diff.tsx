import { memo, useMemo, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { CodeTokens } from "../code/ColouredCode.tsx";
import { type CodeToken, linesOfTokens } from "../code/code-token.ts";
import { useColours } from "../code/use-colours.ts";
import { count } from "../format.ts";
import styles from "./Diff.module.css";
import { type DiffLine, markWords } from "./diff-lines.ts";

const SIGNS = { add: "+", del: "\u2212", same: " ", gap: " " };
/** Lines shown before "show all". */
const SHOWN = 40;

const Pieces = ({ line }: { line: DiffLine }) =>
  line.pieces.map((piece, index) =>
    // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
    piece.changed ? <mark key={index}>{piece.text}</mark> : piece.text,
  );

const Line = memo(({ line, tokens }: { line: DiffLine; tokens: readonly CodeToken[] | undefined }) => (
  <div className={classNames(styles.line, styles[line.kind])}>
    <span className={styles.number}>{line.number > 0 ? line.number : ""}</span>
    <span className={styles.sign} aria-hidden="true">
      {SIGNS[line.kind]}
    </span>
    {line.kind === "add" && <span className="visually-hidden">added: </span>}
    {line.kind === "del" && <span className="visually-hidden">removed: </span>}
    <span>
      {line.kind === "gap" ? (
        "\u2026"
      ) : line.kind === "same" && tokens ? (
        <CodeTokens tokens={tokens} />
      ) : (
        <Pieces line={line} />
      )}
    </span>
  </div>
));

/** A change of a file, with line numbers and the words that differ. */
export const Diff = ({ lines, language }: { lines: readonly DiffLine[]; language: string | null }) => {
  const [all, setAll] = useState(false);
  const marked = useMemo(() => markWords(lines), [lines]);
  const plain = useMemo(
    () =>
      lines
        .map((line) => (line.kind === "same" ? line.pieces.map((piece) => piece.text).join("") : ""))
        .join("\n"),
    [lines],
  );
  const coloured = useColours(plain, language);
  const tokens = useMemo(() => (coloured ? linesOfTokens(coloured) : null), [coloured]);
  const shown = all ? marked : marked.slice(0, SHOWN);
  return (
    <ScrollBox label="Changes" className={styles.diff} mono>
      <div className={styles.lines}>
        {shown.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
          <Line key={index} line={line} tokens={tokens?.[index]} />
        ))}
      </div>
      {shown.length < marked.length && (
        <div className={styles.more}>
          <LinkButton onClick={() => setAll(true)}>Show all {count(marked.length)} lines</LinkButton>
        </div>
      )}
    </ScrollBox>
  );
};
