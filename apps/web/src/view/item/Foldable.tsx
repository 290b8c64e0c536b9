import { ChevronDown, ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import styles from "./Item.module.css";

interface FoldableProps {
  icon: Glyph;
  title: string;
  note?: ReactNode;
  open?: boolean;
  children: ReactNode;
}

/** One quiet line that opens to more. */
export const Foldable = ({ icon, title, note, open: first = false, children }: FoldableProps) => {
  const [own, setOwn] = useState<boolean | null>(null);
  const open = own ?? first;
  return (
    <div className={styles.foldable}>
      <button type="button" className={styles.foldHead} aria-expanded={open} onClick={() => setOwn(!open)}>
        <Icon of={icon} size={14} />
        <span>{title}</span>
        {note !== undefined && <span className={styles.foldNote}>{note}</span>}
        <Icon of={open ? ChevronDown : ChevronRight} size={12} />
      </button>
      {open && <div className={styles.foldBody}>{children}</div>}
    </div>
  );
};
