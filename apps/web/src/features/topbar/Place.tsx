import { pathToLeaf, type SessionTree } from "@espalier/core";
import type { EntryId } from "@espalier/protocol";
import {
  Bookmark,
  ChevronDown,
  ChevronRight,
  CircleQuestionMark,
  Flag,
  FolderInput,
  GitBranch,
  GitFork,
  RotateCcw,
  Scale,
} from "lucide-react";
import { Fragment, useMemo } from "react";
import { useStore } from "zustand";
import { BOOKMARK } from "../../store/bookmark.ts";
import { useSession, useShown } from "../../store/session-context.tsx";
import { keepUi, uiStore } from "../../store/ui-store.ts";
import { useFolders } from "../../store/use-folders.ts";
import { Icon } from "../../ui/icons.tsx";
import { Menu, MenuItem, MenuLine } from "../../ui/Menu.tsx";
import { count, withoutFolder } from "../../view/format.ts";
import { branchName } from "../../view/item/branch-name.ts";
import { useView } from "../../view/view-context.tsx";
import styles from "./TopBar.module.css";

interface Step {
  readonly entry: EntryId;
  readonly name: string;
  /** Which of how many branches; 0 of 0 for a label. */
  readonly index: number;
  readonly count: number;
}

/** Labels and branches on the way to a leaf, from the root on. */
const stepsTo = (tree: SessionTree, leaf: EntryId | null, folders: readonly string[]): Step[] => {
  const steps: Step[] = [];
  let above: EntryId | null = null;
  for (const entry of pathToLeaf(tree, leaf)) {
    if (tree.isAside(entry)) continue;
    const siblings: readonly EntryId[] = above === null ? [entry] : tree.branches(above);
    const label = tree.labels.get(entry);
    if (siblings.length > 1)
      steps.push({
        entry,
        name: withoutFolder(branchName(tree, entry), folders),
        index: siblings.indexOf(entry) + 1,
        count: siblings.length,
      });
    else if (label !== undefined && label !== BOOKMARK)
      steps.push({ entry, name: label, index: 0, count: 0 });
    above = entry;
  }
  return steps;
};

const useSteps = (): readonly Step[] => {
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  const leaf = useSession((open) => open.view.leafId);
  const folders = useFolders();
  return useMemo(
    () => (tree && version !== undefined ? stepsTo(tree, leaf, folders) : []),
    [tree, version, leaf, folders],
  );
};

/** The branch that is read; null on the trunk. */
export const usePlace = (): Step | null => useSteps().at(-1) ?? null;

/** The branch that is read, as a chip; it opens what can be done with the place one is at. */
export const Place = ({ look }: { look: "chip" }) => {
  const place = usePlace();
  const name = place?.name ?? "main line";
  return (
    <Menu
      label="This place"
      trigger={
        <button type="button" className={styles[look]} title={name} aria-label={`This place: ${name}`}>
          <Icon of={GitBranch} size={12} />
          <span className={styles.clip}>{name}</span>
          <Icon of={ChevronDown} size={12} />
        </button>
      }
    >
      <PlaceItems />
    </Menu>
  );
};

/** What can be done with the end of the path that is read, and with the start of the session. */
export const PlaceItems = () => {
  const { show, actions } = useShown();
  const { bookmark, fork } = useView();
  const leaf = useSession((open) => open.view.leafId);
  const label = useSession((open) => (leaf === null ? undefined : open.session?.tree.labels.get(leaf)));
  const leaveWith = useStore(uiStore, (state) => state.leaveWith);
  const restart = (): void =>
    void actions.goTo(null).then((move) => {
      if (move) show(null);
    });
  return (
    <>
      {leaf !== null && (
        <>
          <MenuItem icon={Flag} meta="l" onSelect={() => uiStore.setState({ labelling: leaf })}>
            Label this place
          </MenuItem>
          <MenuItem icon={Bookmark} meta="m" onSelect={() => bookmark?.(leaf)}>
            {label === BOOKMARK ? "Take the bookmark away" : "Bookmark"}
          </MenuItem>
          <MenuItem icon={Scale} meta="r" onSelect={() => uiStore.setState({ judging: leaf })}>
            Say how this branch ended
          </MenuItem>
          <MenuLine />
          <MenuItem icon={GitFork} onSelect={() => fork?.(leaf)}>
            Fork to a new session
          </MenuItem>
          <MenuItem icon={FolderInput} onSelect={() => uiStore.setState({ forking: leaf })}>
            Fork into another folder
          </MenuItem>
          <MenuLine />
          <MenuItem icon={RotateCcw} onSelect={restart}>
            Restart from the root
          </MenuItem>
        </>
      )}
      {leaveWith !== "ask" && (
        <MenuItem icon={CircleQuestionMark} onSelect={() => keepUi({ leaveWith: "ask" })}>
          Ask again when a branch is left
        </MenuItem>
      )}
    </>
  );
};

/** How many names fit before the last one. */
const SHOWN = 2;

/** The line over the transcript: the way from the root to what is read, and where in the file that is. */
export const WhereLine = () => {
  const { show } = useShown();
  const steps = useSteps();
  const tree = useSession((open) => open.session?.tree);
  const version = useSession((open) => open.session?.treeVersion);
  const reading = useStore(uiStore, (state) => state.reading);
  const numbers = useMemo(() => {
    const drawn = tree && version !== undefined ? tree.rows.filter((row) => !tree.isAside(row.id)) : [];
    return { total: drawn.length, places: new Map(drawn.map((row, index) => [row.id, index + 1])) };
  }, [tree, version]);
  const last = steps.at(-1);
  const before = steps.slice(0, -1);
  const hidden = before.length > SHOWN;
  const root = tree?.rows.find((row) => !tree.isAside(row.id));
  const place = reading === null ? undefined : numbers.places.get(reading);
  return (
    <nav className={styles.where} aria-label="You are on">
      <Icon of={GitBranch} size={12} />
      <button type="button" className={styles.root} onClick={() => root && show(root.id)}>
        root
      </button>
      {hidden && (
        <>
          <Icon of={ChevronRight} size={12} />
          <span>{"\u2026"}</span>
        </>
      )}
      {before.slice(-SHOWN).map((step) => (
        <Fragment key={step.entry}>
          <Icon of={ChevronRight} size={12} />
          <button type="button" className={styles.step} title={step.name} onClick={() => show(step.entry)}>
            {step.name}
          </button>
        </Fragment>
      ))}
      {last && (
        <>
          <Icon of={ChevronRight} size={12} />
          <button
            type="button"
            className={styles.lastStep}
            title={last.name}
            onClick={() => show(last.entry)}
          >
            {last.name}
          </button>
          {last.count > 1 && (
            <span>
              {last.index} of {last.count}
            </span>
          )}
        </>
      )}
      <span className={styles.grow} />
      {place !== undefined && (
        <span className={styles.whereNumber}>
          entry {count(place)} of {count(numbers.total)}
        </span>
      )}
    </nav>
  );
};
