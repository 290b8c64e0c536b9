import type { Token, Tokens } from "marked";
import { createElement, memo, type ReactNode } from "react";
import { CodeBlock } from "../code/CodeBlock.tsx";
import { decodeEntities } from "./entities.ts";
import { InlineTokens } from "./Inline.tsx";
import styles from "./Markdown.module.css";

/** Quotes and lists nested deeper than this are shown as they were written. */
const DEEPEST = 24;

interface BlockProps {
  token: Token;
  depth?: number;
  /** This block still grows: a caret stands at its end. */
  growing?: boolean;
}

/** One block, not drawn again while its token stays the same. */
export const BlockView = memo(({ token, depth = 0, growing = false }: BlockProps) => {
  if (depth > DEEPEST) return <p className={styles.raw}>{token.raw}</p>;
  const caret = growing ? <span className={styles.caret} /> : null;
  const known = token as Tokens.Generic;
  switch (known.type) {
    case "paragraph":
      return (
        <p dir="auto">
          <InlineTokens tokens={(token as Tokens.Paragraph).tokens} />
          {caret}
        </p>
      );
    case "text":
      return (
        <>
          <Text token={token as Tokens.Text} />
          {caret}
        </>
      );
    case "heading":
      return heading(token as Tokens.Heading, caret);
    case "code":
      return (
        <CodeBlock text={(token as Tokens.Code).text} lang={langOf(token as Tokens.Code)} growing={growing} />
      );
    case "list":
      return <List list={token as Tokens.List} depth={depth} growing={growing} />;
    case "blockquote":
      return (
        <blockquote dir="auto">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} depth={depth + 1} growing={growing} />
        </blockquote>
      );
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "checkbox":
      return (
        <input
          type="checkbox"
          checked={(token as Tokens.Checkbox).checked}
          disabled
          readOnly
          aria-label="done"
        />
      );
    case "html":
      return <p className={styles.raw}>{token.raw.trimEnd()}</p>;
    default:
      return null;
  }
});

const langOf = (token: Tokens.Code): string => decodeEntities(/^\S*/.exec(token.lang ?? "")?.[0] ?? "");

const heading = (token: Tokens.Heading, caret: ReactNode) =>
  // A heading inside a message is below the page's own headings.
  createElement(
    `h${Math.min(6, token.depth + 2)}`,
    { className: styles.heading, dir: "auto", "data-depth": token.depth },
    <InlineTokens tokens={token.tokens} />,
    caret,
  );

const Text = ({ token }: { token: Tokens.Text }) =>
  token.tokens ? <InlineTokens tokens={token.tokens} /> : <>{decodeEntities(token.text)}</>;

const Blocks = ({ tokens, depth, growing }: { tokens: readonly Token[]; depth: number; growing: boolean }) =>
  tokens.map((token, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
    <BlockView key={index} token={token} depth={depth} growing={growing && index === tokens.length - 1} />
  ));

const List = ({ list, depth, growing }: { list: Tokens.List; depth: number; growing: boolean }) => {
  const items = list.items.map((item, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
    <li key={index} dir="auto" data-task={item.task || undefined}>
      <Blocks tokens={item.tokens} depth={depth + 1} growing={growing && index === list.items.length - 1} />
    </li>
  ));
  return list.ordered ? (
    <ol {...(list.start === 1 || list.start === "" ? {} : startAt(list.start))}>{items}</ol>
  ) : (
    <ul>{items}</ul>
  );
};

const startAt = (start: number) => ({ start, style: { counterReset: `item ${start - 1}` } });

const alignment = (align: Tokens.TableCell["align"]) => (align === null ? {} : { "data-align": align });

const Table = ({ table }: { table: Tokens.Table }) => (
  <div className={styles.tableScroll}>
    <table>
      <thead>
        <tr>
          {table.header.map((cell, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
            <th key={index} dir="auto" {...alignment(cell.align)}>
              <InlineTokens tokens={cell.tokens} />
            </th>
          ))}
        </tr>
      </thead>
      {table.rows.length > 0 && (
        <tbody>
          {table.rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
            <tr key={index}>
              {row.map((cell, column) => (
                // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
                <td key={column} dir="auto" {...alignment(cell.align)}>
                  <InlineTokens tokens={cell.tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      )}
    </table>
  </div>
);
