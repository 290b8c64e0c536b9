import type { MaskedText } from "./masked-text.ts";
import { isPathLike, type Phrase, toPath } from "./path-words.ts";
import type { Action } from "./request-types.ts";

const SHELL = "(?:shell|terminal|console|command line)";

const runOf = (piece: string, text: MaskedText): Action | null => {
  const clean = piece.trim().replace(/\s+please$/i, "");
  const plain = text.isQuoted(clean) ? clean : clean.replace(/[?!]$/, "");
  if (/^(?:all\s+)?(?:the\s+)?(?:unit\s+)?tests?(?:\s+suite)?$/i.test(plain))
    return { kind: "run", command: "npm test" };
  if (/^(?:the\s+)?build$/i.test(plain)) return { kind: "run", command: "npm run build" };
  const command = text.meaning(plain);
  return command === "" ? null : { kind: "run", command };
};

/** Orders to run a command. */
export const run: readonly Phrase[] = [
  { is: /^(?:\$|!|>)\s*(.+)$/s, make: ([, command = ""], text) => runOf(command, text) },
  {
    is: /^(?:run|execute|bash|sh|shell|terminal|command)\s*:\s*(.+)$/is,
    make: ([, command = ""], text) => runOf(command, text),
  },
  {
    is: new RegExp(
      `^(?:type|do|run|execute|enter|try)\\s+(.+?)\\s+(?:in|into|on)\\s+(?:the\\s+|a\\s+)?${SHELL}$`,
      "is",
    ),
    make: ([, command = ""], text) => runOf(command, text),
  },
  {
    is: new RegExp(
      `^(?:in|on)\\s+(?:the\\s+|a\\s+)?${SHELL}[,:]?\\s+(?:run|execute|type|do|enter)?\\s*(.+)$`,
      "is",
    ),
    make: ([, command = ""], text) => runOf(command, text),
  },
  {
    is: new RegExp(`^use\\s+(?:the\\s+)?(?:${SHELL}|bash)\\s+to\\s+(?:run|execute)?\\s*(.+)$`, "is"),
    make: ([, command = ""], text) => runOf(command, text),
  },
  {
    is: /^(?:run|execute|exec|launch|start|try|issue|invoke|fire off|kick off)\s+(?:(?:this|the|a|following|shell|bash)\s+)*(?:(?:command|script|line)\s*:?\s+)?:?\s*(.+)$/is,
    make: ([, command = ""], text) => runOf(command, text),
  },
  { is: /^bash\s+(.+)$/is, make: ([, command = ""], text) => runOf(command, text) },
  {
    is: /^((?:git|npm|npx|node|echo|sleep|pwd|whoami|uname|wc|python3?|cargo|docker|yarn|pnpm|tsc|mkdir)\b.*)$/is,
    make: ([, command = ""], text) => ({ kind: "run", command: text.written(command).trim() }),
  },
];

const editOf = (path: string, oldText: string, newText: string, text: MaskedText): Action | null => {
  const from = text.meaning(oldText);
  const to = text.meaning(newText);
  const file = toPath(path, text);
  return from === "" || file === "" ? null : { kind: "edit", path: file, oldText: from, newText: to };
};

const CHANGE = "(?:replace|change|rename|swap|turn|substitute|fix|update|correct|modify|switch|convert)";
const INTO = "(?:with|to|into|by|for|as|->|=>|\u2192)";
const IN = "(?:in|inside|within|of|from)";

