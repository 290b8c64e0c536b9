import { type Fact, factsOfText } from "@espalier/core";
import { diffWordsWithSpace } from "diff";
import { type ReactNode, useMemo, useState } from "react";
import { Segments } from "../../ui/Segments.tsx";
import { count } from "../../view/format.ts";
import { Markdown } from "../../view/markdown/Markdown.tsx";
import styles from "./Compaction.module.css";

type Look = "rendered" | "raw" | "diff";

/** Summaries longer than this are compared line by line in effect: words would take seconds. */
const LONGEST_DIFF = 60_000;

const Changes = ({ before, after }: { before: string; after: string }) => {
  const pieces = useMemo(
    () =>
      before.length + after.length > LONGEST_DIFF
        ? [
            { value: before, removed: true, added: false },
            { value: after, removed: false, added: true },
          ]
        : diffWordsWithSpace(before, after),
    [before, after],
  );
  return (
    <pre className={styles.raw}>
      {pieces.map(({ value, added, removed }, index) => {
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
        if (added) return <ins key={index}>{value}</ins>;
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
        if (removed) return <del key={index}>{value}</del>;
        return value;
      })}
    </pre>
  );
};

/** The lines of a summary, those that name what was chosen lit. */
const Lit = ({ text, facts }: { text: string; facts: readonly Fact[] }): ReactNode => {
  const wanted = facts.map((fact) => fact.text).filter((each) => each.length > 2);
  return (
    <pre className={styles.raw}>
      {text.split("\n").map((line, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: lines are not reordered
        <span key={index} className={wanted.some((each) => line.includes(each)) ? styles.lit : undefined}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
};

interface SummaryColumnProps {
  summary: string;
  /** The summary before it on this path; null for the first. */
  previous: string | null;
  /** Text of the item that was chosen on a side; its lines are lit. Null: none is. */
  lit: string | null;
}

/** What stands for everything that was summarised. */
export const SummaryColumn = ({ summary, previous, lit }: SummaryColumnProps) => {
  const [look, setLook] = useState<Look>("rendered");
  const facts = useMemo(() => (lit === null ? [] : factsOfText(lit)), [lit]);
  const shown = lit !== null && look === "rendered" ? "raw" : look;
  return (
    <section className={styles.middle} aria-label="Summary">
      <header className={styles.columnHead}>
        <h2>Summary</h2>
        <span className={styles.columnFacts}>{count(summary.length)} characters</span>
        <Segments
          label="How the summary is shown"
          choices={[
            { name: "rendered", title: "Rendered" },
            { name: "raw", title: "Raw" },
            ...(previous === null ? [] : [{ name: "diff" as const, title: "Diff" }]),
          ]}
          value={look}
          onChange={setLook}
        />
      </header>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="Summary, text">
        {shown === "rendered" && <Markdown text={summary} />}
        {shown === "raw" && <Lit text={summary} facts={facts} />}
        {shown === "diff" && <Changes before={previous ?? ""} after={summary} />}
      </div>
    </section>
  );
};
