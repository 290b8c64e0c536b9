import type { PathItemOf } from "@espalier/protocol";
import { Copy, GitBranch, Pencil } from "lucide-react";
import { IconButton, LinkButton } from "../../ui/Button.tsx";
import { copyText } from "../copy-text.ts";
import { timeOfDay } from "../format.ts";
import { Pictures } from "../tool/Pictures.tsx";
import { useWholeText } from "../tool/use-whole-text.ts";
import { useView } from "../view-context.tsx";
import { cutBlock, imagesIn, wordsOf } from "./content-text.ts";
import { EditInPlace } from "./EditInPlace.tsx";
import styles from "./Item.module.css";
import { ItemMenuButton } from "./ItemMenu.tsx";
import { SiblingNames, SiblingSwitch, useSiblings } from "./SiblingSwitch.tsx";

/** A message of the person: a blue rule, the words as they were typed. */
export const UserItem = ({ item }: { item: PathItemOf<"user"> }) => {
  const { branchFrom, resend, editing, setEditing } = useView();
  const siblings = useSiblings(item.id);
  const { message } = item.entry;
  const content = message.role === "user" ? message.content : "";
  const whole = useWholeText(item.id, cutBlock(content), wordsOf(content));
  if (editing === item.id && resend)
    return (
      <EditInPlace
        text={whole.text}
        onCancel={() => setEditing(null)}
        onSave={async (text) => {
          await resend(item.id, text);
          setEditing(null);
        }}
      />
    );
  return (
    <div className={styles.you}>
      <p className={styles.words} dir="auto">
        {whole.text}
      </p>
      {whole.cut && (
        <LinkButton onClick={whole.load} disabled={whole.loading}>
          Show all of it
        </LinkButton>
      )}
      <div className={styles.given}>
        <Pictures entry={item.id} images={imagesIn(content)} />
      </div>
      <div className={styles.meta}>
        {siblings && <SiblingSwitch siblings={siblings} />}
        <span>You, {timeOfDay(Date.parse(item.entry.timestamp))}</span>
        {item.edit && <span className={styles.leftOut}>left out for the model</span>}
        {siblings && <SiblingNames siblings={siblings} />}
        <span className={styles.acts}>
          {branchFrom && (
            <IconButton label="Branch from here" icon={GitBranch} small onClick={() => branchFrom(item.id)} />
          )}
          {resend && (
            <IconButton label="Edit and resend" icon={Pencil} small onClick={() => setEditing(item.id)} />
          )}
          <IconButton label="Copy" icon={Copy} small onClick={() => void copyText(whole.text)} />
          <ItemMenuButton entry={item.id} />
        </span>
      </div>
    </div>
  );
};
