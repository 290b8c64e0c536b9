import type { MaskedText } from "./masked-text.ts";
import type { Ask } from "./request-types.ts";

const TELL =
  "(?:(?:tell|give|show)\\s+(?:me|us)|say|report|print|name|find out|get|read out|note|quote|what(?:'s|\u2019s|\\s+is|\\s+are|\\s+was)|which\\s+is)";
const THING = "(?:its|their|the|it's|that)";

const counted = (
  what: string,
): Ask["kind"] extends string ? Extract<Ask, { kind: "count" }>["what"] : never => {
  switch (what.toLowerCase().replace(/s$/, "")) {
    case "word":
      return "words";
    case "character":
    case "char":
    case "letter":
    case "byte":
      return "characters";
    case "file":
    case "folder":
    case "entrie":
    case "entry":
    case "thing":
      return "files";
    case "match":
    case "matche":
    case "hit":
    case "place":
    case "result":
    case "time":
      return "matches";
    default:
      return "lines";
  }
};

const UNITS =
  "(lines?|words?|characters?|chars?|letters?|bytes?|files?|folders?|entries|things|matches|hits|places|results|times)";

/** What can follow "show me the" without being the name of a value. */
const NO_KEY =
  /^(?:what\b.*|contents?|files?|folders?|director(?:y|ies)|listing|tree|entries|text|document)\b/i;

interface AskPhrase {
  readonly is: RegExp;
  /** Null: it looked like a question but is an order. */
  readonly make: (found: readonly string[], text: MaskedText) => Ask | null;
}

