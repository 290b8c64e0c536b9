import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Tooltip.module.css";

export const TooltipProvider = ({ children }: { children: ReactNode }) => (
  <Radix.Provider delayDuration={500} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
);

/** Says a control's name on hover and focus. The control must have the same accessible name itself. */
export const Tooltip = ({ label, keys, children }: { label: string; keys?: string; children: ReactNode }) => (
  <Radix.Root>
    <Radix.Trigger asChild>{children}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className={styles.tip} sideOffset={6} collisionPadding={8} aria-hidden="true">
        {label}
        {keys !== undefined && <span className={styles.keys}>{keys}</span>}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
