import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./Dialog.module.css";
import { focusBack, focusInto } from "./focus-back.ts";
import { Icon } from "./icons.tsx";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** Said under the title. */
  description?: ReactNode;
  children: ReactNode;
  /** "palette": no title bar, near the top. */
  look?: "dialog" | "palette";
  wide?: boolean;
}

const focus = {
  onOpenAutoFocus: (event: Event) => {
    event.preventDefault();
    focusInto(event.target);
  },
  onCloseAutoFocus: (event: Event) => {
    event.preventDefault();
    focusBack();
  },
};

/** A window over the page: focus stays inside, Esc and a click outside close it. */
export const Dialog = ({
  open,
  onClose,
  title,
  description,
  children,
  look = "dialog",
  wide,
}: DialogProps) => {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content
          {...focus}
          className={classNames(styles.dialog, look === "palette" && styles.palette, wide && styles.wide)}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
        >
          {look === "palette" ? (
            <Radix.Title className="visually-hidden">{title}</Radix.Title>
          ) : (
            <header className={styles.head}>
              <Radix.Title className={styles.title}>{title}</Radix.Title>
              {/* No tooltip: it would take the Esc that is meant for the window. */}
              <Radix.Close className={styles.close} aria-label="Close">
                <Icon of={X} size={14} />
              </Radix.Close>
            </header>
          )}
          {description !== undefined && (
            <Radix.Description className={styles.description}>{description}</Radix.Description>
          )}
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};

export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <footer className={styles.foot}>{children}</footer>
);

interface SheetProps {
  open: boolean;
  onClose: () => void;
  title: string;
  side: "left" | "right";
  children: ReactNode;
}

/** A panel that has no room beside the page and slides over it. */
export const Sheet = ({ open, onClose, title, side, children }: SheetProps) => {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={styles.scrim} />
        <Radix.Content
          {...focus}
          className={classNames(styles.sheet, side === "left" ? styles.left : styles.right)}
          aria-describedby={undefined}
        >
          <Radix.Title className="visually-hidden">{title}</Radix.Title>
          {children}
          <Radix.Close className={classNames(styles.close, styles.sheetClose)} aria-label="Close">
            <Icon of={X} size={14} />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};
