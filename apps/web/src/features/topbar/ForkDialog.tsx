import { problemOf } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import styles from "./MoveDialogs.module.css";

const close = (): void => uiStore.setState({ forking: null });

const Form = ({ entry }: { entry: EntryId }) => {
  const { actions } = useShown();
  const [, go] = useLocation();
  const cwd = useSession((open) => open.facts?.folder.cwd ?? "");
  const [folder, setFolder] = useState(cwd);
  const [problem, setProblem] = useState("");
  const fork = async (): Promise<void> => {
    try {
      const { session } = await actions.forkInto(entry, folder.trim());
      close();
      if (session !== undefined) go(`/s/${encodeURIComponent(session)}`);
    } catch (error) {
      setProblem(problemOf(error).message);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void fork();
      }}
    >
      <div className={styles.form}>
        <p className={styles.says}>
          The path up to this place becomes a session of its own, whose tools work in that folder. This one
          stays as it is.
        </p>
        <input
          className={styles.input}
          aria-label="Folder"
          aria-invalid={problem !== ""}
          aria-describedby={problem === "" ? undefined : "fork-problem"}
          spellCheck={false}
          autoCapitalize="off"
          value={folder}
          onChange={(event) => {
            setFolder(event.target.value);
            setProblem("");
          }}
          onFocus={(event) => event.target.select()}
        />
        {problem !== "" && (
          <p id="fork-problem" role="alert" className={styles.problem}>
            {problem}
          </p>
        )}
      </div>
      <DialogFooter>
        <Button size="large" onClick={close}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit" disabled={folder.trim() === ""}>
          Fork
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Makes a session of the path to an entry that works in another folder. */
export const ForkDialog = () => {
  const entry = useStore(uiStore, (state) => state.forking);
  return (
    <Dialog open={entry !== null} onClose={close} title="Fork into another folder">
      {entry !== null && <Form entry={entry} />}
    </Dialog>
  );
};
