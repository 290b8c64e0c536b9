import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import styles from "./Strips.module.css";

interface StripProps {
  look: "info" | "warn" | "error";
  icon: Glyph;
  children: ReactNode;
  actions?: ReactNode;
  onClose?: () => void;
}

/** One line under the bars that says what is not as it should be, and offers a way out. Read out when it appears. */
export const Strip = ({ look, icon, children, actions, onClose }: StripProps) => (
  <div className={classNames(styles.strip, styles[look])} role={look === "error" ? "alert" : "status"}>
    <Icon of={icon} size={14} />
    <span className={styles.words}>{children}</span>
    {(actions || onClose) && (
      <span className={styles.choices}>
        {actions}
        {onClose && <IconButton label="Close" icon={X} onClick={onClose} />}
      </span>
    )}
  </div>
);
