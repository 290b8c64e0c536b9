import { readFile, stat } from "node:fs/promises";
import type { ToolOutput } from "@espalier/core";
import { Type } from "@sinclair/typebox";
import { applyEdits, type Edit } from "./apply-edits.ts";
import { defineTool, failed, said, systemReason, textArgument } from "./define-tool.ts";
import { editDetails } from "./edit-diff.ts";
import { inTurn, replaceFile } from "./file-changes.ts";
import { findPath, notFoundMessage, realPlace } from "./path-policy.ts";
import { sizeInWords } from "./truncate-output.ts";

const parameters = Type.Object({
  path: Type.String({ description: "File to change, relative to the working folder or absolute" }),
  edits: Type.Array(
    Type.Object({
      oldText: Type.String({
        description: "Text to replace, quoted exactly. It must stand at one place of the original file only.",
      }),
      newText: Type.String({ description: "What to put there" }),
    }),
    { minItems: 1, description: "Replacements, all matched against the original file; they may not overlap" },
  ),
});

const MAX_FILE_BYTES = 32 * 1024 * 1024;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

/** Models send edits as JSON text, as one object, or with oldText and newText beside the path. */
const prepare = (args: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { oldText, newText, ...rest } = args;
  const edits = parsed(rest.edits);
  const list = Array.isArray(edits) ? edits.map(parsed) : isRecord(edits) ? [edits] : edits;
  if (typeof oldText !== "string" || typeof newText !== "string") {
    return { ...args, ...(edits === undefined ? {} : { edits: list }) };
  }
  return { ...rest, edits: [...(Array.isArray(list) ? list : []), { oldText, newText }] };
};

/** The text of a file that is UTF-8 throughout; anything else could not be written back as it was. */
const decodeStrictly = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
};

const change = async (
  place: string,
  shown: string,
  edits: readonly Edit[],
  signal: AbortSignal,
): Promise<ToolOutput> => {
  const about = await stat(place);
  if (!about.isFile()) return failed(`${shown} is no regular file.`);
  if (about.size > MAX_FILE_BYTES) {
    return failed(
      `${shown} has ${sizeInWords(about.size)}; more than ${sizeInWords(MAX_FILE_BYTES)} is not edited.`,
    );
  }
  const bytes = await readFile(place);
  const before = decodeStrictly(bytes);
  if (before === null || bytes.includes(0)) {
    return failed(`${shown} is no UTF-8 text, so it cannot be edited without damage. It was not changed.`);
  }
  const result = applyEdits(before, edits);
  if (!result.ok) return failed(`${shown} was not changed: ${result.error}`);
  if (signal.aborted) return failed(`${shown} was not changed: stopped.`);
  const now = await stat(place);
  if (now.mtimeMs !== about.mtimeMs || now.size !== about.size) {
    return failed(`${shown} was changed by another program meanwhile. Read it again.`);
  }
  await replaceFile(place, Buffer.from(result.text.toWellFormed(), "utf8"));
  const loose = result.loose === 0 ? "" : " (found by ignoring kinds of quotes, dashes and spaces)";
  const count = edits.length === 1 ? "1 replacement" : `${edits.length} replacements`;
  return said(`Edited ${shown}: ${count}${loose}.`, editDetails(shown, before, result.text));
};

export const edit = defineTool({
  name: "edit",
  description:
    "Change a text file by exact replacement. Each edits[].oldText must stand at exactly one place of the original file; all edits are matched against the original and may not overlap. Join changes to the same or neighbouring lines into one edit, and keep each oldText as short as uniqueness allows.",
  parameters,
  effect: "write",
  subject: (args) => textArgument(args, "path"),
  prepare,
  execute: async ({ path, edits }, { cwd, signal }) => {
    try {
      return await inTurn(path, cwd, async () => {
        const found = await findPath(path, cwd);
        if (found.kind !== "found") return failed(notFoundMessage(path, found));
        return change(await realPlace(found.path), path, edits, signal);
      });
    } catch (error) {
      return failed(`${path} was not changed: ${systemReason(error)}.`);
    }
  },
});
