import type { ToolCallContent, ToolResult, UserContent } from "@espalier/protocol";
import { bytes, type Folders, plural, shownPath, withoutFolder } from "../format.ts";
import { kindOfTool } from "./tool-look.ts";

const text = (value: unknown): string => (typeof value === "string" ? value : "");

const oneLine = (value: string): string => value.trim().split("\n", 1)[0] ?? "";

const range = (args: Readonly<Record<string, unknown>>): string => {
  const offset = typeof args.offset === "number" ? args.offset : 1;
  if (typeof args.limit === "number") return `:${offset}\u2013${offset + args.limit - 1}`;
  return offset > 1 ? `:${offset}\u2013` : "";
};

/** One line that says what a call is about: its path, its command, its pattern. */
export const subjectOf = (call: ToolCallContent, folders: Folders): string => {
  const args = call.arguments;
  const path = shownPath(text(args.path), folders);
  switch (kindOfTool(call.name)) {
    case "bash":
      return oneLine(withoutFolder(text(args.command), folders));
    case "read":
      return `${path}${range(args)}`;
    case "edit":
    case "write":
    case "list":
      return path === "" ? "." : path;
    case "search":
      return path === "" ? text(args.pattern) : `${text(args.pattern)} in ${path}`;
    case "other":
      return oneLine(
        Object.entries(args)
          .map(([key, value]) => `${key}: ${stringOf(value)}`)
          .join(", "),
      ).slice(0, 200);
  }
};

const stringOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** The text of a result as far as it was sent, and how long the whole is. */
export const textOfResult = (
  content: readonly UserContent[],
): { text: string; length: number; cut: number | null } => {
  let joined = "";
  let length = 0;
  let cut: number | null = null;
  content.forEach((block, index) => {
    if (block.type !== "text") return;
    joined += (joined === "" ? "" : "\n") + block.text;
    length += block.elided ?? block.text.length;
    if (block.elided !== undefined && cut === null) cut = index;
  });
  return { text: joined, length, cut };
};

export const imagesOf = (
  content: readonly UserContent[],
): { index: number; mimeType: string; data: string }[] =>
  content.flatMap((block, index) =>
    block.type === "image" ? [{ index, mimeType: block.mimeType, data: block.data }] : [],
  );

const linesIn = (value: string): number => (value === "" ? 0 : value.replace(/\n$/, "").split("\n").length);

/** What a result comes to in a word or two: `exit 0`, `41 hits`, `120 lines`; "" when there is nothing to say. */
export const outcomeOf = (name: string, result: ToolResult): string => {
  const { message } = result;
  const { text: output, length, cut } = textOfResult(message.content);
  const kind = kindOfTool(name);
  if (kind === "bash") return exitOf(output, message.isError);
  if (message.isError) return "failed";
  switch (kind) {
    case "search":
      return /^No (?:matches|files)/.test(output) ? "0 hits" : plural(linesIn(output), "hit");
    case "list":
      return /^\([^\n]*empty[^\n]*\)$/i.test(output) ? "empty" : plural(linesIn(output), "name");
    case "read":
      return imagesOf(message.content).length > 0
        ? "image"
        : cut === null
          ? plural(linesIn(output), "line")
          : bytes(length);
    case "write":
      return "written";
    case "edit":
    case "other":
      return "";
  }
};

const exitOf = (output: string, isError: boolean): string => {
  const code = /(?:exited with code|exit code:?) (\d+)\s*$/i.exec(output)?.[1];
  if (code !== undefined) return `exit ${code}`;
  if (/timed out/i.test(output.slice(-200))) return "timed out";
  if (/aborted/i.test(output.slice(-200)) && isError) return "stopped";
  return isError ? "failed" : "exit 0";
};
