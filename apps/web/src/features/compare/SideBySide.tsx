import type { FileChange } from "@espalier/protocol";
import { useMemo, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { count } from "../../view/format.ts";
import styles from "./Compare.module.css";
import { LETTERS, type Side } from "./compare-words.ts";
import { type SideRow, sideRows } from "./side-lines.ts";

/** Lines shown before "show all". */
const SHOWN = 16;

const WORDS = { only: "here only: ", added: "added: ", gone: "replaced: ", same: "", gap: "" } as const;

const Column = ({ rows, side }: { rows: readonly SideRow[]; side: Side }) => (
  <ScrollBox label={`Lines of ${LETTERS[side]}`} className={styles.column} mono>
    <div className={styles.columnLines}>
      {rows.map((row, index) => {
        const line = row[side];
        return (
          // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: lines are not reordered
          <div key={index} data-kind={line?.kind ?? "none"} data-side={side} className={styles.sideLine}>
            <span className={styles.lineNumber}>{line && line.number > 0 ? line.number : ""}</span>
            {line && WORDS[line.kind] !== "" && <span className="visually-hidden">{WORDS[line.kind]}</span>}
            <span>{line === null ? "" : line.kind === "gap" ? "\u2026" : line.text}</span>
          </div>
        );
      })}
    </div>
  </ScrollBox>
);

/** What two branches made of one file, line beside line. */
export const SideBySide = ({
  a,
  b,
  sides,
}: {
  a: FileChange | null;
  b: FileChange | null;
  sides: readonly Side[];
}) => {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => sideRows(a, b), [a, b]);
  const shown = all ? rows : rows.slice(0, SHOWN);
  if (rows.length === 0) return <p className={styles.note}>Nothing differs.</p>;
  return (
    <div>
      <div className={styles.sideBySide} data-columns={sides.length}>
        {sides.map((side) => (
          <Column key={side} rows={shown} side={side} />
        ))}
      </div>
      {shown.length < rows.length && (
        <p className={styles.more}>
          <LinkButton onClick={() => setAll(true)}>Show all {count(rows.length)} lines</LinkButton>
        </p>
      )}
    </div>
  );
};
