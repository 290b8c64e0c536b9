import { type FactKind, type SurvivalReport, verbatimLines, withVerbatim } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useState } from "react";
import { useShown } from "../../store/session-context.tsx";
import { Button, LinkButton } from "../../ui/Button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { count, plural } from "../../view/format.ts";
import styles from "./Compaction.module.css";

const NAMES: readonly (readonly [FactKind, string])[] = [
  ["path", "paths"],
  ["command", "commands"],
  ["identifier", "identifiers"],
  ["number", "numbers"],
  ["error", "errors"],
];
/** What is missing that is shown before somebody asks for all. */
const FEW = 6;
const MANY = 300;

interface SurvivalBarProps {
  id: EntryId;
  summary: string;
  report: SurvivalReport;
}

/** How much of what was put away the summary still names, by kind, and what it does not. */
export const SurvivalBar = ({ id, summary, report }: SurvivalBarProps) => {
  const { actions, show } = useShown();
  const [all, setAll] = useState(false);
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const toggle = (text: string): void =>
    setWanted((before) =>
      before.has(text) ? new Set([...before].filter((one) => one !== text)) : new Set([...before, text]),
    );
  const keep = async (): Promise<void> => {
    const lines = [...verbatimLines(summary), ...wanted];
    if (!(await actions.resummarise(id, { summary: withVerbatim(summary, lines) }))) return;
    showToast("The summary holds these lines word for word now, and later ones will.");
    show(null);
  };
  const { missing } = report;
  return (
    <footer className={styles.survival}>
      <p className={styles.kinds}>
        <span>Survived</span>
        {NAMES.map(([kind, name]) => {
          const { found, partly, total } = report.kinds[kind];
          return (
            <span key={kind} title={partly > 0 ? `${partly} more in part` : undefined}>
              {name} <b>{count(found)}</b> of {count(total)}
              <i className={styles.share} aria-hidden="true">
                <i style={{ width: `${total === 0 ? 0 : (found / total) * 100}%` }} />
              </i>
            </span>
          );
        })}
        <span className={styles.how}>by text match</span>
      </p>
      {missing.length > 0 && (
        <div className={styles.missingRow} data-all={all || undefined}>
          <span>Not found</span>
          {missing.slice(0, all ? MANY : FEW).map(({ kind, text }) => (
            <label key={`${kind} ${text}`} className={styles.fact} title={`A ${kind}: ${text}`}>
              <input type="checkbox" checked={wanted.has(text)} onChange={() => toggle(text)} />
              <code>{text}</code>
            </label>
          ))}
          {missing.length > FEW && (
            <LinkButton aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? "Fewer" : `All ${plural(missing.length, "thing")}`}
            </LinkButton>
          )}
          {wanted.size > 0 && (
            <Button className={styles.keep} onClick={() => void keep()}>
              Keep {wanted.size} verbatim
            </Button>
          )}
        </div>
      )}
    </footer>
  );
};
