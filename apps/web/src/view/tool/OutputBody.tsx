import type { ToolResult } from "@espalier/protocol";
import { useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { Ansi } from "../ansi/Ansi.tsx";
import { ColouredCode } from "../code/ColouredCode.tsx";
import { bytes, count } from "../format.ts";
import styles from "./Card.module.css";
import { CardBody } from "./CardFrame.tsx";
import { textOfResult } from "./tool-text.ts";
import { useWholeText } from "./use-whole-text.ts";

const lineCount = (text: string): number => text.replace(/\n$/, "").split("\n").length;

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
  const [all, setAll] = useState(false);
  const body = text.replace(/\n+$/, "");
  const total = lineCount(body);
  const folded = !all && total > lines;
  const fromEnd = look === "terminal" && rest === null;
  const shown = folded ? (fromEnd ? lastLines(body, lines) : firstLines(body, lines)) : body;
  const showAll = (): void => {
    setAll(true);
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

const firstLines = (text: string, lines: number): string => text.split("\n").slice(0, lines).join("\n");
const lastLines = (text: string, lines: number): string => text.split("\n").slice(-lines).join("\n");
