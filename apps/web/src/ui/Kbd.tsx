import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Command } from "lucide-react";
import type { ReactNode } from "react";
import { type Glyph, Icon } from "./icons.tsx";
import styles from "./Kbd.module.css";

/** Signs that our fonts do not hold. */
const DRAWN: Readonly<Record<string, { readonly glyph: Glyph; readonly name: string }>> = {
  "\u2318": { glyph: Command, name: "Command" },
  "\u2191": { glyph: ArrowUp, name: "Up" },
  "\u2193": { glyph: ArrowDown, name: "Down" },
  "\u2190": { glyph: ArrowLeft, name: "Left" },
  "\u2192": { glyph: ArrowRight, name: "Right" },
};

/** One key on the keyboard. */
export const Kbd = ({ children }: { children: ReactNode }) => {
  const drawn = typeof children === "string" ? DRAWN[children] : undefined;
  return (
    <kbd className={styles.key}>
      {drawn ? (
        <>
          <Icon of={drawn.glyph} size={10} strokeWidth={2} />
          <span className="visually-hidden">{drawn.name}</span>
        </>
      ) : (
        children
      )}
    </kbd>
  );
};

/** `Ctrl` or the command sign, as this keyboard has it. */
export const MODIFIER = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? "") ? "\u2318" : "Ctrl";
