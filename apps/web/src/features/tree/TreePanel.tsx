import type { Grain, TreeFilter } from "@espalier/core";
import { ChevronsUpDown, ListFilter, Search } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { keepUi, uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { Kbd } from "../../ui/Kbd.tsx";
import { Menu, MenuChoice } from "../../ui/Menu.tsx";
import { plural } from "../../view/format.ts";
import { FoundEntries } from "./FoundEntries.tsx";
import { countTree } from "./outline-model.ts";
import styles from "./Tree.module.css";
import { TreeOutline } from "./TreeOutline.tsx";
import { type TreeModel, useOutline } from "./use-outline.ts";

const GRAINS: readonly { readonly value: Grain; readonly title: string; readonly note: string }[] = [
  { value: "runs", title: "Runs", note: "from fork to fork" },
  { value: "turns", title: "Turns", note: "each message of yours" },
  { value: "groups", title: "Tool groups", note: "each step with its calls" },
  { value: "entries", title: "Entries", note: "each line of the file" },
];

const GrainMenu = ({ grain }: { grain: Grain }) => (
  <Menu
    label="Grain"
    align="end"
    trigger={
      <button type="button" className={styles.grain}>
        <span className="visually-hidden">Grain of the tree:</span>
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

const FilterMenu = ({ filter }: { filter: TreeFilter }) => (
  <Menu
    label="Filter"
    align="end"
    trigger={
      <button
        type="button"
        className={styles.filter}
        data-on={filter === "default" ? undefined : ""}
        aria-label={`Filter of the tree: ${FILTERS.find((each) => each.value === filter)?.title}`}
      >
        <Icon of={ListFilter} size={14} />
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

const Foot = ({ model, entries }: { model: TreeModel; entries: number }) => {
  const counts = useMemo(() => countTree(model.outline), [model.outline]);
  return (
    <div className={styles.foot}>
      <span>
        {model.filter === "default" || model.filter === "all"
          ? plural(counts.entries, "entry", "entries")
          : `${counts.entries} of ${plural(entries, "entry", "entries")}`}
      </span>
      <span>{plural(counts.forks, "fork")}</span>
      <span>{plural(counts.ends, "end")}</span>
    </div>
  );
};

/** The session's tree: find, grain, the outline, and how much there is of it. */
export const TreePanel = ({ onOpened }: { onOpened?: () => void }) => {
  const model = useOutline();
  const { show } = useShown();
  const tree = useSession((open) => open.session?.tree ?? null);
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  if (!model || !tree) return <p className={styles.nothing}>Reading the session.</p>;
  const open = (entry: Parameters<typeof show>[0]): void => {
    show(entry);
    onOpened?.();
  };
  return (
    <>
      <div className={styles.tools}>
        <label className={styles.field}>
          <Icon of={Search} size={14} />
          <input
            ref={field}
            type="search"
            aria-label="Find in tree"
            placeholder="Find in tree"
            value={search}
            data-shortcut="find-in-tree"
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || search === "") return;
              event.stopPropagation();
              setSearch("");
            }}
          />
          {search === "" && <Kbd>f</Kbd>}
        </label>
        <FilterMenu filter={model.filter} />
        <GrainMenu grain={model.grain} />
      </div>
      {search.trim() === "" && model.outline.rows.length === 0 && tree.rows.length > 0 && (
        <p className={styles.nothing}>
          {model.filter === "labelled" ? "Nothing carries a label yet." : "The filter hides every entry."}
        </p>
      )}
      {search.trim() === "" ? (
        <TreeOutline model={model} tree={tree} onOpen={open} />
      ) : (
        <FoundEntries tree={tree} search={search} onOpen={open} />
      )}
      <Foot model={model} entries={tree.rows.length} />
    </>
  );
};
