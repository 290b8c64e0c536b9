import type { Grain, TreeFilter } from "@espalier/core";
import { ChevronsUpDown, ListFilter } from "lucide-react";
import { keepUi, uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuChoice } from "../../ui/Menu.tsx";
import styles from "./TreeMenus.module.css";

const GRAINS: readonly { readonly value: Grain; readonly title: string; readonly note: string }[] = [
  { value: "runs", title: "Runs", note: "from fork to fork" },
  { value: "turns", title: "Turns", note: "each message of yours" },
  { value: "groups", title: "Tool groups", note: "each step with its calls" },
  { value: "entries", title: "Entries", note: "each line of the file" },
];

/** How much one run of the tree holds. */
export const GrainMenu = ({ grain, worded = false }: { grain: Grain; worded?: boolean }) => (
  <Menu
    label="Grain"
    align="end"
    trigger={
      <button type="button" className={styles.grain}>
        <span className={worded ? undefined : "visually-hidden"}>
          {worded ? "Grain:" : "Grain of the tree:"}
        </span>
        {GRAINS.find((each) => each.value === grain)?.title}
        <Icon of={ChevronsUpDown} size={12} />
      </button>
    }
  >
    {GRAINS.map((each) => (
      <MenuChoice
        key={each.value}
        chosen={each.value === grain}
        note={each.note}
        onSelect={() => keepUi({ grain: each.value })}
      >
        {each.title}
      </MenuChoice>
    ))}
  </Menu>
);

const FILTERS: readonly { readonly value: TreeFilter; readonly title: string; readonly note: string }[] = [
  { value: "default", title: "Default", note: "without names, labels and settings" },
  { value: "no-tools", title: "No tools", note: "without what tools gave back" },
  { value: "user", title: "User only", note: "your messages" },
  { value: "labelled", title: "Labelled", note: "entries that carry a label" },
  { value: "all", title: "All", note: "every entry of the file" },
];

/** Which entries the tree draws. */
export const FilterMenu = ({ filter, worded = false }: { filter: TreeFilter; worded?: boolean }) => (
  <Menu
    label="Filter"
    align="end"
    trigger={
      <button
        type="button"
        className={worded ? styles.grain : styles.filter}
        data-on={filter === "default" ? undefined : ""}
        {...(worded
          ? {}
          : { "aria-label": `Filter of the tree: ${FILTERS.find((each) => each.value === filter)?.title}` })}
      >
        <Icon of={ListFilter} size={worded ? 12 : 14} />
        {worded &&
          (filter === "default" ? "All branches" : FILTERS.find((each) => each.value === filter)?.title)}
      </button>
    }
  >
    {FILTERS.map((each) => (
      <MenuChoice
        key={each.value}
        chosen={each.value === filter}
        note={each.note}
        onSelect={() => uiStore.setState({ treeFilter: each.value })}
      >
        {each.title}
      </MenuChoice>
    ))}
  </Menu>
);
