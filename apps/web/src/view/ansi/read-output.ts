import { type Piece, Screen } from "./screen.ts";
import { applyCodes, PLAIN, type TextStyle } from "./text-style.ts";

/*
 * One alternative per kind of control text:
 * CSI with its parameters; OSC, DCS, PM, APC and SOS strings up to their end (or to the end of the text: they may be cut);
 * ESC with intermediates and a final character; a single control character.
 */
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /(?:\u001b\[|\u009b)([0-?]*)([ -/]*)([@-~])?|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b([ -/]*)([0-~])?|[\u0000-\u001f\u007f-\u009f]/g;

const numbers = (text: string): number[] =>
  text === "" ? [] : text.split(/[;:]/).map((part) => Math.min(99_999, Number.parseInt(part, 10) || 0));

/** Writes terminal output on a screen. What we do not know is left out, never shown as text. */
export const writeOutput = (screen: Screen, output: string): void => {
  let at = 0;
  for (const found of output.matchAll(CONTROL)) {
    screen.printAll(output.slice(at, found.index));
    at = found.index + found[0].length;
    const [whole, parameters, intermediates, final, escapeIntermediates, escapeFinal] = found;
    if (final !== undefined && parameters !== undefined) {
      if (intermediates === "" && !/[<-?]/.test(parameters)) screen.sequence(final, numbers(parameters));
    } else if (escapeFinal !== undefined) {
      if (escapeIntermediates === "") screen.escape(escapeFinal);
    } else if (whole.length === 1) screen.control(whole);
  }
  screen.printAll(output.slice(at));
};

// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const ONLY_COLOURS = /^(?:[^\u0000-\u0008\u000b-\u001f\u007f-\u009f]|\u001b\[[0-9;:]*m|\r\n)*$/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const COLOUR = /\u001b\[([0-9;:]*)m/g;

/** Output that only has colours: no screen is needed. */
const readColours = (output: string): Piece[][] => {
  const lines: Piece[][] = [[]];
  let style: TextStyle = PLAIN;
  const add = (text: string): void => {
    text.split("\n").forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, style });
    });
  };
  let at = 0;
  for (const found of output.matchAll(COLOUR)) {
    add(output.slice(at, found.index));
    at = found.index + found[0].length;
    const codes = numbers(found[1] ?? "");
    style = applyCodes(style, codes.length === 0 ? [0] : codes);
  }
  add(output.slice(at));
  return lines;
};

/**
 * Terminal output as lines of pieces: colours kept, carriage returns, cursor moves and erasing carried out, links and titles
 * dropped. No control character is left.
 */
export const readOutput = (output: string): Piece[][] => {
  if (ONLY_COLOURS.test(output)) return readColours(output.replaceAll("\r\n", "\n"));
  const screen = new Screen();
  writeOutput(screen, output);
  return screen.pieces();
};
