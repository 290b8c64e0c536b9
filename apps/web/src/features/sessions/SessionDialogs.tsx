import type { SessionInfo } from "@espalier/protocol";
import { useState } from "react";
import { useTrash } from "../../store/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { ago, shownPath } from "../../view/format.ts";
import styles from "./Sessions.module.css";
import { titleOf } from "./session-rows.ts";
import { useSessionVerbs } from "./use-session-verbs.ts";

/** What is asked of the list's sessions, one at a time. */
export type Asked =
  | { readonly kind: "rename" | "discard"; readonly session: SessionInfo }
  | { readonly kind: "trash" }
  | null;

interface DialogProps {
  asked: Asked;
  onClose: () => void;
}

const RenameForm = ({ session, onClose }: { session: SessionInfo; onClose: () => void }) => {
  const { rename } = useSessionVerbs();
  const [name, setName] = useState(session.name ?? "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void rename(session.id, name.trim()).then((done) => done && onClose());
      }}
    >
      <input
        className={styles.nameField}
        aria-label="Name of the session"
        placeholder={titleOf(session).slice(0, 120)}
        value={name}
        onChange={(event) => setName(event.target.value)}
        onFocus={(event) => event.target.select()}
      />
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

const DiscardForm = ({ session, onClose }: { session: SessionInfo; onClose: () => void }) => {
  const { discard } = useSessionVerbs();
  return (
    <>
      <p className={styles.words}>
        This file lies in pi's folder, <code>{shownPath(session.path)}</code>. In Espalier's trash pi will not
        find it any more. It is kept there until you bring it back.
      </p>
      <DialogFooter>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="large"
          look="primary"
          onClick={() => {
            onClose();
            void discard(session);
          }}
        >
          Move to trash
        </Button>
      </DialogFooter>
    </>
  );
};

const TrashContent = () => {
  const trash = useTrash();
  const { restore } = useSessionVerbs();
  const sessions = trash.data?.sessions ?? [];
  if (sessions.length === 0) return <p className={styles.words}>The trash is empty.</p>;
  return (
    <ul className={styles.trash}>
      {sessions.map(({ ticket, name, time, path, root }) => (
        <li key={ticket}>
          <span className={styles.trashName}>
            <span className={styles.name}>{name || "empty session"}</span>
            <span className={styles.meta}>
              <span>{ago(Date.parse(time))}</span>
              <span className={styles.cut}>{shownPath(path)}</span>
              {root === "pi" && <span className={styles.pi}>pi</span>}
            </span>
          </span>
          <Button onClick={() => void restore(ticket)}>Restore</Button>
        </li>
      ))}
    </ul>
  );
};

/** Renaming, deleting a file of pi's, and the trash. */
export const SessionDialogs = ({ asked, onClose }: DialogProps) => (
  <>
    <Dialog open={asked?.kind === "rename"} onClose={onClose} title="Rename session">
      {asked?.kind === "rename" && <RenameForm session={asked.session} onClose={onClose} />}
    </Dialog>
    <Dialog open={asked?.kind === "discard"} onClose={onClose} title="Move to trash">
      {asked?.kind === "discard" && <DiscardForm session={asked.session} onClose={onClose} />}
    </Dialog>
    <Dialog open={asked?.kind === "trash"} onClose={onClose} title="Trash">
      {asked?.kind === "trash" && <TrashContent />}
    </Dialog>
  </>
);
