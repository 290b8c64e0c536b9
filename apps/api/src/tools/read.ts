import { open, readFile, stat } from "node:fs/promises";
import type { ToolOutput } from "@espalier/core";
import { Type } from "@sinclair/typebox";
import { defineTool, failed, said, systemReason, textArgument } from "./define-tool.ts";
import { type ImageHead, MAX_IMAGE_BASE64, MAX_IMAGE_SIDE, readImageHead } from "./image-file.ts";
import { findPath, notFoundMessage } from "./path-policy.ts";
import { readLines } from "./read-lines.ts";
import { linesOf, MAX_BYTES, MAX_LINES, sizeInWords, truncateHead } from "./truncate-output.ts";

const parameters = Type.Object({
  path: Type.String({ description: "File to read, relative to the working folder or absolute" }),
  offset: Type.Optional(Type.Number({ description: "First line to read, counted from 1", minimum: 1 })),
  limit: Type.Optional(Type.Number({ description: "How many lines to read at most", minimum: 1 })),
});

const HEAD_BYTES = 64 * 1024;

const readHead = async (path: string): Promise<Uint8Array> => {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
};

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

const readImage = async (path: string, shown: string, head: ImageHead, size: number): Promise<ToolOutput> => {
  const { width, height, mimeType } = head;
  const pixels = width === null || height === null ? "of unknown size" : `${width} x ${height} pixels`;
  if ((width ?? 0) > MAX_IMAGE_SIDE || (height ?? 0) > MAX_IMAGE_SIDE) {
    return failed(
      `${shown} is an image of ${pixels}; no side may be longer than ${MAX_IMAGE_SIDE}. Make a smaller copy and read that.`,
    );
  }
  if (base64Length(size) > MAX_IMAGE_BASE64) {
    return failed(
      `${shown} is an image of ${sizeInWords(size)} (${pixels}); more than ${sizeInWords((MAX_IMAGE_BASE64 / 4) * 3)} cannot be sent. Make a smaller copy and read that.`,
    );
  }
  const data = (await readFile(path)).toString("base64");
  return {
    content: [
      { type: "text", text: `Image ${shown} [${mimeType}], ${pixels}, sent as it is.` },
      { type: "image", data, mimeType },
    ],
    isError: false,
  };
};

/** What a reader must know about what was left out, in the numbers of the file. */
const notice = (
  cut: ReturnType<typeof truncateHead>,
  offset: number,
  asked: number,
  totalLines: number,
): string => {
  const last = offset + cut.outputLines - 1;
  if (cut.truncated) {
    const why = cut.truncatedBy === "bytes" ? ` (${sizeInWords(MAX_BYTES)} at most)` : "";
    return `\n\n[Lines ${offset}-${last} of ${totalLines}${why}. Go on with offset=${last + 1}.]`;
  }
  const left = totalLines - (offset + asked - 1);
  return left > 0 ? `\n\n[${left} more lines in the file. Go on with offset=${offset + asked}.]` : "";
};

const readText = async (
  path: string,
  shown: string,
  offset: number,
  limit: number | undefined,
  signal: AbortSignal,
): Promise<ToolOutput> => {
  const asked = Math.min(limit ?? MAX_LINES + 1, MAX_LINES + 1);
  const window = await readLines(path, offset, asked, MAX_BYTES + 4, signal);
  const { totalLines, firstLineBytes } = window;
  if (totalLines === 0 && offset === 1) return said("(The file is empty.)");
  if (offset > totalLines) {
    return failed(`offset ${offset} is beyond the end: ${shown} has ${totalLines} lines.`);
  }
  const cut = truncateHead(window.text);
  if (cut.firstLineExceedsLimit) {
    return failed(
      `Line ${offset} of ${shown} is ${sizeInWords(firstLineBytes)}, more than the ${sizeInWords(MAX_BYTES)} one result may hold. Look at parts of it with bash: sed -n '${offset}p' FILE | head -c 20000`,
      { truncation: { ...cut, content: "", totalLines } },
    );
  }
  const lines = Math.min(limit ?? Number.POSITIVE_INFINITY, linesOf(window.text).length);
  const damage = window.damaged ? "\n\n[Bytes that are no UTF-8 are shown as \ufffd.]" : "";
  const notes = `${notice(cut, offset, lines, totalLines)}${damage}`;
  const text = notes === "" ? cut.content : `${cut.content.replace(/\n$/, "")}${notes}`;
  return said(text, cut.truncated ? { truncation: { ...cut, content: "", totalLines } } : undefined);
};

export const read = defineTool({
  name: "read",
  description: `Read a file: text, or an image (png, jpeg, gif, webp), told by its content. Text comes from the start or from offset, at most ${MAX_LINES} lines or ${MAX_BYTES / 1024} KB; a notice at the end says how to go on. Use this rather than cat or sed.`,
  parameters,
  effect: "read",
  subject: (args) => textArgument(args, "path"),
  execute: async ({ path, offset = 1, limit }, { cwd, signal }) => {
    const found = await findPath(path, cwd);
    if (found.kind !== "found") return failed(notFoundMessage(path, found));
    try {
      const about = await stat(found.path);
      if (about.isDirectory()) return failed(`${path} is a folder. Use ls to see what is in it.`);
      if (!about.isFile()) return failed(`${path} is no regular file (a device, pipe or socket).`);
      const head = await readHead(found.path);
      const image = readImageHead(head);
      if (image) return await readImage(found.path, path, image, about.size);
      if (head.includes(0)) {
        return failed(`${path} is a binary file of ${sizeInWords(about.size)}. Use bash to look into it.`);
      }
      return await readText(found.path, path, Math.floor(offset), limit && Math.floor(limit), signal);
    } catch (error) {
      if (signal.aborted) return failed("Reading was stopped.");
      return failed(`${path} could not be read: ${systemReason(error)}.`);
    }
  },
});
