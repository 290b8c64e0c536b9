import type { EntryId } from "@espalier/protocol";
import type { ContextMessage } from "../context/context-message.ts";
import { tokensOfMessage } from "../context/estimate-tokens.ts";

/** One entry of the stretch that could be summarised, in path order, with what it says to the model. */
export interface CutSlot {
  readonly entryId: EntryId;
  /** Null for an entry that says nothing: a mark, an older compaction, a message that was taken out. */
  readonly message: ContextMessage | null;
  /** Whether the path may be cut before this entry: it begins a path item and no group reaches over the place. */
  readonly canCut: boolean;
  readonly isCompaction: boolean;
  /** An answer that failed and was taken out of the context again. */
  readonly isOmittedAnswer: boolean;
}

/**
 * Index of the first slot to keep, so that the kept part holds about `keepRecentTokens` (pi 1.6.0's rule and estimate); null when
 * there is no place to cut at all. 0 means that everything is kept.
 */
export const findCutPoint = (slots: readonly CutSlot[], keepRecentTokens: number): number | null => {
  const cuts = slots.flatMap((slot, at) => (slot.canCut && slot.message !== null ? [at] : []));
  const [first] = cuts;
  const last = cuts.at(-1);
  if (first === undefined || last === undefined) return null;
  let cut = first;
  let sum = 0;
  for (let at = slots.length - 1; at >= 0; at -= 1) {
    const message = slots[at]?.message ?? null;
    const tokens = message === null ? 0 : tokensOfMessage(message);
    if (tokens === 0) continue;
    sum += tokens;
    if (sum < keepRecentTokens) continue;
    cut = cuts.find((place) => place >= at) ?? last;
    break;
  }
  return overMarks(slots, leaveOmitted(slots, cut));
};

/** Marks before the cut go with what follows them. */
const overMarks = (slots: readonly CutSlot[], cut: number): number => {
  let at = cut;
  for (let before = slots[at - 1]; before?.message === null && !before.isCompaction; before = slots[at - 1])
    at -= 1;
  return at;
};

/** When only failed, omitted answers follow the input that was kept, that input is what is too large: it is summarised too. */
const leaveOmitted = (slots: readonly CutSlot[], cut: number): number => {
  const rest = slots.slice(cut + 1);
  const omitted = rest.every(({ message }) => message === null) && rest.some((slot) => slot.isOmittedAnswer);
  return omitted ? cut + 1 : cut;
};
