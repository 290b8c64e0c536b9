import type { MaskedText } from "./masked-text.ts";
import type { Action } from "./request-types.ts";

interface Phrase {
  readonly is: RegExp;
  /** Null: it looked like this kind but is not. */
  readonly make: (found: readonly string[], text: MaskedText) => Action | null;
}

/** Words before a path that are no part of it. */
const PATH_LEAD =
  /^(?:(?:the|this|a|my|our|your|me|us)\s+)?(?:(?:whole|entire|full|contents?\s+of|content\s+of|text\s+of)\s+)*(?:the\s+)?(?:(?:file|document|folder|directory|dir|path)(?:\s+(?:called|named|at))?\s+)?/i;
const PATH_TAIL = /\s+(?:file|folder|directory|dir|please|for me|again|now)$/i;

/** A path out of words: quotes taken off, "the file ..." too. Unquoted spaces stay: names may have them. */
const toPath = (piece: string, text: MaskedText): string => {
  if (text.isQuoted(piece)) {
    const inner = piece.replace(PATH_LEAD, "").replace(PATH_TAIL, "").trim();
    return text.meaning(inner);
  }
  const plain = piece.trim().replace(/[?!,;:]+$/, "");
  const bare = plain.replace(/^(?:the|me|us)\s+/i, "").replace(PATH_TAIL, "");
  const named =
    /^(?:(?:this|a|my|our|your)\s+)?(?:(?:whole|entire|full)\s+)?(?:contents?\s+of\s+)?(?:the\s+)?(?:file|document|folder|directory|dir)(?:\s+(?:called|named|at))?\s+(.+)$/i.exec(
      bare,
    )?.[1];
  const path = (named ?? bare).replace(/^contents?\s+of\s+/i, "");
  // A full stop ends a sentence, but may be a whole path or the end of one: "." and "..".
  return /[^./]\.$/.test(path) ? path.slice(0, -1) : path;
};

/** Words that mean the working folder. */
const HERE =
  /^(?:\.|here|around|it|there|(?:this|the|my|our|the current|current|the working|working|this working)\s*(?:folder|directory|dir|project|repo|repository|workspace|place)?|(?:folder|directory|project|repo|workspace)|files|everything|all files|all the files)$/i;

const toFolder = (piece: string | undefined, text: MaskedText): string => {
  if (piece === undefined || piece.trim() === "") return ".";
  const plain = piece.trim().replace(/[?!,;:]+$/, "");
  if (HERE.test(plain)) return ".";
  const path = toPath(plain, text);
  return HERE.test(path) ? "." : path;
};

const isPathLike = (piece: string): boolean =>
  /[./~]/.test(piece) ||
  /^(?:makefile|dockerfile|license|readme|changelog|todo|notice|authors)$/i.test(piece.trim());

const listOf = (piece: string | undefined, text: MaskedText): Action => ({
  kind: "list",
  path: toFolder(piece, text),
});

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

const run: readonly Phrase[] = [
  { is: /^(?:\$|!|>)\s*(.+)$/s, make: ([, command = ""], text) => runOf(command, text) },
  {
    is: /^(?:bash|sh|shell|terminal|command)\s*:\s*(.+)$/is,
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
    is: /^(?:run|execute|exec|launch|start|try|fire off|kick off)\s+(?:(?:this|the|a|following|shell|bash)\s+)*(?:(?:command|script|line)\s*:?\s+)?:?\s*(.+)$/is,
    make: ([, command = ""], text) => runOf(command, text),
  },
];

const editOf = (path: string, oldText: string, newText: string, text: MaskedText): Action | null => {
  const from = text.meaning(oldText);
  const to = text.meaning(newText);
  const file = toPath(path, text);
  return from === "" || file === "" ? null : { kind: "edit", path: file, oldText: from, newText: to };
};

const CHANGE = "(?:replace|change|rename|swap|turn|substitute|fix|update|correct|modify|switch)";
const INTO = "(?:with|to|into|by|for|as|->|=>|\u2192)";
const IN = "(?:in|inside|within|of|from)";

