import { memo, useMemo } from "react";
import { classNames } from "../../ui/class-names.ts";
import styles from "./Ansi.module.css";
import { readOutput } from "./read-output.ts";
import type { Piece } from "./screen.ts";
import type { TextStyle } from "./text-style.ts";

const classOf = (style: TextStyle): string =>
  classNames(
    style.fg && styles[style.reverse ? `${style.fg}Back` : style.fg],
    style.bg && styles[style.reverse ? style.bg : `${style.bg}Back`],
    style.reverse && !style.fg && !style.bg && styles.reverse,
    style.bold && styles.bold,
    style.dim && styles.dim,
    style.italic && styles.italic,
    style.underline && styles.underline,
    style.strike && styles.strike,
    style.hidden && styles.hidden,
  );

const PieceView = ({ piece }: { piece: Piece }) => {
  const name = classOf(piece.style);
  return name === "" ? <>{piece.text}</> : <span className={name}>{piece.text}</span>;
};

interface AnsiProps {
  text: string;
  /** Show only the last lines; absent: all. */
  last?: number;
}

/** Output of a command, in the colours it asked for. Goes inside a `pre`-like element. */
export const Ansi = memo(({ text, last }: AnsiProps) => {
  const lines = useMemo(() => readOutput(text), [text]);
  const shown = last === undefined ? lines : lines.slice(-last);
  return shown.map((line, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
    <span key={index}>
      {line.map((piece, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
        <PieceView key={at} piece={piece} />
      ))}
      {index < shown.length - 1 && "\n"}
    </span>
  ));
});
