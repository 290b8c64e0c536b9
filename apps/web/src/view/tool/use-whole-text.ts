import { problemOf } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import { useState } from "react";
import { showToast } from "../../ui/toast-store.ts";
import { useView } from "../view-context.tsx";

interface WholeText {
  readonly text: string;
  /** More of it is on the server. */
  readonly cut: boolean;
  readonly loading: boolean;
  readonly load: () => void;
}

/** A text whose head was sent, and how to get the rest. `block`: index in the entry's content, null when all is here. */
export const useWholeText = (entry: EntryId, block: number | null, head: string): WholeText => {
  const { blockText } = useView();
  const [whole, setWhole] = useState<string | null>(null);
  const [loading, setLoading] = useState(false);
  const load = (): void => {
    if (!blockText || block === null || loading) return;
    setLoading(true);
    blockText(entry, block)
      .then(setWhole, (error: unknown) => showToast(problemOf(error).message, "error"))
      .finally(() => setLoading(false));
  };
  return { text: whole ?? head, cut: block !== null && whole === null, loading, load };
};
