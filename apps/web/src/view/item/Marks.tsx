import type { EntryId, Outcome } from "@espalier/protocol";
import { Bookmark, Check, CircleSlash, Flag, X } from "lucide-react";
import { BOOKMARK } from "../../store/bookmark.ts";
import { uiStore } from "../../store/ui-store.ts";
import { classNames } from "../../ui/class-names.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { useView } from "../view-context.tsx";
import styles from "./Marks.module.css";

/** What an outcome is called, and its sign. */
export const OUTCOMES: Readonly<Record<Outcome, { readonly words: string; readonly icon: Glyph }>> = {
  worked: { words: "Worked", icon: Check },
  failed: { words: "Failed", icon: X },
  abandoned: { words: "Left for good", icon: CircleSlash },
};

/** Labels and outcomes that a person gave to the entries of an item. */
export const Marks = ({ entries }: { entries: readonly EntryId[] }) => {
  const { tree } = useView();
  const marks = entries.flatMap((entry) => {
    const label = tree?.labels.get(entry);
    const outcome = tree?.outcomes.get(entry);
    return label === undefined && outcome === undefined ? [] : [{ entry, label, outcome }];
  });
  if (marks.length === 0) return null;
  return (
    <div className={styles.marks}>
      {marks.map(({ entry, label, outcome }) => (
        <span key={entry} className={styles.of}>
          {label !== undefined && (
            <button
              type="button"
              className={styles.mark}
              title="Change the label"
              onClick={() => uiStore.setState({ labelling: entry })}
            >
              <Icon of={label === BOOKMARK ? Bookmark : Flag} size={12} />
              {label}
            </button>
          )}
          {outcome !== undefined && (
            <button
              type="button"
              className={classNames(styles.mark, styles[outcome.outcome])}
              title="Change how it ended"
              onClick={() => uiStore.setState({ judging: entry })}
            >
              <Icon of={OUTCOMES[outcome.outcome].icon} size={12} />
              <b>{OUTCOMES[outcome.outcome].words}</b>
              {outcome.note !== undefined && <span className={styles.note}>{outcome.note}</span>}
            </button>
          )}
        </span>
      ))}
    </div>
  );
};
