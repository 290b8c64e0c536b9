import type { QueueItem } from "@espalier/protocol";
import { ChevronDown, ChevronUp, CornerDownRight, GripVertical, ListPlus, Pencil, X } from "lucide-react";
import { type DragEvent, type KeyboardEvent, useState } from "react";
import { useSession, useShown } from "../../store/session-context.tsx";
import { IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { useNarrow } from "../../ui/use-media.ts";
import styles from "./Composer.module.css";

const Editing = ({ item, onDone }: { item: QueueItem; onDone: () => void }) => {
  const { actions } = useShown();
  const [text, setText] = useState(item.text);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onDone();
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    void actions.updateQueued(item.id, { text }).then(onDone);
  };
  return (
    <input
      className={styles.dockEdit}
      aria-label="Queued message"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={onDone}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person opened it to type in it
      autoFocus
    />
  );
};

interface QueuedProps {
  item: QueueItem;
  index: number;
  count: number;
  dragged: string | null;
  onDrag: (id: string | null) => void;
}

const Queued = ({ item, index, count, dragged, onDrag }: QueuedProps) => {
  const { actions } = useShown();
  const [editing, setEditing] = useState(false);
  const move = (to: number) => void actions.updateQueued(item.id, { index: to });
  const steers = item.kind === "steer";
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    if (dragged !== null && dragged !== item.id) void actions.updateQueued(dragged, { index });
    onDrag(null);
  };
  return (
    <li
      draggable={!editing}
      onDragStart={() => onDrag(item.id)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
      onDragEnd={() => onDrag(null)}
    >
      <button
        type="button"
        className={styles.grip}
        aria-label={`Move: place ${index + 1} of ${count}. Arrow keys move it.`}
        onKeyDown={(event) => {
          if (event.key === "ArrowUp" && index > 0) move(index - 1);
          if (event.key === "ArrowDown" && index < count - 1) move(index + 1);
        }}
      >
        <Icon of={GripVertical} size={14} />
      </button>
      {editing ? (
        <Editing item={item} onDone={() => setEditing(false)} />
      ) : (
        <span className={styles.dockText}>
          {steers && <span className={styles.steers}>now: </span>}
          {item.text}
        </span>
      )}
      <IconButton label="Edit" icon={Pencil} small onClick={() => setEditing(true)} />
      <IconButton
        label={steers ? "Send after the run" : "Steer now"}
        icon={steers ? ListPlus : CornerDownRight}
        small
        onClick={() => void actions.updateQueued(item.id, { kind: steers ? "follow_up" : "steer" })}
      />
      <IconButton label="Remove" icon={X} small onClick={() => void actions.removeQueued(item.id)} />
    </li>
  );
};

/** What waits to be sent: to be reordered, edited, sent at once or taken out. */
export const QueueDock = () => {
  const queue = useSession((open) => open.session?.queue ?? none);
  const narrow = useNarrow();
  const [open, setOpen] = useState(false);
  const [dragged, setDragged] = useState<string | null>(null);
  if (queue.length === 0) return null;
  const first = queue[0];
  if (narrow && !open && first)
    return (
      <div className={styles.dock}>
        <button
          type="button"
          className={styles.dockFolded}
          aria-expanded={false}
          onClick={() => setOpen(true)}
        >
          <span className={styles.dockText}>
            {queue.length} queued: {first.text}
          </span>
          <Icon of={ChevronUp} size={14} />
        </button>
      </div>
    );
  return (
    <ul className={styles.dock} aria-label="Queued messages">
      {narrow && (
        <li>
          <button type="button" className={styles.dockFolded} aria-expanded onClick={() => setOpen(false)}>
            <span className={styles.dockText}>{queue.length} queued</span>
            <Icon of={ChevronDown} size={14} />
          </button>
        </li>
      )}
      {queue.map((item, index) => (
        <Queued
          key={item.id}
          item={item}
          index={index}
          count={queue.length}
          dragged={dragged}
          onDrag={setDragged}
        />
      ))}
    </ul>
  );
};

const none: readonly QueueItem[] = [];
