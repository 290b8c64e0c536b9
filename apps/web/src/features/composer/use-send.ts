import { runAt } from "@espalier/core";
import { useRef } from "react";
import { useShown } from "../../store/session-context.tsx";
import { type Attachment, fullText, imagesOf } from "./attachments.ts";
import { type CommandPlace, readCommand } from "./commands.ts";

interface Sending {
  /** What was typed, taken out of the field at once; `giveBack` puts it there again when it failed. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly giveBack: () => void;
}

/** Sends what was typed the way it asks for: a command, a shell line, a steering or queued message, or a new turn. */
export const useSend = (
  place: Omit<CommandPlace, "actions" | "session" | "view">,
): ((sending: Sending, now: boolean) => Promise<void>) => {
  const { client, actions } = useShown();
  const busy = useRef(false);

  const deliver = async ({ text, attachments }: Sending, now: boolean): Promise<unknown> => {
    const { session, view } = client.store.getState();
    if (!session) return null;
    const command = attachments.length === 0 ? readCommand(text) : null;
    if (command) {
      await command.command.run({ ...place, actions, session, view }, command.argument);
      return true;
    }
    const shell = /^(!!?)\s*([\s\S]+)$/.exec(text.trim());
    if (shell && attachments.length === 0) return actions.bash(shell[2] ?? "", shell[1] === "!!");
    const words = fullText(text, attachments);
    const images = imagesOf(attachments);
    if (!runAt(session, view.leafId)) return actions.prompt(words, images);
    return now ? actions.steer(words, images) : actions.followUp(words, images);
  };

  return async (sending, now) => {
    // Enter pressed twice must not send twice.
    if (busy.current) return;
    busy.current = true;
    try {
      if ((await deliver(sending, now)) === null) sending.giveBack();
    } finally {
      busy.current = false;
    }
  };
};
