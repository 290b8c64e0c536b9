import type { Grain, TreeFilter } from "@espalier/core";
import type { EntryId, ImageContent } from "@espalier/protocol";
import { createStore } from "zustand/vanilla";
import type { LeftBranch } from "./leaving.ts";

export type Theme = "system" | "light" | "dark";
export type RailTab = "tree" | "sessions";
export type InspectorTab = "context" | "entry";

/** What a person set for this browser; kept in localStorage. Widths in px. */
interface KeptUi {
  readonly theme: Theme;
  readonly rail: number;
  readonly inspector: number;
  readonly railOpen: boolean;
  readonly inspectorOpen: boolean;
  readonly railTab: RailTab;
  readonly inspectorTab: InspectorTab;
  /** Null: what suits the session. */
  readonly grain: Grain | null;
  /** Keys of one letter do something outside of text fields. */
  readonly letterKeys: boolean;
  /** What is told of a branch that is left. */
  readonly leaveWith: "ask" | "nothing" | "summary";
}

/** Opens or closes all of a kind; counted, so that what is opened by hand afterwards stays so. */
interface FoldWish {
  readonly open: boolean;
  readonly turn: number;
}

/** What a message that one goes back to gives to write anew. */
interface Offer {
  readonly text: string;
  readonly images: readonly ImageContent[];
  /** The end of the path where it is meant to be written. */
  readonly at: EntryId | null;
}

interface UiState extends KeptUi {
  /** The entry at the top of what is read: the band in the tree. */
  readonly reading: EntryId | null;
  /** The entry that the inspector's Entry tab shows. */
  readonly inspected: EntryId | null;
  readonly palette: boolean;
  readonly help: boolean;
  /** The node that tree and map have in hand: one for both. */
  readonly chosen: EntryId | null;
  /** Entries that are marked for comparing, in the order in which they were; at most two. */
  readonly marked: readonly EntryId[];
  /** The entry that is given a label, that is said to have worked or failed, from which a session in another folder is made. */
  readonly labelling: EntryId | null;
  readonly judging: EntryId | null;
  readonly forking: EntryId | null;
  /** The item whose menu is open, and where, px from the window's upper left corner. */
  readonly itemMenu: { readonly entry: EntryId; readonly x: number; readonly y: number } | null;
  /** A branch that was left just now, and of which nothing is told yet. */
  readonly leaving: LeftBranch | null;
  /** Words and images for the composer, once it is where they belong. */
  readonly offered: Offer | null;
  /** Counts wishes to see the end of the path: who writes wants to see what comes of it. */
  readonly latest: number;
  /** Which entries the tree draws; of this page only, so that no session ever looks empty without a reason in sight. */
  readonly treeFilter: TreeFilter;
  /** The last wish to open or close all calls, all thinking; null: each as it comes. */
  readonly folds: { readonly tools: FoldWish | null; readonly thinking: FoldWish | null };
  /** On a narrow page: which of the tabs at the lower edge is shown. */
  readonly place: "talk" | "tree";
  /** A panel that has no room and slides over the page. */
  readonly sheet: "rail" | "inspector" | null;
}

const PLACE = "espalier.ui";

const first: KeptUi = {
  theme: "system",
  rail: 308,
  inspector: 392,
  railOpen: true,
  inspectorOpen: true,
  railTab: "tree",
  inspectorTab: "context",
  grain: null,
  letterKeys: true,
  leaveWith: "ask",
};

const kept = (): KeptUi => {
  try {
    return { ...first, ...(JSON.parse(localStorage.getItem(PLACE) ?? "{}") as Partial<KeptUi>) };
  } catch {
    return first;
  }
};

export const uiStore = createStore<UiState>(() => ({
  ...kept(),
  reading: null,
  inspected: null,
  chosen: null,
  marked: [],
  palette: false,
  help: false,
  labelling: null,
  judging: null,
  forking: null,
  itemMenu: null,
  leaving: null,
  offered: null,
  latest: 0,
  treeFilter: "default",
  folds: { tools: null, thinking: null },
  place: "talk",
  sheet: null,
}));

/** Changes what a person set, and keeps it. Where storage is refused it holds for this page only. */
export const keepUi = (change: Partial<KeptUi>): void => {
  uiStore.setState(change);
  const state = uiStore.getState();
  const names = Object.keys(first) as (keyof KeptUi)[];
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(names.map((name) => [name, state[name]]))));
  } catch {
    // Private windows may refuse; nothing depends on it.
  }
};

/** Marks an entry for comparing, or takes the mark back; a third mark lets the first one go. */
export const toggleMark = (entry: EntryId): void =>
  uiStore.setState(({ marked }) => ({
    marked: marked.includes(entry) ? marked.filter((one) => one !== entry) : [...marked, entry].slice(-2),
  }));

/** Shows the end of the path that is read. */
export const showLatest = (): void => uiStore.setState((state) => ({ latest: state.latest + 1 }));

/** Opens all calls or all thinking of the transcript; the next time closes them. */
export const toggleFolds = (kind: "tools" | "thinking"): void =>
  uiStore.setState(({ folds }) => {
    const before = folds[kind];
    return { folds: { ...folds, [kind]: { open: !before?.open, turn: (before?.turn ?? 0) + 1 } } };
  });

/** Applies the theme to the document; "system" leaves it to the browser. */
export const applyTheme = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};

/** Light to dark and back, starting from what is shown now. */
export const toggleTheme = (): void => {
  const { theme } = uiStore.getState();
  const dark = theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  keepUi({ theme: dark ? "light" : "dark" });
};
