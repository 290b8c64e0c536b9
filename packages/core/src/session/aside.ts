import type { Entry, UnknownEntry } from "@espalier/protocol";

/** Says where the leaf was moved to; written under the target so that other programs reopen there too. */
export const POSITION = "espalier.position";
/** Says how a run or a branch ended. */
export const OUTCOME = "espalier.outcome";

/**
 * Whether an entry hangs at its parent as a note: it is no leaf, no branch point and no run end, and the next message hangs
 * under its parent, not under it.
 */
export const isAside = (entry: Entry | UnknownEntry): boolean => {
  switch (entry.type) {
    case "label":
    case "session_info":
    case "usage":
      return true;
    case "custom":
      return "customType" in entry && (entry.customType === POSITION || entry.customType === OUTCOME);
    default:
      return false;
  }
};

/** Whether an entry only remembers a place; such entries are never counted, drawn or named in a context. */
export const isPosition = (entry: Entry | UnknownEntry): boolean =>
  entry.type === "custom" && "customType" in entry && entry.customType === POSITION;
