import { edit, run, write } from "./change-phrases.ts";
import { findFiles, list, read, search } from "./look-phrases.ts";
import type { MaskedText } from "./masked-text.ts";
import { isPathLike, type Phrase, toPath } from "./path-words.ts";
import type { Action } from "./request-types.ts";

/** Several paths after one verb: "read a.txt, b.txt and c.txt". */
const several = (action: Action, text: MaskedText, piece: string): Action[] => {
  if (action.kind !== "read" && action.kind !== "list") return [action];
  const parts = piece.split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*/i).filter((part) => part.trim() !== "");
  const looksLikeMany = parts.length > 1 && parts.every((part) => text.isQuoted(part) || isPathLike(part));
  if (!looksLikeMany) return [action];
  return parts.map((part) => ({ kind: action.kind, path: toPath(part, text) }));
};

const isEverySort: readonly (readonly Phrase[])[] = [write, edit, run, findFiles, list, search, read];

/** The actions a clause asks for: one, or several of a kind; null when it asks for none that we know. */
export const parseAction = (clause: string, text: MaskedText): Action[] | null => {
  for (const phrases of isEverySort) {
    for (const { is, make } of phrases) {
      const found = is.exec(clause);
      const action = found && make(found, text);
      if (action) return several(action, text, found.at(-1) ?? "");
    }
  }
  return null;
};
