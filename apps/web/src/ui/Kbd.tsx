import type { ReactNode } from "react";
import styles from "./Kbd.module.css";

/** One key on the keyboard. */
export const Kbd = ({ children }: { children: ReactNode }) => <kbd className={styles.key}>{children}</kbd>;
