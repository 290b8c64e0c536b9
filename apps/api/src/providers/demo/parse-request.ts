import { type MaskedText, maskQuotes } from "./masked-text.ts";
import { parseAction } from "./parse-action.ts";
import { parseAsk, parseAskAboutFile } from "./parse-ask.ts";
import type { Action, Ask, ParsedRequest } from "./request-types.ts";

/** Where a new clause may begin, and whether what follows must wait for what came before. */
const SEPARATOR =
  /(?<wait>\s*\n+\s*(?:[-*\u2022]\s+|\d+[.)]\s+)?|\s*[,;.]?\s+(?:[Aa]nd\s+)?(?:[Tt]hen|[Aa]fter(?:wards|\s+that)|[Nn]ext|[Ff]inally)\b[,:]?\s+|[.!?]\s+)|(?<join>\s*[,;]?\s+(?:and|plus|as well as|also|&)\s+(?:also\s+)?|\s*;\s+|\s*,\s+)/gu;

/** Words a clause can begin with; anything else goes on with the clause before. */
const BEGINS =
  /^(?:\$\s|!\s?\w|read|open|cat|fetch|dump|enumerate|issue|invoke|fill|convert|is there|are there|print|display|view|show|inspect|check|examine|load|get|see|look|let|take|have|give|go|review|study|list|ls|dir|tree|what|which|where|who|whether|if|does|do|did|how|search|grep|rg|find|locate|scan|hunt|run|execute|exec|launch|start|try|type|use|bash|in|on|replace|change|rename|swap|turn|substitute|fix|update|correct|modify|switch|edit|delete|remove|drop|write|create|make|add|save|store|put|new|touch|overwrite|tell|say|report|name|count|note|quote|summari[sz]e|describe|explain|sum|contents?)\b/i;

/** A clause that ends in a file name or a quoted part is over, whatever comes after "then". */
const ENDS = /(?:\.\w{1,10}|\ue001)$/;

/** Kinds of actions that hold words of the person's own, which may look like a further clause. */
const holdsWords = (is: Understood): boolean =>
  is.actions.some(({ kind }) => kind === "search" || kind === "run" || kind === "write" || kind === "edit");

