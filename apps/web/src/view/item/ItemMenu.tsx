import type { EntryId } from "@espalier/protocol";
import {
  Bookmark,
  CornerDownRight,
  Ellipsis,
  Flag,
  FolderInput,
  GitBranch,
  GitCompare,
  GitFork,
  Link,
  Scale,
} from "lucide-react";
import type { MouseEvent } from "react";
import { useStore } from "zustand";
import { BOOKMARK } from "../../store/bookmark.ts";
import { toggleMark, uiStore } from "../../store/ui-store.ts";
import { IconButton } from "../../ui/Button.tsx";
import { MenuItem, MenuLine } from "../../ui/Menu.tsx";
import { PointMenu } from "../../ui/PointMenu.tsx";
import { showToast } from "../../ui/toast-store.ts";
import { copyText } from "../copy-text.ts";
import { useView } from "../view-context.tsx";

/** What asked for the menu that is open: the focus goes back there. */
let askedBy: HTMLElement | null = null;

/** Opens the menu of an item below an element. */
export const openItemMenu = (entry: EntryId, element: HTMLElement, at?: { x: number; y: number }): void => {
  const box = element.getBoundingClientRect();
  askedBy = element;
  uiStore.setState({ itemMenu: { entry, x: at?.x ?? box.left, y: at?.y ?? box.bottom } });
};

/** Opens the menu of an item that has no room for more buttons. */
export const ItemMenuButton = ({ entry }: { entry: EntryId }) => {
  const { goHere } = useView();
  if (!goHere) return null;
  return (
    <IconButton
      label="Actions of this item"
      icon={Ellipsis}
      small
      aria-haspopup="menu"
      onClick={(event: MouseEvent<HTMLElement>) => openItemMenu(entry, event.currentTarget)}
    />
  );
};

/** The address of an entry on this server. */
const linkTo = (entry: EntryId): string =>
  `${location.origin}${location.pathname}?at=${encodeURIComponent(entry)}`;

/** With a place marked, compares it with this one; else marks this one for the next time. */
const CompareItem = ({ entry }: { entry: EntryId }) => {
  const { compare } = useView();
  const marked = useStore(uiStore, (state) => state.marked.findLast((one) => one !== entry));
  const select = (): void => {
    if (marked !== undefined) return compare?.(marked, entry);
    if (!uiStore.getState().marked.includes(entry)) toggleMark(entry);
    showToast("Marked. Now choose the same at another place, here or in the tree.");
  };
  if (!compare) return null;
  return (
    <MenuItem icon={GitCompare} onSelect={select}>
      {marked === undefined ? "Compare with another place" : "Compare with here"}
    </MenuItem>
  );
};

const Verbs = ({ entry }: { entry: EntryId }) => {
  const { goHere, branchFrom, bookmark, fork, tree } = useView();
  const marked = tree?.labels.get(entry);
  return (
    <>
      <MenuItem icon={GitBranch} meta="b" onSelect={() => branchFrom?.(entry)}>
        Branch from here
      </MenuItem>
      <MenuItem icon={CornerDownRight} onSelect={() => goHere?.(entry)}>
        Go here
      </MenuItem>
      <CompareItem entry={entry} />
      <MenuLine />
      <MenuItem icon={Flag} meta="l" onSelect={() => uiStore.setState({ labelling: entry })}>
        {marked === undefined ? "Label" : "Change the label"}
      </MenuItem>
      <MenuItem icon={Bookmark} meta="m" onSelect={() => bookmark?.(entry)}>
        {marked === BOOKMARK ? "Take the bookmark away" : "Bookmark"}
      </MenuItem>
      <MenuItem icon={Scale} meta="r" onSelect={() => uiStore.setState({ judging: entry })}>
        Say how it ended
      </MenuItem>
      <MenuLine />
      <MenuItem icon={GitFork} onSelect={() => fork?.(entry)}>
        Fork to a new session
      </MenuItem>
      <MenuItem icon={FolderInput} onSelect={() => uiStore.setState({ forking: entry })}>
        Fork into another folder
      </MenuItem>
      <MenuItem icon={Link} onSelect={() => void copyText(linkTo(entry))}>
        Copy link
      </MenuItem>
    </>
  );
};

/** The verbs of an item of the transcript: one menu for all items, opened where it was asked for. */
export const ItemMenu = () => {
  const at = useStore(uiStore, (state) => state.itemMenu);
  const close = (): void => {
    uiStore.setState({ itemMenu: null });
    // A dialog that the menu opened has the focus already.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) askedBy?.focus();
    });
  };
  return (
    <PointMenu at={at} onClose={close} label="This item">
      {at !== null && <Verbs entry={at.entry} />}
    </PointMenu>
  );
};
