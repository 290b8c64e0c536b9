import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Command } from "lucide-react";
import type { ReactNode } from "react";
import { type Glyph, Icon } from "./icons.tsx";
import styles from "./Kbd.module.css";

/** Signs that our fonts do not hold. */
const DRAWN: Readonly<Record<string, Glyph>> = {
  "\u2318": Command,
  "\u2191": ArrowUp,
  "\u2193": ArrowDown,
  "\u2190": ArrowLeft,
  "\u2192": ArrowRight,
};

/** One key on the keyboard. */
export const Kbd = ({ children }: { children: ReactNode }) => {
  const drawn = typeof children === "string" ? DRAWN[children] : undefined;
  return (
    <kbd className={styles.key} {...(drawn ? { "aria-label": String(children) } : {})}>
      {drawn ? <Icon of={drawn} size={10} strokeWidth={2} /> : children}
    </kbd>
  );
};

/** `Ctrl` or the command sign, as this keyboard has it. */
export const MODIFIER = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "") ? "\u2318" : "Ctrl";