const POLITE =
  /^(?:(?:hi|hello|hey)\b[,!]?\s+(?:there[,!]?\s+|gardener[,!:]?\s+)?|gardener[,:]\s*|please[,]?\s+|kindly\s+|(?:can|could|would|will)\s+you\s+(?:please\s+)?|(?:i\s+)?(?:want|need|would like|'d like|\u2019d like)\s+you\s+to\s+|i(?:'d|\u2019d|\s+would)\s+like\s+you\s+to\s+|let(?:'s|\u2019s|\s+us)\s+|go\s+(?:ahead\s+)?and\s+|just\s+|now[,]?\s+|first(?:ly)?[,]?\s+|next[,]?\s+|finally[,]?\s+|then[,]?\s+|also[,]?\s+|ok(?:ay)?[,]?\s+|so[,]?\s+|well[,]?\s+|and\s+|[-*\u2022]\s+|\d+[.)]\s+)+/i;
const POLITE_END =
  /(?:[,]?\s+(?:please|for me|thanks|thank you|if you can|will you|would you|right now))+\s*[.!?]*$/i;

const trimmed = (clause: string): string => clause.trim().replace(POLITE, "").replace(POLITE_END, "").trim();

interface Clause {
  readonly text: string;
  /** The separator before it, as it was written. */
  readonly before: string;
  readonly waits: boolean;
}

const clausesOf = (masked: string): Clause[] => {
  const clauses: Clause[] = [];
  let from = 0;
  let before = "";
  let waits = false;
  for (const found of masked.matchAll(SEPARATOR)) {
    const rest = masked.slice(found.index + found[0].length);
    const orders = BEGINS.test(rest.replace(POLITE, ""));
    const breaks = found.groups?.wait !== undefined && ENDS.test(masked.slice(from, found.index));
    if (!orders && !breaks) continue;
    clauses.push({ text: masked.slice(from, found.index), before, waits });
    from = found.index + found[0].length;
    before = found[0];
    waits = found.groups?.wait !== undefined;
  }
  clauses.push({ text: masked.slice(from), before, waits });
  return clauses.filter((clause) => clause.text.trim() !== "");
};

interface Understood {
  readonly actions: readonly Action[];
  readonly asks: readonly Ask[];
}

/** "read it", "show me that file again": the file the request spoke of last. */
const IT =
  /^(?:read|open|show|print|view|display|check|cat|look at)\s+(?:me\s+|us\s+)?(?:it|that|this|(?:that|this|the|the new)\s+file)(?:\s+(?:back|again|out|to me|now))*[.!]?$/i;

const understand = (clause: string, text: MaskedText, lastPath: string | undefined): Understood | null => {
  const plain = trimmed(clause);
  if (lastPath !== undefined && IT.test(plain))
    return { actions: [{ kind: "read", path: lastPath }], asks: [] };
  const about = parseAskAboutFile(plain, text);
  const look = about && parseAction(`${about.folder ? "list" : "read"} ${about.path}`, text);
  if (about && look) return { actions: look, asks: [about.ask] };
  const ask = parseAsk(plain, text);
  if (ask) return { actions: [], asks: [ask] };
  const actions = parseAction(plain, text);
  return actions === null ? null : { actions, asks: [] };
};

const pathOf = (actions: readonly Action[]): string | undefined => {
  const last = actions.findLast(
    (action) => action.kind === "read" || action.kind === "write" || action.kind === "edit",
  );
  return last && "path" in last ? last.path : undefined;
};

const smallTalk = (plain: string): ParsedRequest["small"] => {
  const words = plain.trim().replace(/[.!?,]+$/g, "");
  if (/^(?:hi|hello|hey|good (?:morning|evening|day)|hallo)(?:\s+(?:there|gardener))?$/i.test(words))
    return "hello";
  if (
    /^(?:thanks|thank you|thx|great|well done|good|nice|ok|okay|perfect)(?:\b.*)?$/i.test(words) &&
    words.length < 40
  )
    return "thanks";
  if (/^(?:help|\?|what can you do|what do you do|who are you|how do you work|what are you)\b/i.test(words))
    return "help";
  return null;
};

/**
 * Understands a request in plain words. It is split where "and", "then", a line end or a full stop is followed by a word an
 * order begins with; what makes no sense by itself is joined to the part before ("search for read and write").
 */
export const parseRequest = (source: string): ParsedRequest => {
  const text = maskQuotes(source);
  const small = smallTalk(source);
  if (small !== null) return { steps: [], asks: [], unclear: [], small };
  const parts: { clause: Clause; words: string; is: Understood | null }[] = [];
  for (const clause of clausesOf(text.text)) {
    const last = parts.at(-1);
    const lastPath = pathOf(parts.flatMap((part) => part.is?.actions ?? []));
    const is = understand(clause.text, text, lastPath);
    if (last && (is === null || last.is === null)) {
      const joined = `${last.words}${clause.before}${clause.text}`;
      const whole = understand(joined, text, lastPath);
      if (whole !== null && (last.is === null || holdsWords(whole))) {
        parts[parts.length - 1] = { clause: last.clause, words: joined, is: whole };
        continue;
      }
    }
    parts.push({ clause, words: clause.text, is });
  }
  const steps: Action[][] = [];
  const asks: Ask[] = [];
  const unclear: string[] = [];
  for (const { clause, words, is } of parts) {
    if (is === null) unclear.push(text.written(words).trim());
    asks.push(...(is?.asks ?? []));
    if (is === null || is.actions.length === 0) continue;
    const step = steps.at(-1);
    // What comes after a change of a file may need it, whatever the joining word says.
    const changes = step?.some(({ kind }) => kind === "write" || kind === "edit") ?? false;
    if (step && !clause.waits && !changes) step.push(...is.actions);
    else steps.push([...is.actions]);
  }
  return { steps, asks, unclear, small: null };
};
