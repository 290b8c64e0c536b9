import { Check } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { type Glyph, Icon } from "./icons.tsx";
import styles from "./Menu.module.css";

interface MenuProps {
  /** The button that opens it; must be one element that takes a ref and props. */
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  /** Accessible name of the list. */
  label: string;
}

/** A menu under (or over) a button. Keys: arrows, type-ahead, Enter, Esc. */
export const Menu = ({ trigger, children, align = "start", side = "bottom", label }: MenuProps) => (
  <DropdownMenu.Root>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        className={styles.menu}
        align={align}
        side={side}
        sideOffset={6}
        collisionPadding={8}
        aria-label={label}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

interface MenuItemProps {
  children: ReactNode;
  icon?: Glyph;
  /** A key, a size, a hint: small, at the right. */
  meta?: ReactNode;
  note?: ReactNode;
  disabled?: boolean;
  onSelect: () => void;
}

export const MenuItem = ({ children, icon, meta, note, disabled = false, onSelect }: MenuItemProps) => (
  <DropdownMenu.Item className={styles.item} disabled={disabled} onSelect={onSelect}>
    <span className={styles.mark}>{icon && <Icon of={icon} size={14} />}</span>
    <span className={styles.text}>
      {children}
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </span>
    {meta !== undefined && <span className={styles.meta}>{meta}</span>}
  </DropdownMenu.Item>
);

/** One of several that exclude each other. */
export const MenuChoice = ({
  children,
  chosen,
  meta,
  note,
  onSelect,
}: Omit<MenuItemProps, "icon" | "disabled"> & { chosen: boolean }) => (
  <DropdownMenu.CheckboxItem
    // One of several that exclude each other, without a group around them.
    role="menuitemradio"
    className={styles.item}
    checked={chosen}
    onSelect={onSelect}
  >
    <span className={styles.mark}>{chosen && <Icon of={Check} size={14} />}</span>
    <span className={styles.text}>
      {children}
      {note !== undefined && <span className={styles.note}>{note}</span>}
    </span>
    {meta !== undefined && <span className={styles.meta}>{meta}</span>}
  </DropdownMenu.CheckboxItem>
);

export const MenuHeading = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className={styles.heading}>{children}</DropdownMenu.Label>
);

export const MenuLine = () => <DropdownMenu.Separator className={styles.line} />;
