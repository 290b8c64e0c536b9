import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { type Folds, useFolded } from "../use-folded.ts";
import styles from "./Item.module.css";

interface FoldableProps {
  icon: Glyph;
  title: string;
  note?: ReactNode;
  open?: boolean;
  /** Opened and closed together with all of this kind. */
  kind?: keyof Folds;
  children: ReactNode;
}

/** One quiet line that opens to more. */
export const Foldable = ({ icon, title, note, open: first = false, kind, children }: FoldableProps) => {
  const [open, toggle] = useFolded(kind ?? null, first);
  return (
    <div className={styles.foldable}>
      <button type="button" className={styles.foldHead} aria-expanded={open} onClick={toggle}>
        <Icon of={icon} size={14} />
        <span>{title}</span>
        {note !== undefined && <span className={styles.foldNote}>{note}</span>}
        <Icon of={open ? ChevronDown : ChevronRight} size={12} />
      </button>
      {open && <div className={styles.foldBody}>{children}</div>}
    </div>
  );
};
