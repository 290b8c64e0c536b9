import type { EntryId } from "@espalier/protocol";
import { useState } from "react";
import { useStore } from "zustand";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import styles from "./TopBar.module.css";

const close = (): void => uiStore.setState({ labelling: null });

const Form = ({ entry }: { entry: EntryId }) => {
  const { actions } = useShown();
  const known = useSession((open) => open.session?.tree.labels.get(entry) ?? "");
  const [text, setText] = useState(known);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void actions.label(entry, text.trim()).then((done) => done && close());
      }}
    >
      <div className={styles.form}>
        <input
          className={styles.input}
          aria-label="Label"
          placeholder="A few words; empty takes the label away"
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <DialogFooter>
        <Button size="large" onClick={close}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit">
          Label
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Gives an entry a label, which the tree shows as a flag. */
export const LabelDialog = () => {
  const entry = useStore(uiStore, (state) => state.labelling);
  return (
    <Dialog open={entry !== null} onClose={close} title="Label this place">
      {entry !== null && <Form entry={entry} />}
    </Dialog>
  );
};
