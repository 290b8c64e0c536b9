import type { SessionInfo } from "@espalier/protocol";
import { ListFilter, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { IconButton } from "../../ui/Button.tsx";
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine } from "../../ui/Menu.tsx";
import { shownPath } from "../../view/format.ts";
import { foldersOf, type SessionSort, type SessionView } from "./session-rows.ts";

const SORTS: Readonly<Record<SessionSort, string>> = {
  recent: "Recent",
  name: "Name",
  cost: "Cost",
  size: "Size",
};
const ROOTS: Readonly<Record<SessionView["root"], string>> = { all: "All", espalier: "Ours", pi: "pi" };
const MOST_FOLDERS = 12;

interface ViewMenuProps {
  sessions: readonly SessionInfo[];
  view: SessionView;
  onView: (view: SessionView) => void;
  onTrash: () => void;
}

/** Which sessions are listed, in which order; and the way to the trash. */
export const ViewMenu = ({ sessions, view, onView, onTrash }: ViewMenuProps) => {
  const folders = useMemo(() => foldersOf(sessions).slice(0, MOST_FOLDERS), [sessions]);
  const narrowed = view.root !== "all" || view.folder !== null;
  return (
    <Menu
      label="List of sessions"
      align="end"
      trigger={
        <IconButton
          label={narrowed ? "Sort and filter, some are hidden" : "Sort and filter"}
          icon={ListFilter}
        />
      }
    >
      <MenuHeading>Sort by</MenuHeading>
      {(Object.keys(SORTS) as SessionSort[]).map((sort) => (
        <MenuChoice key={sort} chosen={view.sort === sort} onSelect={() => onView({ ...view, sort })}>
          {SORTS[sort]}
        </MenuChoice>
      ))}
      <MenuLine />
      <MenuHeading>Whose files</MenuHeading>
      {(Object.keys(ROOTS) as SessionView["root"][]).map((root) => (
        <MenuChoice key={root} chosen={view.root === root} onSelect={() => onView({ ...view, root })}>
          {ROOTS[root]}
        </MenuChoice>
      ))}
      <MenuLine />
      <MenuHeading>Folder</MenuHeading>
      <MenuChoice chosen={view.folder === null} onSelect={() => onView({ ...view, folder: null })}>
        All folders
      </MenuChoice>
      {folders.map(({ cwd, count }) => (
        <MenuChoice
          key={cwd}
          chosen={view.folder === cwd}
          meta={count}
          onSelect={() => onView({ ...view, folder: cwd })}
        >
          {cwd === "" ? "unknown folder" : shownPath(cwd)}
        </MenuChoice>
      ))}
      <MenuLine />
      <MenuItem icon={Trash2} onSelect={onTrash}>
        Trash
      </MenuItem>
    </Menu>
  );
};