/** Orders to change a part of a file. */
export const edit: readonly Phrase[] = [
  {
    is: new RegExp(
      `^(?:in|inside|within)\\s+(.+?),?\\s+${CHANGE}\\s+(?:the\\s+(?:text|word|line|string)\\s+)?(.+?)\\s+${INTO}\\s+(.+)$`,
      "is",
    ),
    make: ([, path = "", from = "", to = ""], text) => editOf(path, from, to, text),
  },
  {
    is: new RegExp(
      `^(?:edit|update|modify|change|fix|open and edit)\\s+(.+?)\\s*(?:[:,]|\\s+(?:so that|to|and))\\s*(?:${CHANGE}\\s+|replacing\\s+|changing\\s+)?(.+?)\\s+(?:becomes|is replaced by|should be|should become|must be|${INTO})\\s+(.+)$`,
      "is",
    ),
    make: ([all = "", path = "", from = "", to = ""], text) =>
      new RegExp(`\\s${IN}\\s+\\S+$`, "i").test(all) && !isPathLike(text.meaning(path))
        ? null
        : editOf(path, from, to, text),
  },
  {
    is: new RegExp(`^substitute\\s+(.+?)\\s+for\\s+(.+?)\\s+${IN}\\s+(.+)$`, "is"),
    make: ([, to = "", from = "", path = ""], text) => editOf(path, from, to, text),
  },
  {
    is: new RegExp(
      `^${CHANGE}\\s+(?:the\\s+(?:text|word|line|string)\\s+)?(.+?)\\s+${INTO}\\s+(.+)\\s+${IN}\\s+(.+)$`,
      "is",
    ),
    make: ([, from = "", to = "", path = ""], text) => editOf(path, from, to, text),
  },
  {
    is: new RegExp(
      `^${CHANGE}\\s+(?:the\\s+(?:text|word|line|string)\\s+)?(.+?)\\s+${IN}\\s+(.+?)\\s+${INTO}\\s+(.+)$`,
      "is",
    ),
    make: ([, from = "", path = "", to = ""], text) => editOf(path, from, to, text),
  },
  {
    is: new RegExp(
      `^(?:delete|remove|drop|take out|cut)\\s+(?:the\\s+(?:text|word|line|string)\\s+)?(.+?)\\s+(?:from|in|out of)\\s+(.+)$`,
      "is",
    ),
    make: ([, from = "", path = ""], text) => (text.isQuoted(from) ? editOf(path, from, "", text) : null),
  },
];

const writeOf = (path: string, content: string, text: MaskedText): Action | null => {
  const file = toPath(path, text);
  if (file === "" || (!isPathLike(file) && !text.isQuoted(path))) return null;
  const said = text.meaning(content);
  return { kind: "write", path: file, content: said.endsWith("\n") || said === "" ? said : `${said}\n` };
};

const MAKE = "(?:write|create|make|add|generate|produce|start|save|store|put|fill|new)";
const FILE =
  "(?:(?:a|the|an|me a|us a)\\s+)?(?:(?:new|text|empty|small)\\s+)*(?:file\\s+)?(?:(?:called|named|at)\\s+)?";
const HOLDING =
  "(?:with\\s+(?:the\\s+)?(?:contents?|text|words?|line)|with|containing|that\\s+(?:says|contains|reads)|which\\s+(?:says|contains)|saying|holding|reading|whose\\s+contents?\\s+(?:is|are))";

/** Orders to write a file. */
export const write: readonly Phrase[] = [
  {
    is: new RegExp(
      `^${MAKE}\\s+(?:the\\s+(?:text|words?|line)\\s+)?(\ue000\\d+\ue001)\\s+(?:to|into|in|as|at|on)\\s+${FILE}(.+)$`,
      "is",
    ),
    make: ([, content = "", path = ""], text) => writeOf(path, content, text),
  },
  {
    is: new RegExp(`^${MAKE}\\s+${FILE}(.+?)\\s+${HOLDING}\\s*:?\\s+(.+)$`, "is"),
    make: ([, path = "", content = ""], text) => writeOf(path, content, text),
  },
  {
    is: new RegExp(`^(?:in|into|to)\\s+${FILE}(.+?),?\\s+(?:write|put|save|store)\\s*:?\\s+(.+)$`, "is"),
    make: ([, path = "", content = ""], text) => writeOf(path, content, text),
  },
  {
    is: new RegExp(`^(?:${MAKE}|overwrite)\\s+${FILE}([^:\\n]+?)\\s*:\\s*(.+)$`, "is"),
    make: ([, path = "", content = ""], text) => writeOf(path, content, text),
  },
  {
    is: new RegExp(
      `^(?:write|save|store|put)\\s+(?:the\\s+(?:text|words?|line)\\s+)?(.+)\\s+(?:to|into|as|in)\\s+${FILE}(\\S+)$`,
      "is",
    ),
    make: ([, content = "", path = ""], text) => writeOf(path, content, text),
  },
  {
    is: new RegExp(`^(?:create|make|touch|add)\\s+${FILE}(\\S+|\ue000\\d+\ue001)$`, "is"),
    make: ([, path = ""], text) => writeOf(path, "", text),
  },
];
