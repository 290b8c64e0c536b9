import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, systemReason, textArgument } from "./define-tool.ts";
import { findPath, notFoundMessage } from "./path-policy.ts";
import { MAX_BYTES, truncateHead } from "./truncate-output.ts";

const DEFAULT_LIMIT = 500;

const parameters = Type.Object({
  path: Type.Optional(Type.String({ description: "Folder to list; the working folder if left out" })),
  limit: Type.Optional(
    Type.Number({ description: `Most entries; ${DEFAULT_LIMIT} if left out`, minimum: 1 }),
  ),
});

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() ?? false;

export const ls = defineTool({
  name: "ls",
  description: `List what is in a folder, hidden names too, in alphabetical order, folders with a slash; at most ${DEFAULT_LIMIT} entries or ${MAX_BYTES / 1024} KB.`,
  parameters,
  effect: "read",
  subject: (args) => textArgument(args, "path") || ".",
  execute: async ({ path = ".", limit = DEFAULT_LIMIT }, { cwd }) => {
    const found = await findPath(path, cwd);
    if (found.kind !== "found") return failed(notFoundMessage(path, found));
    try {
      if (!(await isFolder(found.path))) return failed(`${path} is no folder. Use read for a file.`);
      const entries = await readdir(found.path, { withFileTypes: true });
      entries.sort((a, b) => {
        const [left, right] = [a.name.toLowerCase(), b.name.toLowerCase()];
        return left < right ? -1 : left > right ? 1 : a.name < b.name ? -1 : 1;
      });
      if (entries.length === 0) return said("(The folder is empty.)");
      const rows = await Promise.all(
        entries.slice(0, limit).map(async (entry) => {
          const folder =
            entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(found.path, entry.name))));
          return folder ? `${entry.name}/` : entry.name;
        }),
      );
      const notes =
        entries.length > limit ? [`${entries.length - Math.floor(limit)} more entries: raise limit.`] : [];
      const cut = truncateHead(rows.join("\n"), { maxLines: Number.MAX_SAFE_INTEGER, maxBytes: MAX_BYTES });
      if (cut.truncated) notes.push(`Cut at ${MAX_BYTES / 1024} KB.`);
      return said(`${cut.content}${notes.length === 0 ? "" : `\n\n[${notes.join(" ")}]`}`);
    } catch (error) {
      return failed(`${path} could not be listed: ${systemReason(error)}.`);
    }
  },
});
