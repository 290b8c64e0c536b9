import type { EntryId } from "@espalier/protocol";
import { Check, Circle, Search, X } from "lucide-react";
import { useMemo, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { uiStore } from "../../store/ui-store.ts";
import { Icon } from "../../ui/icons.tsx";
import { Kbd } from "../../ui/Kbd.tsx";
import { plural, shortCount } from "../../view/format.ts";
import { countEndings } from "../../view/tree/run-sums.ts";
import { firstRowOf } from "../../view/tree/run-words.ts";
import { FilterMenu, GrainMenu } from "../../view/tree/TreeMenus.tsx";
import { FoundEntries } from "./FoundEntries.tsx";
import { countTree } from "./outline-model.ts";
import styles from "./Tree.module.css";
import { TreeOutline } from "./TreeOutline.tsx";
import { TreePlace } from "./TreePlace.tsx";
import { type TreeModel, useOutline } from "./use-outline.ts";

const short = (value: number, one: string, many: string): string =>
  value < 10_000 ? plural(value, one, many) : `${shortCount(value)} ${many}`;

const Foot = ({ model, entries }: { model: TreeModel; entries: number }) => {
  const counts = useMemo(() => countTree(model.outline), [model.outline]);
  const { ok, failed, abandoned, open } = countEndings(model.outline);
  const endings = [
    { words: "worked", number: ok, icon: Check, look: styles.good },
    { words: "failed", number: failed, icon: X, look: styles.bad },
    { words: "open or left", number: open + abandoned, icon: Circle, look: undefined },
  ];
  return (
    <div className={styles.foot}>
      <span>
        {model.filter === "default" || model.filter === "all"
          ? short(counts.entries, "entry", "entries")
          : `${counts.entries} of ${short(entries, "entry", "entries")}`}
      </span>
      <span>{short(counts.forks, "fork", "forks")}</span>
      <span>{short(counts.ends, "end", "ends")}</span>
      <span className={styles.grow} />
      {endings.map(
        ({ words, number, icon, look }) =>
          number > 0 && (
            <span key={words} className={styles.ending} title={`${number} ${words}`}>
              {shortCount(number)}
              <Icon of={icon} size={12} className={look} />
              <span className="visually-hidden">{words}</span>
            </span>
          ),
      )}
    </div>
  );
};

const SearchField = ({ search, onChange }: { search: string; onChange: (search: string) => void }) => (
  <label className={styles.field}>
    <Icon of={Search} size={14} />
    <input
      type="search"
      aria-label="Find in tree"
      placeholder="Find in tree"
      value={search}
      data-shortcut="find-in-tree"
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || search === "") return;
        event.stopPropagation();
        onChange("");
      }}
    />
    {search === "" && <Kbd>f</Kbd>}
  </label>
);

/** The session's tree: find, grain, the outline, and how much there is of it. */
export const TreePanel = ({ onOpened }: { onOpened?: () => void }) => {
  const model = useOutline();
  const { show, mode } = useShown();
  const tree = useSession((open) => open.session?.tree ?? null);
  const version = useSession((open) => open.session?.treeVersion ?? 0);
  const [search, setSearch] = useState("");
  if (!model || !tree) return <p className={styles.nothing}>Reading the session.</p>;
  const open = (entry: Parameters<typeof show>[0]): void => {
    show(entry);
    onOpened?.();
  };
  const take =
    mode.kind !== "map"
      ? undefined
      : (entry: EntryId): void => {
          uiStore.setState({ chosen: entry });
          onOpened?.();
        };
  const idle = search.trim() === "";
  return (
    <>
      <div className={styles.tools}>
        <SearchField search={search} onChange={setSearch} />
        <FilterMenu filter={model.filter} />
        <GrainMenu grain={model.grain} />
      </div>
      {idle && (
        <TreePlace
          model={model}
          onOpen={(run) => uiStore.setState({ chosen: firstRowOf(model.outline, run)?.id ?? null })}
        />
      )}
      {idle && model.outline.rows.length === 0 && tree.rows.length > 0 && (
        <p className={styles.nothing}>
          {model.filter === "labelled" ? "Nothing carries a label yet." : "The filter hides every entry."}
        </p>
      )}
      {idle ? (
        <TreeOutline model={model} onTake={take} onOpen={open} />
      ) : (
        <FoundEntries tree={tree} version={version} search={search} onOpen={take ?? open} />
      )}
      <Foot model={model} entries={tree.rows.length} />
    </>
  );
};
