import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, systemReason, textArgument } from "./define-tool.ts";
import { inTurn, replaceFile } from "./file-changes.ts";
import { findPath, realPlace } from "./path-policy.ts";
import { byteLength, sizeInWords } from "./truncate-output.ts";

const parameters = Type.Object({
  path: Type.String({ description: "File to write, relative to the working folder or absolute" }),
  content: Type.String({ description: "The whole new content" }),
});

export const write = defineTool({
  name: "write",
  description:
    "Write a whole file: new, or in place of what was there. Missing folders are made. Use edit for changes to a part of a file.",
  parameters,
  effect: "write",
  subject: (args) => textArgument(args, "path"),
  execute: async ({ path, content }, { cwd, signal }) => {
    try {
      return await inTurn(path, cwd, async () => {
        const place = await realPlace((await findPath(path, cwd)).path);
        const before = await stat(place).catch(() => null);
        if (before?.isDirectory()) return failed(`${path} is a folder; it was not written.`);
        if (signal.aborted) return failed(`${path} was not written: stopped.`);
        await mkdir(dirname(place), { recursive: true });
        await replaceFile(place, Buffer.from(content.toWellFormed(), "utf8"));
        const what = before === null ? "Created" : "Overwrote";
        return said(`${what} ${path} (${sizeInWords(byteLength(content))}).`, { created: before === null });
      });
    } catch (error) {
      return failed(`${path} was not written: ${systemReason(error)}.`);
    }
  },
});
