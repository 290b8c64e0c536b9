import { Lexer, type Token } from "marked";
import remend from "remend";

const plain = (text: string): Token[] => [
  { type: "paragraph", raw: text, text, tokens: [{ type: "text", raw: text, text, escaped: false }] },
];

const lex = (text: string): Token[] => {
  try {
    return [...new Lexer({ gfm: true }).lex(text)];
  } catch {
    // Nesting deep enough to overflow the parser's stack: shown as it was written.
    return plain(text);
  }
};

/** The blocks of a finished text. */
export const parseBlocks = (text: string): readonly Token[] => lex(text);

/** Blocks whose end may still move when text follows after a blank line. */
const CONTINUES = new Set(["list", "blockquote", "html", "table", "def"]);

/** How many leading tokens can no longer change. */
const frozenCount = (tokens: readonly Token[]): number => {
  let last = tokens.length - 1;
  while (last >= 0 && tokens[last]?.type === "space") last -= 1;
  let before = last - 1;
  while (before >= 0 && tokens[before]?.type === "space") before -= 1;
  if (before >= 0 && CONTINUES.has(tokens[before]?.type ?? "")) return before;
  return Math.max(0, last);
};

interface OpenFence {
  readonly mark: string;
  readonly size: number;
  readonly lang: string;
  /** Where the code begins in the tail. */
  readonly start: number;
}

const openFence = (tail: string): OpenFence | null => {
  const found = /^ {0,3}(`{3,}|~{3,})([^\n]*)\n/.exec(tail);
  const marks = found?.[1];
  if (!found || marks === undefined) return null;
  const mark = marks.charAt(0);
  const lang = (found[2] ?? "").trim();
  if (mark === "`" && lang.includes("`")) return null;
  return { mark, size: marks.length, lang, start: found[0].length };
};

/**
 * The blocks of a text that is still growing. Blocks that can no longer change are parsed once and keep their identity; only
 * the tail is parsed again, and an open code fence not even that.
 */
export class GrowingBlocks {
  #text = "";
  #frozen: Token[] = [];
  #frozenLength = 0;
  #tail: Token[] = [];
  /** Where the search for the end of an open fence goes on, in the tail. */
  #searched = 0;

  /** The blocks of `text` so far. A text that does not continue the last one starts afresh. */
  update(text: string): readonly Token[] {
    if (text === this.#text) return this.#all();
    if (!text.startsWith(this.#text)) {
      this.#frozen = [];
      this.#frozenLength = 0;
      this.#searched = 0;
    }
    this.#text = text;
    const tail = text.slice(this.#frozenLength);
    const fence = openFence(tail);
    if (fence && !this.#closes(tail, fence)) {
      const code = tail.slice(fence.start);
      this.#tail = [{ type: "code", raw: tail, lang: fence.lang, text: code }];
      return this.#all();
    }
    this.#freeze(tail);
    return this.#all();
  }

  #all(): readonly Token[] {
    return [...this.#frozen, ...this.#tail];
  }

  #freeze(tail: string): void {
    const tokens = lex(tail);
    const count = frozenCount(tokens);
    const fixed = tokens.slice(0, count);
    const length = fixed.reduce((sum, token) => sum + token.raw.length, 0);
    // Some constructs normalise their text; only what is found again in the source may be dropped from it.
    if (count > 0 && tail.startsWith(fixed.map((token) => token.raw).join(""))) {
      this.#frozen.push(...fixed);
      this.#frozenLength += length;
      this.#searched = 0;
      const rest = tail.slice(length);
      this.#tail = openFence(rest) ? tokens.slice(count) : lex(remend(rest));
    } else this.#tail = openFence(tail) ? tokens : lex(remend(tail));
  }

  /** Whether the fence that the tail begins with is closed; looks only at lines not seen before. */
  #closes(tail: string, fence: OpenFence): boolean {
    let at = Math.max(this.#searched, fence.start);
    const end = new RegExp(`^ {0,3}${fence.mark}{${fence.size},}[ \\t]*$`);
    for (let stop = tail.indexOf("\n", at); stop >= 0; stop = tail.indexOf("\n", at)) {
      if (end.test(tail.slice(at, stop))) return true;
      at = stop + 1;
    }
    this.#searched = at;
    return end.test(tail.slice(at));
  }
}
