import type { EntryId, ToolUse } from "@espalier/protocol";
import { type RefObject, useMemo, useState } from "react";
import type { FieldHandle } from "../features/composer/MessageField.tsx";
import { useServices } from "../store/services.tsx";
import { useSession, useShown } from "../store/session-context.tsx";
import { useFolders } from "../store/use-folders.ts";
import type { ViewFacts } from "../view/view-context.tsx";

/** What a call that came to nothing is asked for again with. */
const askAgain = ({ call }: ToolUse): string => {
  const args = call.arguments;
  const what = typeof args.command === "string" ? args.command : JSON.stringify(args);
  return `The call \`${call.name}\` did not return. Run it again:\n\n${what}`;
};

/** What the items of the shown session know and can do. */
export const useViewFacts = (field: RefObject<FieldHandle | null>): ViewFacts => {
  const { api } = useServices();
  const { client, actions, show } = useShown();
  const folders = useFolders();
  const tree = useSession((open) => open.session?.tree ?? null);
  const treeVersion = useSession((open) => open.session?.treeVersion ?? 0);
  const [editing, setEditing] = useState<EntryId | null>(null);
  const own = useMemo(() => {
    const { id } = client.store.getState();
    const branchFrom = async (entry: EntryId): Promise<void> => {
      if (!(await actions.branchFrom(entry))) return;
      show(null);
      field.current?.focus();
    };
    return {
      blockText: async (entry: EntryId, index: number) => (await api.blockText(id, entry, index)).text,
      blockImage: (entry: EntryId, index: number) => api.blockImage(id, entry, index),
      branchFrom: (entry: EntryId) => void branchFrom(entry),
      resend: async (entry: EntryId, text: string) => {
        await actions.resend(entry, text);
        show(null);
      },
      read: (entry: EntryId) => show(entry),
      answer: actions.answer,
      runAgain: (use: ToolUse) => void actions.resendBelow(use.entryId, askAgain(use)).then(() => show(null)),
    };
  }, [api, client, actions, show, field]);
  return useMemo(
    () => ({ ...own, folders, tree, treeVersion, editing, setEditing }),
    [own, folders, tree, treeVersion, editing],
  );
};
