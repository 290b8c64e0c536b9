import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import styles from "./Splitter.module.css";

interface SplitterProps {
  label: string;
  /** Width of the panel it sizes, px. */
  value: number;
  min: number;
  max: number;
  /** On which side of the splitter that panel lies. */
  panel: "left" | "right";
  onChange: (value: number) => void;
}

/** A line between two panels that can be dragged, or moved by arrow keys (Home and End: narrowest and widest). */
export const Splitter = ({ label, value, min, max, panel, onChange }: SplitterProps) => {
  const start = useRef<{ x: number; value: number } | null>(null);
  const direction = panel === "left" ? 1 : -1;
  const set = (next: number) => onChange(Math.round(Math.min(max, Math.max(min, next))));

  const down = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, value };
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    const from = start.current;
    if (from) set(from.value + direction * (event.clientX - from.x));
  };
  const key = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = event.shiftKey ? 48 : 16;
    const moves: Record<string, number> = {
      ArrowLeft: value - direction * step,
      ArrowRight: value + direction * step,
      Home: min,
      End: max,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot take focus or be dragged
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      className={styles.splitter}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => {
        start.current = null;
      }}
      onKeyDown={key}
    />
  );
};
