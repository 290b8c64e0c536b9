import { type AnyEntry, asKnown } from "@espalier/core";
import type { EntryId, ImageContent, ToolUse } from "@espalier/protocol";
import { type RefObject, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { FieldHandle } from "../features/composer/MessageField.tsx";
import { useServices } from "../store/services.tsx";
import { useSession, useShown } from "../store/session-context.tsx";
import { uiStore } from "../store/ui-store.ts";
import { useFolders } from "../store/use-folders.ts";
import type { ViewFacts } from "../view/view-context.tsx";

/** What a call that came to nothing is asked for again with. */
const askAgain = ({ call }: ToolUse): string => {
  const args = call.arguments;
  const what = typeof args.command === "string" ? args.command : JSON.stringify(args);
  return `The call \`${call.name}\` did not return. Run it again:\n\n${what}`;
};

/** The words and images of a message, to be written anew. */
const wordsOfMessage = (entry: AnyEntry): { text: string; images: readonly ImageContent[] } => {
  const known = asKnown(entry);
  const content = known?.type === "message" && known.message.role === "user" ? known.message.content : "";
  if (typeof content === "string") return { text: content, images: [] };
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    images: content.flatMap((block) => (block.type === "image" ? [block] : [])),
  };
};

/** What the items of the shown session know and can do. */
export const useViewFacts = (field: RefObject<FieldHandle | null>): ViewFacts => {
  const { api } = useServices();
  const { client, actions, show, showMode, mode } = useShown();
  const inMap = mode.kind === "map";
  const [, go] = useLocation();
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
    const goHere = async (entry: EntryId): Promise<void> => {
      const place = actions.placeOf(entry);
      const words = place === entry ? null : wordsOfMessage((await api.entry(id, entry)).entry);
      const move = await actions.goTo(place);
      if (!move) return;
      uiStore.setState({ chosen: entry });
      await client.read(null);
      if (inMap) showMode({ kind: "map", at: null });
      else show(null);
      if (inMap && move.left) actions.sayLeft(move.left);
      if (words === null) return;
      const at = await move.at;
      if (at === undefined) return;
      uiStore.setState({ offered: { ...words, at } });
      field.current?.focus();
    };
    const fork = async (entry: EntryId): Promise<void> => {
      const answer = await actions.fork(entry, "at");
      if (answer?.session !== undefined) go(`/s/${encodeURIComponent(answer.session)}`);
    };
    return {
      goHere: (entry: EntryId) => void goHere(entry),
      bookmark: (entry: EntryId) => void actions.bookmark(entry),
      fork: (entry: EntryId) => void fork(entry),
      blockText: async (entry: EntryId, index: number) => (await api.blockText(id, entry, index)).text,
      blockImage: (entry: EntryId, index: number) => api.blockImage(id, entry, index),
      branchFrom: (entry: EntryId) => void branchFrom(entry),
      resend: async (entry: EntryId, text: string) => {
        await actions.resend(entry, text);
        show(null);
      },
      compare: (a: EntryId, b: EntryId) => showMode({ kind: "compare", a, b }),
      read: (entry: EntryId) => show(entry),
      inspect: (id: EntryId) => showMode({ kind: "compaction", id }),
      answer: actions.answer,
      runAgain: (use: ToolUse) => void actions.resendBelow(use.entryId, askAgain(use)).then(() => show(null)),
    };
  }, [api, client, actions, show, showMode, inMap, go, field]);
  return useMemo(
    () => ({ ...own, folders, tree, treeVersion, editing, setEditing }),
    [own, folders, tree, treeVersion, editing],
  );
};
