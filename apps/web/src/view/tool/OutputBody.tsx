import type { ToolResult } from "@espalier/protocol";
import { useMemo, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { Ansi } from "../ansi/Ansi.tsx";
import { ColouredCode } from "../code/ColouredCode.tsx";
import { bytes, count } from "../format.ts";
import styles from "./Card.module.css";
import { CardBody } from "./CardFrame.tsx";
import { textOfResult } from "./tool-text.ts";
import { useWholeText } from "./use-whole-text.ts";

const lineCount = (text: string): number => text.replace(/\n$/, "").split("\n").length;

/** What is added at a time of a long output: drawing more at once would be felt. A page ends after either. */
const PAGE_LINES = 5_000;
const PAGE_CHARS = 300_000;

/** Where the first pages of a text end, in characters. */
const endOfPages = (text: string, pages: number): number => {
  let end = 0;
  for (let page = 0; page < pages && end < text.length; page += 1) {
    const most = end + PAGE_CHARS;
    for (let line = 0; line < PAGE_LINES && end < most && end < text.length; line += 1) {
      const next = text.indexOf("\n", end);
      end = next < 0 ? text.length : next + 1;
    }
    // One line may be longer than a page.
    end = Math.min(end, most, text.length);
  }
  return end;
};

interface TextOutputProps {
  text: string;
  /** Lines before "show all": the last ones of a terminal, the first ones of a file. */
  lines: number;
  look: "terminal" | "code";
  language?: string | null;
  /** More of the text is on the server: its whole length, and how to get it. */
  rest?: { readonly length: number; readonly loading: boolean; readonly load: () => void } | null;
  note?: string | undefined;
}

/** Output as text: a few lines of it, and all of it on demand. */
export const TextOutput = ({ text, lines, look, language = null, rest = null, note }: TextOutputProps) => {
  const [pages, setPages] = useState(0);
  const all = pages > 0;
  const body = text.replace(/\n+$/, "");
  const total = useMemo(() => lineCount(body), [body]);
  const folded = !all && total > lines;
  const fromEnd = look === "terminal" && rest === null;
  const end = useMemo(() => endOfPages(body, Math.max(1, pages)), [body, pages]);
  const shown = folded ? (fromEnd ? lastLines(body, lines) : firstLines(body, lines)) : body.slice(0, end);
  const showAll = (): void => {
    setPages(1);
    rest?.load();
  };
  return (
    <CardBody term>
      {look === "terminal" ? <Ansi text={shown} /> : <ColouredCode text={shown} language={language} />}
      {(folded || rest !== null) && (
        <div className={styles.more}>
          <LinkButton onClick={showAll} disabled={rest?.loading}>
            {rest ? `Show all ${bytes(rest.length)}` : `Show all ${count(total)} lines`}
          </LinkButton>
          {folded &&
            (rest === null
              ? ` ${fromEnd ? "last" : "first"} ${lines} of ${count(total)} lines`
              : ` first ${lines} lines`)}
        </div>
      )}
      {!folded && rest === null && end < body.length && (
        <div className={styles.more}>
          <LinkButton onClick={() => setPages(Math.max(1, pages) + 1)}>
            Show the next {count(PAGE_LINES)} lines
          </LinkButton>{" "}
          {bytes(end)} of {bytes(body.length)}
        </div>
      )}
      {text === "" && <span className={styles.more}>no output</span>}
      {note !== undefined && <div className={styles.more}>{note}</div>}
    </CardBody>
  );
};

interface OutputBodyProps {
  result: ToolResult;
  lines: number;
  look: "terminal" | "code";
  language?: string | null;
}

/** What a tool gave back. */
export const OutputBody = ({ result, lines, look, language = null }: OutputBodyProps) => {
  const { text, length, cut } = textOfResult(result.message.content);
  const { text: whole, cut: isCut, loading, load } = useWholeText(result.entryId, cut, text);
  return (
    <TextOutput
      text={whole}
      lines={lines}
      look={look}
      language={language}
      rest={isCut ? { length, loading, load } : null}
    />
  );
};

/** Characters of one folded output: a line may be as long as its writer liked. */
const FOLDED_CHARS = 20_000;

const firstLines = (text: string, lines: number): string =>
  text.split("\n", lines).join("\n").slice(0, FOLDED_CHARS);
const lastLines = (text: string, lines: number): string =>
  text.split("\n").slice(-lines).join("\n").slice(-FOLDED_CHARS);
