import type { MaskedText } from "./masked-text.ts";
import { isPathLike, type Phrase, toFolder, toPath } from "./path-words.ts";
import type { Action } from "./request-types.ts";

const listOf = (piece: string | undefined, text: MaskedText): Action => ({
  kind: "list",
  path: toFolder(piece, text),
});

const searchOf = (pattern: string, path: string | undefined, text: MaskedText): Action | null => {
  const plain = pattern
    .trim()
    .replace(/[?!]+$/, "")
    .replace(
      /^(?:all\s+)?(?:the\s+)?(?:any\s+)?(?:uses?|usages?|occurrences?|mentions?|places?|text|word|string|lines?)\s+(?:of\s+|with\s+|containing\s+|that\s+(?:contain|mention|use)\s+)?/i,
      "",
    )
    .replace(/^(?:every|each|any)\s+/i, "")
    .replace(/^where\s+(.+?)\s+(?:is|are|comes?)(?:\s+\w+)?$/i, "$1")
    .replace(/^((?:TODO|FIXME|XXX)s?)\s+(?:comments?|marks?|notes?|items?)$/i, (_all, word: string) =>
      word.replace(/s$/, ""),
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

/** Orders to find files by name. */
export const findFiles: readonly Phrase[] = [
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

/** Orders to search texts. */
export const search: readonly Phrase[] = [
  {
    is: new RegExp(
      `^(?:show|give|list|print|get)\\s+(?:me\\s+)?(?:all\\s+|the\\s+|every\\s+)*(?:lines?|places?|files?|matches|occurrences|uses?)\\s+(?:that\\s+)?(?:containing|contain|mention|mentioning|with|of|using|use|for|where)s?\\s+(.+?)(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
  {
    is: new RegExp(
      `^(?:is|are)\\s+there\\s+(?:any\\s+|a\\s+)?(?:mentions?|uses?|occurrences?|places?|lines?)\\s+(?:of|with|for)\\s+(.+?)(?:\\s+${WHERE}\\s+(.+))?$`,
      "is",
    ),
    make: ([, pattern = "", path], text) => searchOf(pattern, path?.replace(/\?$/, ""), text),
  },
  {
    is: /^grep\s+(?:-\w+\s+)+(\S+)(?:\s+(?:in\s+)?(\S+))?$/is,
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
  {
    is: new RegExp(`^look\\s+up\\s+(.+?)\\s+${WHERE}\\s+(.+)$`, "is"),
    make: ([, pattern = "", path], text) => searchOf(pattern, path, text),
  },
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

/** Orders to list a folder. */
export const list: readonly Phrase[] = [
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
    is: /^(?:show|give|print|display|get|make)\s+(?:me\s+)?(?:the\s+|a\s+)?(?:folder|directory|file|dir)\s+(?:listing|list|tree)(?:\s+(?:of|for|in)\s+(.+))?$/is,
    make: ([, path], text) => listOf(path, text),
  },
  {
    is: /^(?:list|enumerate)\s+(?:all\s+)?(?:the\s+)?(?:what(?:'s|\u2019s|\s+is)|whatever\s+is|everything|things|files|all|names)\s+(?:that\s+(?:is|are)\s+)?(?:in|inside|under|of)\s+(.+)$/is,
    make: ([, path = ""], text) => listOf(path, text),
  },
  {
    is: /^(?:list|enumerate)\s+(.+)$/is,
    make: ([, path = ""], text) => listOf(path, text),
  },
  {
    is: /^(?:what|which)\s+files\s+(?:does|do)\s+(.+?)\s+(?:have|hold|contain)\s*\??$/is,
    make: ([, path], text) => listOf(path, text),
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

/** Orders to read a file. */
export const read: readonly Phrase[] = [
  {
    is: /^(?:what(?:'s|\u2019s|s|\s+is|\s+stands|\s+do\s+we\s+have)\s+(?:in|inside|written\s+in|the\s+contents?\s+of)|what\s+are\s+the\s+contents?\s+of)\s+(.+?)\s*\??$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^what\s+does\s+(.+?)\s+(?:say|contain|hold|look\s+like|have\s+in\s+it)\s*\??$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^(?:let\s+me\s+(?:see|read|have\s+a\s+look\s+at)|(?:have|take)\s+a\s+(?:quick\s+|close\s+)?look\s+(?:at|into)|i\s+(?:want|need|would\s+like)(?:\s+to\s+(?:see|read|look\s+at))?)\s+(.+)$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
  {
    is: /^(?:read|open|cat|print|display|view|show|inspect|check|examine|load|fetch|dump|get|see|head|less|more|type|give|look\s+(?:at|into|in|up)|go\s+(?:over|through)|contents?\s+of|review|study)\s+(?:out\s+|me\s+|us\s+|in\s+|through\s+|up\s+)?(?:what(?:'s|\u2019s|\s+is)\s+(?:in|inside)\s+)?(.+)$/is,
    make: ([, path = ""], text) => readOf(path, text),
  },
];
