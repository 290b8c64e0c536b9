import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";
import styles from "./Tabs.module.css";

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { readonly name: Name; readonly title: string; readonly count?: number }[];
  value: Name;
  onChange: (name: Name) => void;
  children: ReactNode;
  className?: string | undefined;
  /** Stands at the end of the row of tabs. */
  extra?: ReactNode;
}

/** Words with an underline; the panels are `TabPanel`s inside. */
export const Tabs = <Name extends string>(props: TabsProps<Name>) => (
  <Radix.Root
    value={props.value}
    onValueChange={(value) => props.onChange(value as Name)}
    className={props.className ?? styles.root}
  >
    <div className={styles.row}>
      <Radix.List className={styles.tabs} aria-label={props.label}>
        {props.tabs.map((tab) => (
          <Radix.Trigger key={tab.name} value={tab.name} className={styles.tab}>
            {tab.title}
            {tab.count !== undefined && <span className={styles.count}>{tab.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {props.extra}
    </div>
    {props.children}
  </Radix.Root>
);

export const TabPanel = ({ name, children }: { name: string; children: ReactNode }) => (
  <Radix.Content value={name} className={styles.panel} tabIndex={-1}>
    {children}
  </Radix.Content>
);
