import { runAt } from "@espalier/core";
import { type KeyboardEvent, type Ref, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { classNames } from "../../ui/class-names.ts";
import { useNarrow } from "../../ui/use-media.ts";
import { AttachmentChips } from "./AttachmentChips.tsx";
import { BranchBanner } from "./BranchBanner.tsx";
import styles from "./Composer.module.css";
import { type CommandPlace, lastMessage } from "./commands.ts";
import { LeaveOffer } from "./LeaveOffer.tsx";
import { type FieldHandle, MessageField } from "./MessageField.tsx";
import { QueueDock } from "./QueueDock.tsx";
import { RunState } from "./RunState.tsx";
import { SendButtons } from "./SendButtons.tsx";
import type { Trigger } from "./suggest.ts";
import { useAttachments } from "./use-attachments.ts";
import { useDraft } from "./use-draft.ts";
import { useOffer } from "./use-offer.ts";
import { useReturnedTexts } from "./use-returned-texts.ts";
import { useSend } from "./use-send.ts";
import { useSuggestions } from "./use-suggestions.ts";
import { useWentOn } from "./use-went-on.ts";

interface ComposerProps {
  /** What commands can reach outside of the session. */
  place: Omit<CommandPlace, "actions" | "session" | "view">;
  field: Ref<FieldHandle>;
}

/** Where messages are written: drafts, commands, files, images, the queue, and the run's state. */
export const Composer = ({ place, field }: ComposerProps) => {
  const { client, actions } = useShown();
  const { id } = client.store.getState();
  const leafId = useSession((open) => open.view.leafId);
  const run = useSession((open) => open.session && runAt(open.session, open.view.leafId));
  const draft = useDraft(id, leafId, useWentOn(client));
  const attachments = useAttachments();
  useOffer(draft, attachments);
  const narrow = useNarrow();
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const suggestions = useSuggestions(trigger, id);
  const send = useSend(place);
  useReturnedTexts(draft);

  if (!draft) return <div className={styles.compose} />;
  const empty = draft.text.trim() === "" && attachments.all.length === 0;
  const deliver = (now: boolean): void => {
    if (empty) return;
    const sending = { text: draft.text, attachments: attachments.all };
    draft.set("");
    attachments.clear();
    const giveBack = (): void => {
      draft.set(sending.text);
      attachments.restore(sending.attachments);
    };
    void send({ ...sending, giveBack }, now);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      deliver(event.ctrlKey || event.metaKey);
    } else if (event.key === "ArrowUp" && draft.text === "") {
      const last = lastMessage(client.store.getState().view)?.text ?? "";
      if (last === "") return;
      event.preventDefault();
      draft.set(last);
    }
  };
  return (
    <div
      className={styles.compose}
      onDragOver={(event) => event.preventDefault()}
      onDrop={attachments.onDrop}
    >
      <QueueDock />
      <LeaveOffer />
      <BranchBanner />
      <div className={classNames(styles.box, draft.text.startsWith("!") && styles.shell)}>
        <AttachmentChips attachments={attachments.all} onRemove={attachments.remove} />
        <MessageField
          text={draft.text}
          placeholder={narrow ? "Message" : "Message, / for commands, @ for files, ! for the shell"}
          handle={field}
          suggestions={suggestions}
          onTrigger={setTrigger}
          onChange={draft.set}
          onKeyDown={onKeyDown}
          onPaste={attachments.onPaste}
        />
        <div className={styles.foot}>
          <RunState brief={narrow} />
          <span className={styles.grow} />
          <SendButtons
            running={run !== null}
            stopping={run?.status === "stopping"}
            empty={empty}
            narrow={narrow}
            onSend={() => deliver(false)}
            onSteer={() => deliver(true)}
            onStop={() => void actions.stop()}
          />
        </div>
      </div>
    </div>
  );
};
