import { File, Folder } from "lucide-react";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import styles from "./Composer.module.css";

export interface Suggestion {
  readonly value: string;
  readonly title: string;
  readonly note: string;
  readonly icon?: "file" | "folder";
}

interface SuggestionsProps {
  id: string;
  label: string;
  suggestions: readonly Suggestion[];
  active: number;
  onPick: (index: number) => void;
}

export const suggestionId = (list: string, index: number): string => `${list}-${index}`;

/** What fits the word before the cursor. The text field keeps the focus; its arrow keys move here. */
export const Suggestions = ({ id, label, suggestions, active, onPick }: SuggestionsProps) => (
  <div id={id} className={styles.suggestions} role="listbox" aria-label={label}>
    {suggestions.map((suggestion, index) => (
      // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the focus is on its rows or in the field it belongs to
      <div
        key={suggestion.value}
        id={suggestionId(id, index)}
        role="option"
        aria-selected={index === active}
        className={classNames(styles.suggestion, index === active && styles.suggestionActive)}
        onMouseDown={(event) => {
          event.preventDefault();
          onPick(index);
        }}
      >
        {suggestion.icon && <Icon of={suggestion.icon === "file" ? File : Folder} size={14} />}
        <span className={styles.suggestionTitle}>{suggestion.title}</span>
        <span className={styles.suggestionNote}>{suggestion.note}</span>
      </div>
    ))}
  </div>
);
