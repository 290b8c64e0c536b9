import { pathToLeaf } from "@espalier/core";
import type { Comparison, EntryId } from "@espalier/protocol";
import { type FormEvent, type ReactNode, useMemo, useState } from "react";
import { useSession } from "../../store/session-context.tsx";
import { Button } from "../../ui/Button.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { shownPath } from "../../view/format.ts";
import { useView } from "../../view/view-context.tsx";
import styles from "./Carry.module.css";
import type { Carried } from "./use-compare-verbs.ts";

/** Most messages or files that one entry carries. */
const MOST = 500;
/** Messages that are offered: the newest of a longer branch. */
const OFFERED = 1_000;
type What = "summary" | "messages" | "files";

interface Choice {
  readonly id: string;
  readonly title: ReactNode;
  readonly who: string;
}

/** Messages of A, yours and the answers. */
const useMessages = ({ fork, a }: Comparison): readonly Choice[] => {
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  return useMemo(() => {
    if (!tree || version === undefined) return [];
    const path = pathToLeaf(tree, a.end);
    const below = path.slice(fork === null ? 0 : path.indexOf(fork) + 1);
    const rows = below.flatMap((id) => {
      const row = tree.get(id);
      return row?.role === "user" || row?.role === "assistant" ? [row] : [];
    });
    return rows.slice(-OFFERED).map(({ id, line, role }) => ({
      id,
      title: line ?? "\u2026",
      who: role === "user" ? "You" : "Assistant",
    }));
  }, [tree, version, fork, a.end]);
};

const Choices = ({
  label,
  choices,
  chosen,
  onToggle,
}: {
  label: string;
  choices: readonly Choice[];
  chosen: ReadonlySet<string>;
  onToggle: (id: string) => void;
}) => (
  <fieldset className={styles.list} aria-label={label}>
    {choices.map(({ id, title, who }) => (
      <label key={id} className={styles.choice}>
        <input type="checkbox" checked={chosen.has(id)} onChange={() => onToggle(id)} />
        <span className={styles.who}>{who}</span>
        <span className={styles.clip}>{title}</span>
      </label>
    ))}
    {choices.length === 0 && <p className={styles.nothing}>There is nothing of this on the branch.</p>}
  </fieldset>
);

const WAYS: readonly { readonly what: What; readonly title: string; readonly note: string }[] = [
  { what: "summary", title: "A summary", note: "made by the model; without one in the branch's own words" },
  {
    what: "messages",
    title: "Chosen messages",
    note: "word for word, each with the results of its calls; long ones are cut",
  },
  { what: "files", title: "Chosen files", note: "what A's calls made of them" },
];

interface FormProps {
  comparison: Comparison;
  onCarry: (carried: Carried) => Promise<boolean>;
  onClose: () => void;
}

const Form = ({ comparison, onCarry, onClose }: FormProps) => {
  const { folders } = useView();
  const messages = useMessages(comparison);
  const files = comparison.a.files.map(
    ({ path, writes }): Choice => ({
      id: path,
      title: <code>{shownPath(path, folders)}</code>,
      who: writes > 0 ? "written" : "edited",
    }),
  );
  const [what, setWhat] = useState<What>("summary");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState("");
  const [busy, setBusy] = useState(false);
  const choices = what === "messages" ? messages : what === "files" ? files : [];
  const picked = choices.filter(({ id }) => chosen.has(id)).map(({ id }) => id);
  const ready = !busy && (what === "summary" || (picked.length > 0 && picked.length <= MOST));
  const toggle = (id: string): void =>
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    const carried: Carried =
      what === "summary"
        ? focus.trim() === ""
          ? {}
          : { instructions: focus.trim() }
        : what === "messages"
          ? { entries: picked as EntryId[] }
          : { files: picked };
    void onCarry(carried).then((done) => {
      setBusy(false);
      if (done) onClose();
    });
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <fieldset className={styles.ways} aria-label="What is carried over">
        {WAYS.map((way) => (
          <label key={way.what} className={styles.way}>
            <input
              type="radio"
              name="carried"
              checked={what === way.what}
              onChange={() => setWhat(way.what)}
            />
            <span>
              {way.title}
              <span className={styles.note}>{way.note}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {what === "summary" ? (
        <input
          className={styles.focus}
          aria-label="What the summary should look at"
          placeholder="What it should look at; may stay empty"
          value={focus}
          onChange={(event) => setFocus(event.target.value)}
        />
      ) : (
        <Choices
          label={what === "messages" ? "Messages of A" : "Files of A"}
          choices={choices}
          chosen={chosen}
          onToggle={toggle}
        />
      )}
      <DialogFooter>
        <Button size="large" onClick={onClose}>
          Cancel
        </Button>
        <Button size="large" look="primary" type="submit" disabled={!ready}>
          {busy ? "Carrying over" : "Carry over"}
        </Button>
      </DialogFooter>
    </form>
  );
};

/** Chooses what of A is told at B's end. */
export const CarryDialog = ({ open, ...form }: FormProps & { open: boolean }) => (
  <Dialog
    open={open}
    onClose={form.onClose}
    title="Carry A over to B"
    description="It is added at the end of B as a branch summary. A stays as it is."
  >
    {open && <Form {...form} />}
  </Dialog>
);
