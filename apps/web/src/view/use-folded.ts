import { createContext, useContext, useState } from "react";

/** A wish for all items of a kind at once. `turn` counts the wishes. */
interface FoldWish {
  readonly open: boolean;
  readonly turn: number;
}

export interface Folds {
  readonly tools: FoldWish | null;
  readonly thinking: FoldWish | null;
}

export const FoldsContext = createContext<Folds>({ tools: null, thinking: null });

/**
 * Whether an item is open, and how to change it. `first` holds until somebody says otherwise: a wish for all of its kind (null: the
 * item is of none), or a click on the item itself, which holds until the next such wish.
 */
export const useFolded = (kind: keyof Folds | null, first: boolean): readonly [boolean, () => void] => {
  const folds = useContext(FoldsContext);
  const wish = kind === null ? null : folds[kind];
  const turn = wish?.turn ?? 0;
  const [own, setOwn] = useState<FoldWish | null>(null);
  const open = own?.turn === turn ? own.open : (wish?.open ?? first);
  return [open, () => setOwn({ open: !open, turn })];
};
