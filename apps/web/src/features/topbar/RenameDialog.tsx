import { useState } from "react";
import { useShown } from "../../store/session-context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import styles from "./TopBar.module.css";

interface RenameDialogProps {
  open: boolean;
  name: string;
  onClose: () => void;
}

const Form = ({ name, onClose }: Omit<RenameDialogProps, "open">) => {
  const { actions } = useShown();
  const [text, setText] = useState(name);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void actions.rename(text.trim()).then((done) => done && onClose());
      }}
    >
      <div className={styles.form}>
        <input
          className={styles.input}
          aria-label="Name of the session"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onFocus={(event) => event.target.select()}
        />
      </div>
      <DialogFooter>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit">
          Rename
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Asks for the session's name; an empty one clears it. */
export const RenameDialog = ({ open, name, onClose }: RenameDialogProps) => (
  <Dialog open={open} onClose={onClose} title="Rename session">
    <Form name={name} onClose={onClose} />
  </Dialog>
);
