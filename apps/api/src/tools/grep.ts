import { readFile, stat } from "node:fs/promises";
import type { ToolOutput } from "@espalier/core";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, textArgument } from "./define-tool.ts";
import { globTest } from "./glob.ts";
import { findPath, notFoundMessage, shownPath } from "./path-policy.ts";
import { excerpt, type LineMatcher, lineMatcher, toPattern } from "./search-text.ts";
import { linesOf, MAX_BYTES, truncateHead } from "./truncate-output.ts";
import { type Skipped, skippedInWords, walkFolder } from "./walk-folder.ts";

const DEFAULT_LIMIT = 100;
const MAX_FILE_BYTES = 32 * 1024 * 1024;

const parameters = Type.Object({
  pattern: Type.String({ description: "Regular expression (JavaScript), or plain text with literal" }),
  path: Type.Optional(
    Type.String({ description: "Folder or file to search; the working folder if left out" }),
  ),
  glob: Type.Optional(
    Type.String({ description: "Only files whose name or path matches, e.g. *.ts or src/**/*.md" }),
  ),
  ignoreCase: Type.Optional(Type.Boolean({ description: "Large and small letters are the same" })),
  literal: Type.Optional(Type.Boolean({ description: "Take the pattern as plain text" })),
  context: Type.Optional(
    Type.Number({ description: "Lines to show before and after each match", minimum: 0, maximum: 100 }),
  ),
  limit: Type.Optional(
    Type.Number({ description: `Most matches to show; ${DEFAULT_LIMIT} if left out`, minimum: 1 }),
  ),
});

interface Search {
  readonly match: LineMatcher;
  readonly context: number;
  readonly limit: number;
  readonly rows: string[];
  found: number;
  binary: number;
  large: number;
  slow: string[];
}

/** A match and the lines around it; lines that belong to two matches stand once. */
const addMatches = (search: Search, name: string, lines: readonly string[]): void => {
  const matches = search.match(lines, search.limit - search.found + 1);
  if (matches === null) {
    search.slow.push(name);
    return;
  }
  const shown = matches.slice(0, search.limit - search.found);
  const columns = new Map(shown.map(({ line, column }) => [line, column]));
  let last = 0;
  for (const { line } of shown) {
    const from = Math.max(last + 1, line - search.context);
    const to = Math.min(lines.length, line + search.context);
    if (search.context > 0 && last > 0 && from > last + 1) search.rows.push("--");
    for (let at = from; at <= to; at++) {
      const column = columns.get(at);
      const sign = column === undefined ? "-" : ":";
      search.rows.push(`${name}${sign}${at}${sign} ${excerpt(lines[at - 1] ?? "", column ?? 1)}`);
    }
    last = Math.max(last, to);
  }
  search.found += matches.length;
};

const searchFile = async (search: Search, absolute: string, name: string): Promise<void> => {
  const about = await stat(absolute).catch(() => null);
  if (!about?.isFile()) return;
  if (about.size > MAX_FILE_BYTES) {
    search.large += 1;
    return;
  }
  const bytes = await readFile(absolute).catch(() => null);
  if (bytes === null) return;
  if (bytes.subarray(0, 8192).includes(0)) search.binary += 1;
  else addMatches(search, name, linesOf(bytes.toString("utf8")));
};

const report = (search: Search, skipped: Skipped): ToolOutput => {
  const notes = [
    search.binary > 0 ? `${search.binary} binary files were not searched.` : "",
    search.large > 0 ? `${search.large} files over 32 MB were not searched.` : "",
    search.slow.length > 0
      ? `The pattern takes too long on ${search.slow.slice(0, 3).join(", ")}; make it simpler or literal.`
      : "",
  ].filter((note) => note !== "");
  if (search.found === 0) {
    return said(
      ["No matches found.", skippedInWords(skipped), ...notes].filter((note) => note !== "").join(" "),
    );
  }
  if (search.found > search.limit) {
    notes.unshift(`More than ${search.limit} matches: raise limit, or search for something narrower.`);
  }
  const cut = truncateHead(search.rows.join("\n"), {
    maxLines: Number.MAX_SAFE_INTEGER,
    maxBytes: MAX_BYTES,
  });
  if (cut.truncated) notes.push(`Cut at ${MAX_BYTES / 1024} KB.`);
  const note = notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`;
  return said(`${cut.content}${note}`, cut.truncated ? { truncation: { ...cut, content: "" } } : undefined);
};

export const grep = defineTool({
  name: "grep",
  description: `Search the text of files for a pattern. Gives file:line: text, at most ${DEFAULT_LIMIT} matches or ${MAX_BYTES / 1024} KB; of long lines the part around the match. Hidden files are searched, what .gitignore leaves out is not, unless path names it.`,
  parameters,
  effect: "read",
  subject: (args) => textArgument(args, "pattern"),
  execute: async (args, { cwd, signal }) => {
    const typed = args.path ?? ".";
    const pattern = toPattern(args.pattern, args.literal ?? false, args.ignoreCase ?? false);
    if (typeof pattern === "string")
      return failed(`The pattern is no regular expression: ${pattern}. Use literal for plain text.`);
    const found = await findPath(typed, cwd);
    if (found.kind !== "found") return failed(notFoundMessage(typed, found));
    const limit = Math.floor(args.limit ?? DEFAULT_LIMIT);
    const search: Search = {
      match: lineMatcher(pattern),
      context: Math.floor(args.context ?? 0),
      limit,
      rows: [],
      found: 0,
      binary: 0,
      large: 0,
      slow: [],
    };
    const skipped: Skipped = { ignored: 0, links: 0, unreadable: 0 };
    const about = await stat(found.path);
    if (!about.isDirectory()) await searchFile(search, found.path, shownPath(found.path, cwd));
    else {
      const fits = args.glob === undefined ? () => true : globTest(args.glob);
      for await (const entry of walkFolder(found.path, skipped, signal)) {
        if (entry.isFolder || !fits(entry.path)) continue;
        await searchFile(search, entry.absolute, shownPath(entry.absolute, cwd));
        if (search.found > limit) break;
      }
    }
    return signal.aborted ? failed("The search was stopped.") : report(search, skipped);
  },
});
