import type { FactKind, SurvivalReport } from "@espalier/core";
import { useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { copyText } from "../../view/copy-text.ts";
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

/** How much of what was put away the summary still names, by kind, and what it does not. */
export const SurvivalBar = ({ report }: { report: SurvivalReport }) => {
  const [all, setAll] = useState(false);
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
            <button
              key={`${kind} ${text}`}
              type="button"
              className={styles.fact}
              title={`Copy this ${kind}`}
              onClick={() => void copyText(text)}
            >
              <code>{text}</code>
            </button>
          ))}
          {missing.length > FEW && (
            <LinkButton aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? "Fewer" : `All ${plural(missing.length, "thing")}`}
            </LinkButton>
          )}
        </div>
      )}
    </footer>
  );
};