const phrases: readonly AskPhrase[] = [
  {
    is: new RegExp(
      `^(?:(?:tell|give|show)\\s+me\\s+|say\\s+|report\\s+)?how\\s+many\\s+${UNITS}\\b.*$`,
      "is",
    ),
    make: ([, what = ""]) => ({ kind: "count", what: counted(what) }),
  },
  {
    is: new RegExp(
      `^(?:count|${TELL}\\s+the\\s+(?:number|count)\\s+of)\\s+(?:its\\s+|the\\s+|all\\s+|their\\s+)?${UNITS}\\b.*$`,
      "is",
    ),
    make: ([, what = ""]) => ({ kind: "count", what: counted(what) }),
  },
  {
    is: /^(?:(?:tell|give|show)\s+me\s+|say\s+)?how\s+(?:long|large|big)\s+(?:it\s+is|is\s+it|they\s+are)\b.*$/is,
    make: () => ({ kind: "count", what: "lines" }),
  },
  {
    is: new RegExp(`^${TELL}\\s+${THING}\\s+(first|last)\\s+line\\b.*$`, "is"),
    make: ([, which = ""]) => ({ kind: "line", which: which.toLowerCase() === "last" ? "last" : "first" }),
  },
  {
    is: /^(?:(?:tell|show)\s+me\s+|say\s+|see\s+|check\s+)?(?:if|whether|does|do)\s+(?:it|they|that|this)?\s*(?:contains?|mentions?|has|have|includes?|says?|uses?)\s+(.+?)\s*\??$/is,
    make: ([, wanted = ""], text) => ({ kind: "contains", text: text.meaning(wanted) }),
  },
  {
    is: /^(?:(?:tell|show)\s+me\s+|say\s+|report\s+|see\s+|check\s+)?(?:(?:if|whether)\s+it\s+(?:worked|passed|failed|succeeded)|did\s+it\s+(?:work|pass|fail|succeed)|how\s+it\s+went|the\s+(?:exit code|outcome|result)|what\s+(?:happened|it\s+(?:printed|said|gave|shows))|its\s+output)\s*\??$/is,
    make: () => ({ kind: "outcome" }),
  },
  {
    is: /^(?:(?:summari[sz]e|describe|explain|sum\s+up)(?:\s+(?:it|them|that|this|what you (?:see|find|found)|its\s+contents?|the\s+(?:result|contents?|file)s?))?|(?:tell|give)\s+me\s+(?:what\s+(?:it(?:'s|\u2019s|\s+is)|they\s+are|(?:it|this|that)\s+(?:does|says|contains)|you\s+(?:see|find|found|think))(?:\s+(?:about|for))?|about\s+(?:it|them)|a\s+summary(?:\s+of\s+it)?)|what\s+(?:is\s+it\s+(?:about|for)|does\s+it\s+(?:do|say|contain)))\s*\??$/is,
    make: () => ({ kind: "gist" }),
  },
  {
    is: new RegExp(`^${TELL}\\s+${THING}\\s+(.+?)\\s*\\??$`, "is"),
    make: ([, key = ""], text) =>
      NO_KEY.test(key) || FILE_NAME.test(key) ? null : { kind: "value", key: keyOf(key, text) },
  },
  {
    is: /^(?:what|which)\s+(.+?)\s+(?:does\s+it|do\s+they)\s+(?:have|use|need|say|give|set|want|require)\s*\??$/is,
    make: ([, key = ""], text) => ({ kind: "value", key: keyOf(key, text) }),
  },
];

/** "project name in it" -> "project name". */
const keyOf = (piece: string, text: MaskedText): string =>
  text.meaning(
    piece
      .trim()
      .replace(/[?!.]+$/, "")
      .replace(
        /\s+(?:in|of|from)\s+(?:it|there|that|the\s+(?:file|package|project|module|document|thing))$/i,
        "",
      )
      .replace(/\s+(?:field|key|value|property|entry|setting)$/i, ""),
  );

/** The question a clause asks about earlier results, or null. */
export const parseAsk = (clause: string, text: MaskedText): Ask | null => {
  for (const { is, make } of phrases) {
    const found = is.exec(clause);
    const ask = found && make(found, text);
    if (ask) return ask;
  }
  return null;
};

export interface AskAboutFile {
  readonly ask: Ask;
  /** The file's words, as they stand in the clause. */
  readonly path: string;
  /** It is about a folder. */
  readonly folder?: boolean;
}

const about: readonly {
  readonly is: RegExp;
  readonly make: (found: readonly string[], text: MaskedText) => AskAboutFile | null;
}[] = [
  {
    is: new RegExp(
      `^(?:(?:tell|give|show)\\s+me\\s+|say\\s+)?how\\s+many\\s+(lines?|words?|characters?|chars?|letters?|bytes?)\\s+(?:does|do|are\\s+in|are\\s+there\\s+in|has|is|in|long\\s+is)\\s+(.+?)(?:\\s+(?:have|has|contain|count|long|hold))?\\s*\\??$`,
      "is",
    ),
    make: ([, what = "", path = ""]) => ({ ask: { kind: "count", what: counted(what) }, path }),
  },
  {
    is: /^(?:(?:tell|give|show)\s+me\s+|say\s+)?how\s+many\s+(?:files|folders|entries|things)\s+(?:are|are\s+there|do\s+we\s+have|exist)\s+(?:in|inside|under)\s+(.+?)\s*\??$/is,
    make: ([, path = ""]) => ({ ask: { kind: "count", what: "files" }, path, folder: true }),
  },
  {
    is: /^count\s+(?:the\s+)?(lines?|words?|characters?|chars?|letters?|bytes?)\s+(?:in|of)\s+(.+?)\s*\??$/is,
    make: ([, what = "", path = ""]) => ({ ask: { kind: "count", what: counted(what) }, path }),
  },
  {
    is: /^(?:how\s+(?:long|large|big)\s+is)\s+(.+?)\s*\??$/is,
    make: ([, path = ""]) => (/^it$/i.test(path) ? null : { ask: { kind: "count", what: "lines" }, path }),
  },
  {
    is: /^(?:summari[sz]e|describe|explain|sum\s+up)\s+(?:the\s+(?:file\s+)?)?(.+?)(?:\s+for\s+me)?\s*\??$/is,
    make: ([, path = ""], text) => (isFile(path, text) ? { ask: { kind: "gist" }, path } : null),
  },
  {
    is: new RegExp(`^${TELL}\\s+the\\s+(first|last)\\s+line\\s+(?:in|of|from)\\s+(.+?)\\s*\\??$`, "is"),
    make: ([, which = "", path = ""]) => ({
      ask: { kind: "line", which: which.toLowerCase() === "last" ? "last" : "first" },
      path,
    }),
  },
  {
    is: new RegExp(
      `^${TELL}\\s+(?:the\\s+)?(.+?)\\s+(?:in|of|from|inside|given\\s+in|set\\s+in)\\s+(.+?)\\s*\\??$`,
      "is",
    ),
    make: ([, key = "", path = ""], text) =>
      isFile(path, text) && !/^(?:what\b.*|contents?|files?|text|lines?|everything|all|inside)$/i.test(key)
        ? { ask: { kind: "value", key: keyOf(key, text) }, path }
        : null,
  },
  {
    is: /^(?:does|do)\s+(.+?)\s+(?:contain|mention|have|include|say|use)\s+(.+?)\s*\??$/is,
    make: ([, path = "", wanted = ""], text) =>
      isFile(path, text) ? { ask: { kind: "contains", text: text.meaning(wanted) }, path } : null,
  },
];

const FILE_NAME = /\.\w{1,10}\??$/;

const isFile = (piece: string, text: MaskedText): boolean =>
  FILE_NAME.test(text.meaning(piece)) || text.isQuoted(piece);

/** A question that names the file it is about. */
export const parseAskAboutFile = (clause: string, text: MaskedText): AskAboutFile | null => {
  for (const { is, make } of about) {
    const found = is.exec(clause);
    const asked = found && make(found, text);
    if (asked) return asked;
  }
  return null;
};
