import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../../ui/class-names.ts";
import { type Glyph, Icon } from "../../ui/icons.tsx";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { visibleText } from "../visible-text.ts";
import styles from "./Card.module.css";

type CardVariant = "complete" | "missing_results" | "orphaned_result" | "unknown" | "fold";

interface CardFrameProps {
  variant: CardVariant;
  icon: Glyph;
  name: string;
  subject: string;
  /** The subject is a sentence, not a path or command. */
  words?: boolean;
  failed?: boolean;
  waiting?: boolean;
  /** At the right of the head: outcome, time, a link. */
  result?: ReactNode;
  open: boolean;
  /** Absent: there is nothing to open. */
  onToggle?: (() => void) | undefined;
  /** Shown whether open or not. */
  foot?: ReactNode;
  children?: ReactNode;
}

/** Shortens the middle of a long subject: the end of a path says more than its start. */
const Subject = ({ text, words }: { text: string; words: boolean }) => {
  if (words || text.length < 24) return <span className={styles.subjectHead}>{text}</span>;
  const tail = Math.min(22, Math.floor(text.length / 2));
  return (
    <>
      <span className={styles.subjectHead}>{text.slice(0, -tail)}</span>
      <span className={styles.subjectTail}>{text.slice(-tail)}</span>
    </>
  );
};

/** The one card that all tool calls share; its state is told by icon, word and line. */
export const CardFrame = (props: CardFrameProps) => {
  const {
    variant,
    icon,
    name,
    subject,
    words = false,
    failed,
    waiting,
    result,
    open,
    onToggle,
    foot,
    children,
  } = props;
  return (
    <div
      className={styles.card}
      data-variant={variant}
      data-failed={failed || undefined}
      data-waiting={waiting || undefined}
    >
      <header className={styles.head}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={onToggle ? open : undefined}
          disabled={!onToggle}
          onClick={onToggle}
        >
          <Icon of={icon} className={styles.icon} />
          <span className={styles.name}>{name}</span>
          <span
            className={classNames(styles.subject, words && styles.words)}
            title={subject}
            data-mono={words ? undefined : ""}
          >
            <Subject text={visibleText(subject)} words={words} />
          </span>
        </button>
        <span className={styles.result}>{result}</span>
        {onToggle && (
          <button
            type="button"
            className={styles.chevron}
            tabIndex={-1}
            aria-hidden="true"
            onClick={onToggle}
          >
            <Icon of={open ? ChevronDown : ChevronRight} size={14} />
          </button>
        )}
      </header>
      {open && children}
      {foot}
    </div>
  );
};

export const CardBody = ({ children, term }: { children: ReactNode; term?: boolean }) =>
  term ? (
    <ScrollBox label="Output" className={classNames(styles.body, styles.term)} mono>
      {children}
    </ScrollBox>
  ) : (
    <div className={styles.body} data-mono="">
      {children}
    </div>
  );

export const CardNote = ({ children }: { children: ReactNode }) => (
  <div className={styles.note}>{children}</div>
);
