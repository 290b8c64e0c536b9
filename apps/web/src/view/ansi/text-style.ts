/** The eight colours a terminal names. */
type AnsiColour = "black" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "white";

/** How a piece of terminal text looks. Styles are never changed in place. */
export interface TextStyle {
  readonly fg?: AnsiColour;
  readonly bg?: AnsiColour;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly reverse?: boolean;
  readonly hidden?: boolean;
}

export const PLAIN: TextStyle = {};

const NAMES: readonly AnsiColour[] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/**
 * The nearest of the eight colours. Free colours are not taken over: on our paper, light or dark, many could not be read.
 * Parts are 0 to 255.
 */
const nearest = (red: number, green: number, blue: number): AnsiColour => {
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  if (most - least < 48) return most < 96 ? "black" : "white";
  const middle = least + (most - least) * 0.6;
  const index = (red >= middle ? 1 : 0) + (green >= middle ? 2 : 0) + (blue >= middle ? 4 : 0);
  return NAMES[index] ?? "white";
};

const indexed = (code: number): AnsiColour => {
  if (code < 16) return NAMES[code % 8] ?? "white";
  if (code >= 232) return code < 244 ? "black" : "white";
  const cube = code - 16;
  const part = (step: number) => Math.floor(cube / step) % 6;
  return nearest(part(36) * 51, part(6) * 51, part(1) * 51);
};

type Drop = keyof TextStyle;
const without = (style: TextStyle, ...names: readonly Drop[]): TextStyle => {
  const copy: Record<string, unknown> = { ...style };
  for (const name of names) delete copy[name];
  return copy;
};

const SET: Readonly<Record<number, TextStyle>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { reverse: true },
  8: { hidden: true },
  9: { strike: true },
  21: { underline: true },
};
const CLEAR: Readonly<Record<number, readonly Drop[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["reverse"],
  28: ["hidden"],
  29: ["strike"],
  39: ["fg"],
  49: ["bg"],
};

/** Reads a colour after 38 or 48; says how many codes it took. */
const freeColour = (codes: readonly number[], at: number): { colour: AnsiColour | null; used: number } => {
  if (codes[at] === 5) return { colour: indexed((codes[at + 1] ?? 0) & 255), used: 2 };
  if (codes[at] === 2)
    return { colour: nearest(codes[at + 1] ?? 0, codes[at + 2] ?? 0, codes[at + 3] ?? 0), used: 4 };
  return { colour: null, used: 0 };
};

/** The style after `ESC [ codes m`. Codes we do not know change nothing. */
export const applyCodes = (style: TextStyle, codes: readonly number[]): TextStyle => {
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    const set = SET[code];
    const clear = CLEAR[code];
    if (code === 0) next = PLAIN;
    else if (set) next = { ...next, ...set };
    else if (clear) next = without(next, ...clear);
    else if (code === 38 || code === 48) {
      const { colour, used } = freeColour(codes, at + 1);
      at += used;
      if (colour !== null) next = code === 38 ? { ...next, fg: colour } : { ...next, bg: colour };
    } else {
      const colour = NAMES[code % 10];
      if (colour === undefined) continue;
      if ((code >= 30 && code < 38) || (code >= 90 && code < 98)) next = { ...next, fg: colour };
      if ((code >= 40 && code < 48) || (code >= 100 && code < 108)) next = { ...next, bg: colour };
    }
  }
  return next;
};
