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

interface OutputBodyProps {
  result: ToolResult;
  /** Lines before "show all": the last ones of a terminal, the first ones of a file. */
  lines: number;
  look: "terminal" | "code";
  language?: string | null;
}

/** What a tool gave back, as text: a few lines of it, and all of it on demand. */
export const OutputBody = ({ result, lines, look, language = null }: OutputBodyProps) => {
  const { text, length, cut } = textOfResult(result.message.content);
  const whole = useWholeText(result.entryId, cut, text);
  const [all, setAll] = useState(false);
  const body = whole.text.replace(/\n+$/, "");
  const total = lineCount(body);
  const folded = !all && total > lines;
  const shown = folded
    ? look === "terminal" && !whole.cut
      ? lastLines(body, lines)
      : firstLines(body, lines)
    : body;
  const showAll = (): void => {
    setAll(true);
    whole.load();
  };
  return (
    <CardBody term>
      {look === "terminal" ? <Ansi text={shown} /> : <ColouredCode text={shown} language={language} />}
      {(folded || whole.cut) && (
        <div className={styles.more}>
          <LinkButton onClick={showAll} disabled={whole.loading}>
            {whole.cut ? `Show all ${bytes(length)}` : `Show all ${count(total)} lines`}
          </LinkButton>
          {folded &&
            ` ${look === "terminal" && !whole.cut ? "last" : "first"} ${lines} of ${count(total)} lines`}
        </div>
      )}
      {text === "" && <span className={styles.more}>no output</span>}
    </CardBody>
  );
};

const firstLines = (text: string, lines: number): string => text.split("\n").slice(0, lines).join("\n");
const lastLines = (text: string, lines: number): string => text.split("\n").slice(-lines).join("\n");
