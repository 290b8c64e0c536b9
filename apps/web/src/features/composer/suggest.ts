/** What stands before the cursor and asks for suggestions. `from` is where the replaced text begins. */
export type Trigger =
  | { readonly kind: "command"; readonly search: string; readonly from: number }
  | { readonly kind: "file"; readonly search: string; readonly from: number };

/** Finds `/word` at the start of the text, or `@path` at the start of a word, right before the cursor. */
export const triggerAt = (text: string, cursor: number): Trigger | null => {
  const before = text.slice(0, cursor);
  const command = /^\/([a-z]*)$/.exec(before);
  if (command) return { kind: "command", search: command[1] ?? "", from: 0 };
  const file = /(?:^|[\s(])@([^\s@]*)$/.exec(before);
  if (file) return { kind: "file", search: file[1] ?? "", from: cursor - (file[1] ?? "").length - 1 };
  return null;
};

/** The text with what the trigger covers replaced, and where the cursor stands then. */
export const complete = (
  text: string,
  cursor: number,
  trigger: Trigger,
  value: string,
): { text: string; cursor: number } => {
  const head = text.slice(0, trigger.from) + value;
  return { text: head + text.slice(cursor), cursor: head.length };
};

/** Pieces of the text, those that name a file marked, for the layer behind the text field. */
export const mentions = (text: string): { text: string; mention: boolean }[] => {
  const pieces: { text: string; mention: boolean }[] = [];
  let at = 0;
  for (const found of text.matchAll(/(^|[\s(])(@[^\s@]+)/g)) {
    const start = found.index + (found[1] ?? "").length;
    if (start > at) pieces.push({ text: text.slice(at, start), mention: false });
    pieces.push({ text: found[2] ?? "", mention: true });
    at = start + (found[2] ?? "").length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), mention: false });
  return pieces;
};
