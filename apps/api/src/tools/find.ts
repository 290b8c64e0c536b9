import { stat } from "node:fs/promises";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, textArgument } from "./define-tool.ts";
import { globTest } from "./glob.ts";
import { findPath, notFoundMessage } from "./path-policy.ts";
import { MAX_BYTES, truncateHead } from "./truncate-output.ts";
import { type Skipped, skippedInWords, walkFolder } from "./walk-folder.ts";

const DEFAULT_LIMIT = 1000;

const parameters = Type.Object({
  pattern: Type.String({
    description:
      "Glob: without a slash it is matched with names at any depth, with one with paths below the folder",
  }),
  path: Type.Optional(Type.String({ description: "Folder to search; the working folder if left out" })),
  limit: Type.Optional(
    Type.Number({ description: `Most results; ${DEFAULT_LIMIT} if left out`, minimum: 1 }),
  ),
});

export const find = defineTool({
  name: "find",
  description: `Find files and folders by a glob such as *.ts, src/**/*.md or {a,b}.json. Gives paths relative to the folder searched, folders with a slash; at most ${DEFAULT_LIMIT} or ${MAX_BYTES / 1024} KB. Hidden names are found, what .gitignore leaves out is not, unless path names it.`,
  parameters,
  effect: "read",
  subject: (args) => textArgument(args, "pattern"),
  execute: async ({ pattern, path = ".", limit = DEFAULT_LIMIT }, { cwd, signal }) => {
    const found = await findPath(path, cwd);
    if (found.kind !== "found") return failed(notFoundMessage(path, found));
    if (!(await stat(found.path)).isDirectory()) return failed(`${path} is no folder.`);
    const fits = globTest(pattern);
    const skipped: Skipped = { ignored: 0, links: 0, unreadable: 0 };
    const rows: string[] = [];
    for await (const entry of walkFolder(found.path, skipped, signal)) {
      if (!fits(entry.path)) continue;
      rows.push(entry.isFolder ? `${entry.path}/` : entry.path);
      if (rows.length > limit) break;
    }
    if (signal.aborted) return failed("The search was stopped.");
    if (rows.length === 0) return said(`Nothing found. ${skippedInWords(skipped)}`.trim());
    const notes = rows.length > limit ? [`More than ${limit}: raise limit, or narrow the pattern.`] : [];
    const cut = truncateHead(rows.slice(0, limit).join("\n"), {
      maxLines: Number.MAX_SAFE_INTEGER,
      maxBytes: MAX_BYTES,
    });
    if (cut.truncated) notes.push(`Cut at ${MAX_BYTES / 1024} KB.`);
    return said(`${cut.content}${notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`}`);
  },
});
