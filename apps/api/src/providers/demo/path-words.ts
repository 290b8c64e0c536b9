import type { MaskedText } from "./masked-text.ts";
import type { Action } from "./request-types.ts";

/** One way to say a thing. */
export interface Phrase {
  readonly is: RegExp;
  /** Null: it looked like this kind but is not. */
  readonly make: (found: readonly string[], text: MaskedText) => Action | null;
}

/** Words before a path that are no part of it. */
const PATH_LEAD =
  /^(?:(?:the|this|a|my|our|your|me|us)\s+)?(?:(?:whole|entire|full|contents?\s+of|content\s+of|text\s+of)\s+)*(?:the\s+)?(?:(?:file|document|folder|directory|dir|path)(?:\s+(?:called|named|at))?\s+)?/i;
const POLITE_TAIL = /\s+(?:please|for me|again|now)$/i;
/** "the src folder", but not "the folder my folder". */
const PATH_TAIL = /\s+(?:file|folder|directory|dir|please|for me|again|now)$/i;

/** A path out of words: quotes taken off, "the file ..." too. Unquoted spaces stay: names may have them. */
export const toPath = (piece: string, text: MaskedText): string => {
  if (text.isQuoted(piece)) {
    const inner = piece.replace(PATH_LEAD, "").replace(PATH_TAIL, "").trim();
    return text.meaning(inner);
  }
  const plain = piece.trim().replace(/[?!,;:]+$/, "");
  const bare = plain.replace(/^(?:the|me|us)\s+/i, "").replace(POLITE_TAIL, "");
  const named =
    /^(?:(?:this|a|my|our|your)\s+)?(?:(?:whole|entire|full)\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file|document|folder|directory|dir)(?:\s+(?:called|named|at))?\s+(.+)$/i.exec(
      bare,
    )?.[1];
  const short = bare.replace(PATH_TAIL, "");
  const path = (named ?? (/^(?:my|our|your|a|this)$/i.test(short) ? bare : short)).replace(
    /^contents?\s+of\s+/i,
    "",
  );
  // A full stop ends a sentence, but may be a whole path or the end of one: "." and "..".
  return /[^./]\.$/.test(path) ? path.slice(0, -1) : path;
};

/** Words that mean the working folder. */
const HERE =
  /^(?:\.|here|around|it|there|(?:this|the|my|our|the current|current|the working|working|this working)\s*(?:folder|directory|dir|project|repo|repository|workspace|code ?base|code|sources?|place)?|(?:folder|directory|project|repo|workspace|code ?base|code|sources?)|files|everything|all files|all the files)$/i;

export const toFolder = (piece: string | undefined, text: MaskedText): string => {
  if (piece === undefined || piece.trim() === "") return ".";
  const plain = piece.trim().replace(/[?!,;:]+$/, "");
  if (HERE.test(plain)) return ".";
  const path = toPath(plain, text);
  return HERE.test(path) ? "." : path;
};

export const isPathLike = (piece: string): boolean =>
  /[./~]/.test(piece) ||
  /^(?:makefile|dockerfile|license|readme|changelog|todo|notice|authors)$/i.test(piece.trim());
