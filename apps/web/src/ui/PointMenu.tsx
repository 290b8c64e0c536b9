import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Menu.module.css";

interface PointMenuProps {
  /** Where it opens, px from the window's upper left corner; null: closed. */
  at: { readonly x: number; readonly y: number } | null;
  onClose: () => void;
  /** Accessible name of the list. */
  label: string;
  children: ReactNode;
}

/** A menu at a point: what a right click or a long press asks for. */
export const PointMenu = ({ at, onClose, label, children }: PointMenuProps) => (
  <DropdownMenu.Root open={at !== null} onOpenChange={(open) => !open && onClose()} modal={false}>
    <DropdownMenu.Trigger asChild>
      <span
        aria-hidden="true"
        tabIndex={-1}
        className={styles.point}
        style={{ left: at?.x ?? 0, top: at?.y ?? 0 }}
      />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        className={styles.menu}
        align="start"
        sideOffset={2}
        collisionPadding={8}
        aria-label={label}
        // The focus goes back to what the menu was asked for at, which the asker knows.
        onCloseAutoFocus={(event) => event.preventDefault()}
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);
