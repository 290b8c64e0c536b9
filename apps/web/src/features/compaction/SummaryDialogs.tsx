import type { EntryId } from "@espalier/protocol";
import { useState } from "react";
import { useShown } from "../../store/session-context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { showToast } from "../../ui/toast-store.ts";
import styles from "./Compaction.module.css";

interface FormProps {
  id: EntryId;
  onClose: () => void;
}

interface TextFormProps extends FormProps {
  label: string;
  first: string;
  send: string;
  rows: number;
  placeholder?: string;
  /** How a text becomes a second summary. */
  how: (text: string) => { instructions?: string; summary?: string };
  done: string;
}

const TextForm = ({ id, onClose, label, first, send, rows, placeholder, how, done }: TextFormProps) => {
  const { actions, show } = useShown();
  const [text, setText] = useState(first);
  const submit = async (): Promise<void> => {
    if (!(await actions.resummarise(id, how(text.trim())))) return;
    onClose();
    showToast(done);
    show(null);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className={styles.form}>
        <textarea
          className={styles.text}
          aria-label={label}
          rows={rows}
          placeholder={placeholder}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <DialogFooter>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit">
          {send}
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Asks what the second summary should mind; the first one stays in the file. */
export const ResummariseDialog = ({ open, ...form }: FormProps & { open: boolean }) => (
  <Dialog
    open={open}
    onClose={form.onClose}
    title="Re-summarise"
    description="The model reads what was summarised once more. The summary there is now stays in the file."
  >
    <TextForm
      {...form}
      label="What the summary should mind"
      first=""
      rows={4}
      placeholder="For example: keep every command that failed, and why."
      send="Re-summarise"
      how={(text) => (text === "" ? {} : { instructions: text })}
      done="A second summary is being written."
    />
  </Dialog>
);

/** Lets a person write the summary; what the model sees from here on is that. */
export const EditSummaryDialog = ({
  open,
  summary,
  ...form
}: FormProps & { open: boolean; summary: string }) => (
  <Dialog
    open={open}
    wide
    onClose={form.onClose}
    title="Edit the summary"
    description="Your text becomes a second summary of the same entries. The first one stays in the file."
  >
    <TextForm
      {...form}
      label="Summary"
      first={summary}
      rows={18}
      send="Use this summary"
      how={(text) => ({ summary: text })}
      done="The model sees your summary from here on."
    />
  </Dialog>
);
