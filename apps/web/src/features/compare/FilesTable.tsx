import { type FilePair, pairFiles } from "@espalier/core";
import type { Comparison, FileChange } from "@espalier/protocol";
import { Fragment, useMemo, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { bytes, count, plural, shownPath } from "../../view/format.ts";
import { useView } from "../../view/view-context.tsx";
import styles from "./Compare.module.css";
import { LETTERS, SIDES, type Side } from "./compare-words.ts";
import { SideBySide } from "./SideBySide.tsx";
import { sizeOf } from "./side-lines.ts";
import { Tag } from "./Tag.tsx";

const linesOf = (file: FileChange | null): number => {
  if (file === null) return 0;
  const { added, removed } = sizeOf(file);
  return added + removed;
};

const Size = ({ file, most }: { file: FileChange | null; most: number }) => {
  if (file === null) return <span className={styles.quiet}>untouched</span>;
  if (file.omitted !== undefined) return <span className={styles.quiet}>{bytes(file.omitted)} of text</span>;
  const { added, removed } = sizeOf(file);
  const width = (lines: number): string => (lines === 0 ? "0" : `${Math.max(2, (lines / most) * 92)}px`);
  return (
    <span className={styles.size}>
      <span>
        {added > 0 && <span className={styles.plus}>+{count(added)}</span>}
        {removed > 0 && <span className={styles.minus}>{`\u2212${count(removed)}`}</span>}
        {added + removed === 0 && <span className={styles.quiet}>no change left</span>}
      </span>
      <span className={styles.bar} aria-hidden="true">
        <i data-kind="add" style={{ width: width(added) }} />
        <i data-kind="del" style={{ width: width(removed) }} />
      </span>
    </span>
  );
};

/** Where there is no room the folders give way: a file is known by its name. */
const FilePath = ({ path }: { path: string }) => {
  const name = path.lastIndexOf("/") + 1;
  return (
    <code className={styles.path}>
      <span>{path.slice(0, name)}</span>
      <b>{path.slice(name)}</b>
    </code>
  );
};

const showWord = (pair: FilePair): string =>
  pair.a && pair.b ? "Show" : `Show ${LETTERS[pair.a ? "a" : "b"]}`;

const Opened = ({ pair, sides }: { pair: FilePair; sides: readonly Side[] }) => {
  const told = [pair.a, pair.b].every((file) => file?.omitted === undefined);
  if (!told) return <p className={styles.note}>The texts are too long to be shown here.</p>;
  const touched = SIDES.filter((side) => pair[side] !== null);
  const shown = touched.length === 1 ? touched : sides;
  const written = touched.some((side) => pair[side]?.text != null);
  const known = touched.every((side) => pair[side]?.text != null && pair[side]?.hunks.length === 0);
  return (
    <>
      {pair.same && <p className={styles.note}>Both branches made the same of it.</p>}
      {written && <p className={styles.note}>Written whole: what the file held before is not known.</p>}
      {!known && !pair.same && (
        <p className={styles.note}>The whole text is not known: shown is what the calls replaced.</p>
      )}
      <SideBySide a={pair.a} b={pair.b} sides={pair.same ? ["a"] : shown} />
    </>
  );
};

/** What each branch made of the files, from its calls; what commands did besides is told beside it. */
export const FilesTable = ({ comparison, sides }: { comparison: Comparison; sides: readonly Side[] }) => {
  const { folders } = useView();
  const pairs = useMemo(() => pairFiles(comparison.a.files, comparison.b.files), [comparison]);
  const first = pairs.find((pair) => pair.a !== null && pair.b !== null)?.path;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const most = Math.max(1, ...pairs.flatMap((pair) => [linesOf(pair.a), linesOf(pair.b)]));
  const toggle = (path: string): void =>
    setToggled((before) => {
      const next = new Set(before);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  return (
    <div className={styles.filesBox}>
      <table className={styles.files}>
        <thead>
          <tr>
            <th scope="col">
              <b>Net change by file</b>
              <span className={styles.from}>
                from edit and write calls; changes made by bash are not in it
              </span>
            </th>
            {sides.map((side) => (
              <th key={side} scope="col" className={styles.sizeColumn}>
                <span className={styles.sizeHead}>{LETTERS[side]}</span>
              </th>
            ))}
            <th className={styles.showColumn} aria-label="Show" />
          </tr>
        </thead>
        <tbody>
          {pairs.map((pair) => {
            const open = (pair.path === first) !== toggled.has(pair.path);
            const path = shownPath(pair.path, folders);
            return (
              <Fragment key={pair.path}>
                <tr>
                  <th scope="row" title={pair.path}>
                    <FilePath path={path} />
                  </th>
                  {sides.map((side) => (
                    <td key={side}>
                      <Size file={pair[side]} most={most} />
                    </td>
                  ))}
                  <td>
                    <LinkButton
                      aria-expanded={open}
                      aria-label={`${open ? "Hide" : showWord(pair)}, ${path}`}
                      onClick={() => toggle(pair.path)}
                    >
                      {open ? "Hide" : showWord(pair)}
                    </LinkButton>
                  </td>
                </tr>
                {open && (
                  <tr className={styles.opened}>
                    <td colSpan={2 + sides.length}>
                      <Opened pair={pair} sides={sides} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
      {pairs.length === 0 && <p className={styles.note}>Neither branch changed a file with these calls.</p>}
      <Commands comparison={comparison} />
    </div>
  );
};

/** Shell commands that may have changed files besides. */
const Commands = ({ comparison }: { comparison: Comparison }) => {
  const total = comparison.a.commandCount + comparison.b.commandCount;
  if (total === 0) return null;
  return (
    <details className={styles.commands}>
      <summary>{plural(total, "shell command")} may have changed files besides</summary>
      <ul>
        {SIDES.flatMap((side) =>
          comparison[side].commands.map(({ entryId, command }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- one step may run the same command twice
            <li key={`${side}:${entryId}:${index}`}>
              <Tag side={side} />
              <code>{command}</code>
            </li>
          )),
        )}
      </ul>
    </details>
  );
};
