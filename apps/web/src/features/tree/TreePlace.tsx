import { ChevronRight } from "lucide-react";
import { Fragment } from "react";
import { useFolders } from "../../store/use-folders.ts";
import { Icon } from "../../ui/icons.tsx";
import { runName } from "../../view/tree/run-name.ts";
import { branchesTo } from "./outline-model.ts";
import styles from "./Tree.module.css";
import type { TreeModel } from "./use-outline.ts";

/** So many branches are named before the last; of the others it is only said that they are there. */
const SHOWN = 2;

/** Where the row in hand lies: the branches that lead to it. */
export const TreePlace = ({ model, onOpen }: { model: TreeModel; onOpen: (run: number) => void }) => {
  const folders = useFolders();
  const { outline, chosen, here, tip } = model;
  const row = outline.rows[chosen >= 0 ? chosen : here >= 0 ? here : tip];
  if (!row) return null;
  const heads = branchesTo(outline, row.run);
  if (heads.length === 0) return null;
  const shown = heads.slice(-SHOWN - 1);
  return (
    <nav className={styles.place} aria-label="Place in the tree">
      <span>{heads.length > shown.length ? "\u2026" : "root"}</span>
      {shown.map((head) => (
        <Fragment key={head}>
          <Icon of={ChevronRight} size={10} />
          <button type="button" onClick={() => onOpen(head)} title={runName(outline, head, true, folders)}>
            {runName(outline, head, true, folders)}
          </button>
        </Fragment>
      ))}
    </nav>
  );
};
