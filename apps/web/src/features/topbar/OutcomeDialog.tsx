import type { EntryId, Outcome } from "@espalier/protocol";
import { useState } from "react";
import { useStore } from "zustand";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { OUTCOMES } from "../../view/item/Marks.tsx";
import styles from "./MoveDialogs.module.css";

const close = (): void => uiStore.setState({ judging: null });

const SAYS: Readonly<Record<Outcome, string>> = {
  worked: "This way led where it should.",
  failed: "This way does not lead there.",
  abandoned: "Nobody goes on here.",
};
const NAMES = ["worked", "failed", "abandoned"] as const;

const Form = ({ entry }: { entry: EntryId }) => {
  const { actions } = useShown();
  const known = useSession((open) => open.session?.tree.outcomes.get(entry));
  const [outcome, setOutcome] = useState<Outcome>(known?.outcome ?? "worked");
  const [note, setNote] = useState(known?.note ?? "");
  const say = (what: Outcome | null): void =>
    void actions.outcome(entry, what, note.trim()).then((done) => done && close());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        say(outcome);
      }}
    >
      <fieldset className={styles.choices} aria-label="How it ended">
        {NAMES.map((name) => (
          <label key={name} className={styles.choice}>
            <input type="radio" name="outcome" checked={outcome === name} onChange={() => setOutcome(name)} />
            <span>
              <b data-outcome={name}>
                <Icon of={OUTCOMES[name].icon} size={12} /> {OUTCOMES[name].words}
              </b>
              <span className={styles.says}>{SAYS[name]}</span>
            </span>
          </label>
        ))}
        <input
          className={styles.input}
          aria-label="Note"
          placeholder="Why, in a few words"
          maxLength={2000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </fieldset>
      <DialogFooter>
        {known !== undefined && (
          <Button size="large" onClick={() => say(null)}>
            Take it back
          </Button>
        )}
        <Button size="large" onClick={close}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit">
          Mark
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Says how the branch or run that ends at an entry ended. */
export const OutcomeDialog = () => {
  const entry = useStore(uiStore, (state) => state.judging);
  return (
    <Dialog open={entry !== null} onClose={close} title="How it ended">
      {entry !== null && <Form entry={entry} />}
    </Dialog>
  );
};
