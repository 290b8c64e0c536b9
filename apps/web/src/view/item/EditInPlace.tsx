import { problemOf } from "@espalier/core";
import { type KeyboardEvent, useState } from "react";
import { Button } from "../../ui/Button.tsx";
import { showToast } from "../../ui/toast-store.ts";
import styles from "./Item.module.css";

interface EditInPlaceProps {
  text: string;
  onCancel: () => void;
  /** Rejects with ProblemError; the text stays then. */
  onSave: (text: string) => Promise<void>;
}

/** A sent message, open for editing. Sending makes a sibling branch; the first one stays. */
export const EditInPlace = ({ text: before, onCancel, onSave }: EditInPlaceProps) => {
  const [text, setText] = useState(before);
  const [sending, setSending] = useState(false);
  const send = (): void => {
    if (text.trim() === "" || sending) return;
    setSending(true);
    onSave(text)
      .catch((error: unknown) => showToast(problemOf(error).message, "error"))
      .finally(() => setSending(false));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onCancel();
    } else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      send();
    }
  };
  return (
    <div className={styles.edit}>
      <textarea
        className={styles.editText}
        aria-label="Edited message"
        value={text}
        rows={Math.min(14, text.split("\n").length + 1)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person opened it to type in it
        autoFocus
      />
      <div className={styles.editFoot}>
        <span className={styles.hint}>Sends as a new branch beside this message.</span>
        <Button onClick={onCancel}>Cancel</Button>
        <Button look="primary" onClick={send} disabled={sending || text.trim() === ""}>
          Send as new branch
        </Button>
      </div>
    </div>
  );
};
