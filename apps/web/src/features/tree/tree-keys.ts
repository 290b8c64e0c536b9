import type { OutlineRow } from "@espalier/core";

/** What a key does in the tree. */
export type TreeMove =
  | { readonly kind: "focus"; readonly index: number }
  | { readonly kind: "toggle"; readonly index: number; readonly open: boolean }
  | { readonly kind: "siblings"; readonly index: number }
  | { readonly kind: "open"; readonly index: number }
  | { readonly kind: "mark"; readonly index: number };

const parentOf = (rows: readonly OutlineRow[], index: number): number => {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at -= 1) if ((rows[at]?.level ?? 1) < level) return at;
  return -1;
};

const firstChildOf = (rows: readonly OutlineRow[], index: number): number =>
  (rows[index + 1]?.level ?? 0) > (rows[index]?.level ?? 0) ? index + 1 : -1;

/** The move of a key by the tree pattern of WAI-ARIA; null for keys that mean nothing here. */
export const treeMove = (rows: readonly OutlineRow[], index: number, key: string): TreeMove | null => {
  const row = rows[index];
  if (!row) return rows.length > 0 ? { kind: "focus", index: 0 } : null;
  const focus = (to: number): TreeMove | null =>
    to >= 0 && to < rows.length ? { kind: "focus", index: to } : null;
  switch (key) {
    case "ArrowDown":
      return focus(index + 1);
    case "ArrowUp":
      return focus(index - 1);
    case "Home":
      return focus(0);
    case "End":
      return focus(rows.length - 1);
    case "PageDown":
      return focus(Math.min(rows.length - 1, index + 15));
    case "PageUp":
      return focus(Math.max(0, index - 15));
    case "ArrowRight":
      return row.fold === "closed" ? { kind: "toggle", index, open: true } : focus(firstChildOf(rows, index));
    case "ArrowLeft":
      return row.fold === "open" ? { kind: "toggle", index, open: false } : focus(parentOf(rows, index));
    case "*":
      return { kind: "siblings", index };
    case "Enter":
      return { kind: "open", index };
    case " ":
      return { kind: "mark", index };
    default:
      return null;
  }
};

/** So many rows are looked at: a letter that nothing begins with must not be felt. */
const FAR = 20_000;

/** The next of `count` rows whose title begins with what was typed, from the focused one on, around the end; -1: none near. */
export const typeAhead = (
  titleAt: (index: number) => string,
  count: number,
  index: number,
  typed: string,
): number => {
  const wanted = typed.toLowerCase();
  const start = typed.length > 1 ? 0 : 1;
  for (let step = start; step <= Math.min(count, FAR); step += 1) {
    const at = (index + step) % count;
    if (titleAt(at).slice(0, wanted.length).toLowerCase() === wanted) return at;
  }
  return -1;
};
