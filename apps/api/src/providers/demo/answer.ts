import { beginning, findValue, lineCount, withoutNotices } from "./look-up.ts";
import { inWords, joined, type PlannedCall } from "./plan-calls.ts";
import type { Action, Ask } from "./request-types.ts";

/** A call that was made, what it was for, and what came of it. */
export interface Done {
  /** Null for a call that no action of the request asked for. */
  readonly action: Action | null;
  readonly call: PlannedCall;
  readonly text: string;
  readonly isError: boolean;
}

const fenced = (text: string): string => {
  const fence = text.includes("```") ? "~~~~" : "```";
  return `${fence}\n${text}\n${fence}`;
};

const EXIT = /\n*Command exited with code (\d+)\s*$/;

/** grep and find by shell answer "nothing" with an exit code. */
const foundNothing = ({ action, text, isError }: Done): boolean => {
  if (action?.kind !== "search" && action?.kind !== "findFiles") return false;
  if (/^(?:No matches found|Nothing found)/.test(text)) return true;
  return isError && /^\(no output\)\s*Command exited with code 1\s*$/.test(text.replaceAll("\n", " "));
};

export const hasFailed = (done: Done): boolean => done.isError && !foundNothing(done);

const reason = (text: string): string => {
  const lines = withoutNotices(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const first = lines[0] ?? "no reason was given";
  return first.length > 300 ? `${first.slice(0, 300).toWellFormed()}...` : first;
};

const countOf = (lines: readonly string[], one: string, many: string): string =>
  lines.length === 1 ? `1 ${one}` : `${lines.length} ${many}`;

const linesIn = (text: string): string[] =>
  withoutNotices(text)
    .split("\n")
    .filter((line) => line !== "");

const failure = (action: Action, text: string): string =>
  action.kind === "run"
    ? `\`${action.command}\` did not end well${EXIT.test(text) ? ` (code ${EXIT.exec(text)?.[1]})` : ""}:\n${fenced(beginning(text.replace(EXIT, ""), 20))}`
    : `I could not ${inWords(action)}: ${reason(text)}`;

const listing = (path: string, text: string): string => {
  if (text.startsWith("(The folder is empty") || text === "(no output)") return `${path} is empty.`;
  const names = linesIn(text);
  return `${path === "." ? "This folder" : path} holds ${countOf(names, "entry", "entries")}:\n${fenced(beginning(text, 40))}`;
};

const nameOf = (done: Done): string => {
  const path = done.call.args.path;
  return typeof path === "string" ? path : "the result";
};

/** What came of one action, for a person. */
const described = (done: Done): string => {
  const { action, text } = done;
  if (action === null) return done.isError ? reason(text) : listing(nameOf(done), text);
  if (foundNothing(done)) {
    return action.kind === "search" ? `"${action.pattern}" occurs nowhere there.` : `There is no such file.`;
  }
  if (done.isError) return failure(action, text);
  switch (action.kind) {
    case "read": {
      const lines = lineCount(text);
      if (lines === 0) return `${action.path} is empty.`;
      return `${action.path} has ${lines === 1 ? "1 line" : `${lines} lines`}${lines > 12 ? " and begins so" : ""}:\n${fenced(beginning(text, 12))}`;
    }
    case "list":
      return listing(action.path, text);
    case "search": {
      const rows = linesIn(text);
      return `"${action.pattern}" occurs in ${countOf(rows, "line", "lines")}:\n${fenced(beginning(text, 20))}`;
    }
    case "findFiles":
      return `Found ${countOf(linesIn(text), "file", "files")}:\n${fenced(beginning(text, 40))}`;
    case "run":
      return text === "(no output)"
        ? `\`${action.command}\` ended well and printed nothing.`
        : `\`${action.command}\` ended well and printed:\n${fenced(beginning(text, 30))}`;
    case "edit":
      return `Changed ${action.path}: "${action.oldText}" is now "${action.newText}".`;
    case "write":
      return `Wrote ${action.path}.`;
  }
};

const countAnswer = (what: Extract<Ask, { kind: "count" }>["what"], done: Done): string => {
  const clean = withoutNotices(done.text).replace(/\n$/, "");
  switch (what) {
    case "lines":
      return `${nameOf(done)} has ${lineCount(done.text)} lines.`;
    case "words":
      return `${nameOf(done)} has ${clean.split(/\s+/).filter((word) => word !== "").length} words.`;
    case "characters":
      return `${nameOf(done)} has ${clean.length} characters.`;
    case "files":
      return `There are ${foundNothing(done) ? 0 : linesIn(done.text).length} entries.`;
    case "matches":
      return `There are ${foundNothing(done) ? 0 : linesIn(done.text).length} matches.`;
  }
};

/** The result a question is about: the last of the kind it can be about, else the last of all. */
const subjectOf = (ask: Ask, done: readonly Done[]): Done | undefined => {
  const last = (...kinds: Action["kind"][]): Done | undefined =>
    done.findLast((each) => each.action !== null && kinds.includes(each.action.kind));
  switch (ask.kind) {
    case "outcome":
      return last("run") ?? done.at(-1);
    case "count":
      if (ask.what === "files") return last("list", "findFiles") ?? done.at(-1);
      if (ask.what === "matches") return last("search") ?? done.at(-1);
      return last("read", "run") ?? done.at(-1);
    case "value":
    case "line":
    case "contains":
    case "gist":
      return last("read") ?? done.at(-1);
  }
};

const answerOne = (ask: Ask, done: Done): string => {
  const text = withoutNotices(done.text);
  switch (ask.kind) {
    case "value": {
      const value = findValue(done.text, ask.key);
      return value === null
        ? `I found no ${ask.key} in ${nameOf(done)}.`
        : `The ${ask.key} in ${nameOf(done)} is ${value}.`;
    }
    case "count":
      return countAnswer(ask.what, done);
    case "line": {
      const lines = text.replace(/\n$/, "").split("\n");
      return `The ${ask.which} line of ${nameOf(done)} is: ${(ask.which === "first" ? lines[0] : lines.at(-1)) ?? ""}`;
    }
    case "contains": {
      const hits = text.split("\n").flatMap((line, index) => (line.includes(ask.text) ? [index + 1] : []));
      return hits.length === 0
        ? `No, ${nameOf(done)} does not contain "${ask.text}".`
        : `Yes, ${nameOf(done)} contains "${ask.text}" in ${hits.length === 1 ? "line" : "lines"} ${joined(hits.slice(0, 10).map(String))}.`;
    }
    case "outcome":
      return done.isError
        ? `It failed: ${reason(done.text)}`
        : `It worked.${text === "(no output)" ? "" : ` It printed:\n${fenced(beginning(text, 20))}`}`;
    case "gist": {
      const title = findValue(done.text, "title") ?? findValue(done.text, "description");
      return `${nameOf(done)} has ${lineCount(done.text)} lines${title === null ? "" : `; it is about: ${title}`}. It begins:\n${fenced(beginning(done.text, 8))}`;
    }
  }
};

/**
 * Answers a request from what the tools gave. A question replaces the plain account of the result it is about; failures are
 * always told. `earlier`: results of turns before, for a question that names nothing.
 */
export const answer = (done: readonly Done[], asks: readonly Ask[], earlier: readonly Done[]): string => {
  const answered = new Set<Done>();
  const replies = asks.map((ask) => {
    const about = subjectOf(ask, done.length > 0 ? done : earlier);
    if (about === undefined)
      return "There is nothing yet that I could look that up in: name a file, for example.";
    if (hasFailed(about) && ask.kind !== "outcome") return `I cannot say: ${reason(about.text)}`;
    answered.add(about);
    return answerOne(ask, about);
  });
  const accounts = done.filter((each) => !answered.has(each)).map(described);
  return [...accounts, ...replies].join("\n\n");
};
