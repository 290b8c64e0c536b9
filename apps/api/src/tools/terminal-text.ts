/** Escape sequences are remembered up to this length when a chunk cuts them; longer ones are junk. */
const MAX_PENDING = 4096;

const ESC = 0x1b;
const isControl = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) || (code >= 0x7f && code < 0xa0);

/** Where the sequence that begins at `start` ends (exclusive), and whether it is a colour; null when it is not all there. */
const sequenceEnd = (text: string, start: number): { end: number; colour: boolean } | null => {
  const kind = text.charAt(start + 1);
  if (kind === "") return null;
  if (kind === "[") {
    for (let at = start + 2; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x40 && code <= 0x7e) {
        return {
          end: at + 1,
          colour: text.charAt(at) === "m" && /^[\d;:]*$/.test(text.slice(start + 2, at)),
        };
      }
      if (code < 0x20 || code > 0x7e) return { end: at, colour: false };
    }
    return null;
  }
  // Strings (titles, links, images) run to BEL or ESC \.
  if ("]PX^_".includes(kind)) {
    for (let at = start + 2; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x07) return { end: at + 1, colour: false };
      if (code === ESC) {
        if (at + 1 >= text.length) return null;
        return { end: text.charAt(at + 1) === "\\" ? at + 2 : at, colour: false };
      }
    }
    return null;
  }
  if ("()*+#%".includes(kind)) return text.length > start + 2 ? { end: start + 3, colour: false } : null;
  return { end: start + 2, colour: false };
};

export interface TerminalFilter {
  /** Text that is safe to show and to send: of escape sequences only colours are left. */
  readonly push: (text: string) => string;
  /** What an unfinished sequence at the end leaves: nothing. */
  readonly dropped: () => number;
}

/** Cleans a program's output piece by piece. Control characters other than tab and line ends are left out and counted. */
export const createTerminalFilter = (): TerminalFilter => {
  let pending = "";
  let dropped = 0;
  const push = (piece: string): string => {
    const text = pending + piece;
    pending = "";
    let clean = "";
    let from = 0;
    let at = 0;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (!isControl(code)) {
        at += 1;
        continue;
      }
      clean += text.slice(from, at);
      const sequence = code === ESC ? sequenceEnd(text, at) : { end: at + 1, colour: false };
      if (sequence === null) {
        if (text.length - at <= MAX_PENDING) pending = text.slice(at);
        return clean;
      }
      if (sequence.colour) clean += text.slice(at, sequence.end);
      else if (code !== ESC) dropped += 1;
      at = sequence.end;
      from = at;
    }
    return clean + text.slice(from);
  };
  return { push, dropped: () => dropped };
};
