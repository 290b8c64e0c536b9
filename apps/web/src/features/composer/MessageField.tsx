import {
  type ClipboardEvent,
  type KeyboardEvent,
  type Ref,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import styles from "./Composer.module.css";
import { type Suggestion, Suggestions, suggestionId } from "./Suggestions.tsx";
import { complete, mentions, type Trigger, triggerAt } from "./suggest.ts";

export interface FieldHandle {
  readonly focus: () => void;
}

interface MessageFieldProps {
  text: string;
  placeholder: string;
  handle: Ref<FieldHandle>;
  /** What fits the trigger before the cursor; null while there is none. */
  suggestions: readonly Suggestion[];
  onTrigger: (trigger: Trigger | null) => void;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
}

/** The same text behind the field, where files that are named can have their colour. */
const Mirror = ({ text }: { text: string }) => (
  <div className={styles.mirror} aria-hidden="true">
    {mentions(text).map((piece, index) => (
      // oxlint-disable-next-line react/no-array-index-key -- its place is its identity: pieces are not reordered
      <span key={index} className={piece.mention ? styles.mention : undefined}>
        {piece.text}
      </span>
    ))}{" "}
  </div>
);

/** The text field of the composer: grows with its text, marks `@` files, offers what fits the word before the cursor. */
export const MessageField = (props: MessageFieldProps) => {
  const { text, placeholder, handle, suggestions, onTrigger, onChange, onKeyDown, onPaste } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const [trigger, setTrigger] = useState<Trigger | null>(null);
  const [active, setActive] = useState(0);
  // A message that was sent leaves the field empty without a key press: its suggestions go with it.
  const open = trigger !== null && suggestions.length > 0 && text.length > trigger.from;
  useImperativeHandle(handle, () => ({ focus: () => area.current?.focus() }), []);

  useLayoutEffect(() => {
    const element = area.current;
    if (!element) return;
    const fit = (): void => {
      element.style.height = "0";
      element.style.height = `${element.scrollHeight}px`;
    };
    fit();
    addEventListener("resize", fit);
    return () => removeEventListener("resize", fit);
  }, [text]);

  const look = (value: string, cursor: number): void => {
    const found = triggerAt(value, cursor);
    setTrigger(found);
    setActive(0);
    onTrigger(found);
  };
  const pick = (index: number): void => {
    const suggestion = suggestions[index];
    const element = area.current;
    if (!trigger || !suggestion || !element) return;
    const done = complete(text, element.selectionStart, trigger, suggestion.value);
    onChange(done.text);
    setTrigger(null);
    onTrigger(null);
    requestAnimationFrame(() => element.setSelectionRange(done.cursor, done.cursor));
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => setActive((active + 1) % suggestions.length),
    ArrowUp: () => setActive((active + suggestions.length - 1) % suggestions.length),
    Tab: () => pick(active),
    Enter: () => pick(active),
    Escape: () => setTrigger(null),
  };
  const key = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const typed = trigger ? text.slice(trigger.from, event.currentTarget.selectionStart) : "";
    // What is typed out already needs no second Enter.
    const done = event.key === "Enter" && suggestions[active]?.value.trim() === typed;
    const takes = open && !done && !event.nativeEvent.isComposing && !event.shiftKey;
    const act = takes ? keys[event.key] : undefined;
    if (!act) {
      onKeyDown(event);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  return (
    <div className={styles.field}>
      {open && (
        <Suggestions
          id={list}
          label={trigger.kind === "file" ? "Files" : "Commands"}
          suggestions={suggestions}
          active={active}
          onPick={pick}
        />
      )}
      <Mirror text={text} />
      <textarea
        ref={area}
        className={styles.area}
        aria-label="Message"
        placeholder={placeholder}
        rows={1}
        value={text}
        aria-autocomplete="list"
        {...(open ? { "aria-controls": list, "aria-activedescendant": suggestionId(list, active) } : {})}
        onChange={(event) => {
          onChange(event.target.value);
          look(event.target.value, event.target.selectionStart);
        }}
        onKeyDown={key}
        onPaste={onPaste}
        onBlur={() => setTrigger(null)}
      />
    </div>
  );
};