const edit: readonly Phrase[] = [
  {
    is: new RegExp(
      `^(?:in|inside|within)\\s+(.+?),?\\s+${CHANGE}\\s+(?:the\\s+(?:text|word|line|string)\\s+)?(.+?)\\s+${INTO}\\s+(.+)$`,
      "is",
    ),
    make: ([, path = "", from = "", to = ""], text) => editOf(path, from, to, text),
  },
  {
    is: new RegExp(
      `^(?:edit|update|modify|change|fix|open and edit)\\s+(.+?)\\s*(?:[:,]|\\s+(?:so that|to|and))\\s*(?:${CHANGE}\\s+)?(.+?)\\s+(?:becomes|is replaced by|should be|should become|must be|${INTO})\\s+(.+)$`,
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

const MAKE = "(?:write|create|make|add|generate|produce|start|save|store|put|new)";
const FILE =
  "(?:(?:a|the|an|me a|us a)\\s+)?(?:(?:new|text|empty|small)\\s+)*(?:file\\s+)?(?:(?:called|named|at)\\s+)?";
const HOLDING =
  "(?:with\\s+(?:the\\s+)?(?:contents?|text|words?|line)|with|containing|that\\s+(?:says|contains|reads)|which\\s+(?:says|contains)|saying|holding|reading|whose\\s+contents?\\s+(?:is|are))";

const write: readonly Phrase[] = [
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

const searchOf = (pattern: string, path: string | undefined, text: MaskedText): Action | null => {
  const plain = pattern
    .trim()
    .replace(/[?!]+$/, "")
    .replace(
      /^(?:all\s+)?(?:the\s+)?(?:any\s+)?(?:uses?|usages?|occurrences?|mentions?|places?|text|word|string|lines?)\s+(?:of\s+|with\s+|containing\s+|that\s+(?:contain|mention|use)\s+)?/i,
      "",
    );
  const wanted = text.meaning(plain);
  if (wanted === "") return null;
  const folder = toFolder(path, text);
  const isName = !text.isQuoted(plain) && /^\*\.|[*?]\.\w+$|^[\w.-]+\.\w{1,5}$/.test(wanted);
  return isName
    ? { kind: "findFiles", pattern: wanted, path: folder }
    : { kind: "search", pattern: wanted, path: folder };
};

const WHERE = "(?:in|inside|within|under|below|through|throughout|across)";

const findFiles: readonly Phrase[] = [
  {
    is: new RegExp(
      `^(?:find|list|show|locate|get|which)\\s+(?:me\\s+)?(?:all\\s+)?(?:the\\s+)?files?\\s+(?:named|called|matching|like|whose name is|with the name)\\s+(.+?)(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) => ({
      kind: "findFiles",
      pattern: text.meaning(pattern.replace(/[?!]+$/, "")),
      path: toFolder(path, text),
    }),
  },
  {
    is: new RegExp(
      `^(?:find|list|show|locate|get)\\s+(?:me\\s+)?(?:all\\s+)?(?:the\\s+)?(\\*\\S*|\\.\\w+)\\s*(?:files?)?(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) => ({
      kind: "findFiles",
      pattern: pattern.startsWith(".") ? `*${pattern}` : pattern,
      path: toFolder(path, text),
    }),
  },
];

const search: readonly Phrase[] = [
  {
    is: new RegExp(
      `^(?:which|what)\\s+(?:of the\\s+)?(?:files|lines|places)\\s+(?:contain|mention|use|have|hold|include|say)s?\\s+(.+?)(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
  {
    is: new RegExp(
      `^(?:where\\s+(?:is|are|do we use|does)|who\\s+(?:uses|calls|mentions))\\s+(.+?)(?:\\s+(?:used|defined|declared|called|mentioned|set|written|located|appear|occur|stand|come from))?(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) =>
      searchOf(
        pattern
          .replace(/[?!]+$/, "")
          .replace(/\s+(?:used|defined|declared|called|mentioned|set|written|located|appear|occur)$/i, ""),
        path,
        text,
      ),
  },
  {
    is: /^(?:does|do)\s+(?:anything|any file|any of the files|something|the code|the project)\s+(?:mention|use|contain|have|call)s?\s+(.+)$/is,
    make: ([, pattern = ""], text) => searchOf(pattern, undefined, text),
  },
  {
    is: /^(?:search|grep|scan|go through|look through|comb)\s+(?:through\s+)?(?!for\b)(.+?)\s+for\s+(.+)$/is,
    make: ([, path = "", pattern = ""], text) => searchOf(pattern, path, text),
  },
  {
    is: new RegExp(`^(?:search|grep|look|scan|hunt|check)\\s+for\\s+(.+?)(?:\\s+${WHERE}\\s+(.+))?$`, "is"),
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
  {
    is: new RegExp(`^(?:search|grep|rg|find|locate)\\s+(?:me\\s+)?(.+?)(?:\\s+${WHERE}\\s+(.+))?$`, "is"),
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
];

const list: readonly Phrase[] = [
  {
    is: /^(?:ls|dir|tree)(?:\s+-\w+)*(?:\s+(.+))?$/is,
    make: ([, path], text) => listOf(path, text),
  },
  {
    is: /^(?:list|show|display|print|give|get|see|tell)\s+(?:me\s+)?(?:all\s+)?(?:of\s+)?(?:the\s+|a\s+|its\s+)?(?:files|contents?|listing|entries|folders?|director(?:y|ies)|tree)(?:\s+and\s+(?:files|folders|directories))?(?:\s+(?:in|of|inside|under|at|there|here|that are in)\b\s*(.*))?$/is,
    make: ([all = "", path], text) =>
      path !== undefined &&
      /^(?:show|display|print|give|see)\s+(?:me\s+)?(?:the\s+)?contents?\s+of/i.test(all) &&
      isPathLike(text.meaning(path)) &&
      !/\/$|folder|director/i.test(text.meaning(path))
        ? null
        : listOf(path, text),
  },
  {
    is: /^list\s+(.+)$/is,
    make: ([, path = ""], text) => listOf(path, text),
  },
  {
    is: /^(?:what|which)\s+files\s+(?:are|exist|do we have|do i have|have we|can you see)(?:\s+(?:there|here))?(?:\s+(?:in|inside|under)\s+(.+?))?\s*\??$/is,
    make: ([, path], text) => listOf(path, text),
  },
  {
    is: /^what(?:'s|\u2019s|s|\s+is|\s+do\s+we\s+have|\s+lies|\s+can\s+you\s+see)\s+(?:here|around|there|in\s+here|(?:in|inside)\s+((?:this|the)\s+.*?(?:folder|directory|dir|project|repo|repository|workspace).*?|\S+\/|\.\.?|the\s+(?:folder|directory)\s+\S+))\s*\??$/is,
    make: ([, path], text) => listOf(path, text),
  },
  {
    is: /^(?:show|open|view|display|look\s+(?:into|in|at)|see|explore|browse|peek\s+into)\s+(?:me\s+)?(?:what(?:'s|\u2019s|\s+is)\s+in\s+)?((?:the\s+|this\s+)?(?:(?:folder|directory|dir)\s+.+|(?:.+\s+)?(?:folder|directory)|.+\/))$/is,
    make: ([, path = ""], text) => listOf(path, text),
  },
  { is: /^(?:have a\s+)?look\s+(?:around|here)$/is, make: (_found, text) => listOf(undefined, text) },
];

const readOf = (piece: string, text: MaskedText): Action | null => {
  const path = toPath(piece, text);
  if (path === "" || /^(?:it|this|that|them|here|there|me)$/i.test(path)) return null;
  return { kind: "read", path };
};

const read: readonly Phrase[] = [
  {
    is: /^(?:what(?:'s|\u2019s|s|\s+is|\s+stands|\s+do\s+we\s+have)\s+(?:in|inside|written\s+in|the\s+contents?\s+of)|what\s+are\s+the\s+contents?\s+of)\s+(.+?)\s*\??$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^what\s+does\s+(.+?)\s+(?:say|contain|hold|look\s+like|have\s+in\s+it)\s*\??$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^(?:let\s+me\s+(?:see|read|have\s+a\s+look\s+at)|(?:have|take)\s+a\s+(?:quick\s+|close\s+)?look\s+(?:at|into)|i\s+(?:want|need)\s+to\s+(?:see|read))\s+(.+)$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^(?:read|open|cat|print|display|view|show|inspect|check|examine|load|get|see|head|less|more|type|give|look\s+(?:at|into|in|up)|go\s+(?:over|through)|contents?\s+of|review|study)\s+(?:out\s+|me\s+|us\s+|in\s+|through\s+|up\s+)?(.+)$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
];

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
