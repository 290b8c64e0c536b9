import { useEffect } from "react";
import { useStore } from "zustand";
import { useSession } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import type { useAttachments } from "./use-attachments.ts";
import type { Draft } from "./use-draft.ts";

/**
 * Takes the words of a message that one went back to, once the place before it is shown. What stands in the field already is not
 * overwritten.
 */
export const useOffer = (draft: Draft | null, attachments: ReturnType<typeof useAttachments>): void => {
  const offered = useStore(uiStore, (state) => state.offered);
  const leafId = useSession((open) => open.view.leafId);
  useEffect(() => {
    if (offered === null || draft === null || draft.leaf !== leafId || offered.at !== leafId) return;
    uiStore.setState({ offered: null });
    if (draft.text.trim() !== "") return;
    draft.set(offered.text);
    attachments.addImages(offered.images);
  }, [offered, draft, attachments, leafId]);
};
