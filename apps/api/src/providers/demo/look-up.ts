import { isObject, parseJson } from "../json-access.ts";

/** A tool's notices about what it left out are no part of the file. */
const NOTICE = /\n*\n\[(?:Lines? \d|\d+ more lines|Bytes that|This is|More than|Much of)[^\]]*\]\s*$/;

export const withoutNotices = (text: string): string => {
  let clean = text;
  while (NOTICE.test(clean)) clean = clean.replace(NOTICE, "");
  return clean;
};

/** Lines of the whole file, as far as the result tells. */
export const lineCount = (result: string): number => {
  const total = /\[Lines \d+-\d+ of (\d+)/.exec(result)?.[1];
  if (total !== undefined) return Number(total);
  const more = Number(/\[(\d+) more lines in the file/.exec(result)?.[1] ?? 0);
  const text = withoutNotices(result).replace(/\n$/, "");
  return more + (text === "" || text === "(The file is empty.)" ? 0 : text.split("\n").length);
};

const plainKey = (key: string): string => key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

const shown = (value: unknown): string => {
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return value.map((each) => (isObject(each) ? JSON.stringify(each) : String(each))).join(", ");
  if (!isObject(value)) return String(value);
  const pairs = Object.entries(value).map(
    ([key, held]) => `${key}: ${isObject(held) ? "{...}" : shown(held)}`,
  );
  return pairs.length > 20
    ? `${pairs.slice(0, 20).join(", ")} and ${pairs.length - 20} more`
    : pairs.join(", ");
};

/** The value of a key, looked for level by level. */
const inJson = (root: unknown, key: string): string | null => {
  let level: unknown[] = [root];
  for (let depth = 0; depth < 6 && level.length > 0; depth++) {
    for (const value of level) {
      if (!isObject(value)) continue;
      const found = Object.keys(value).find((name) => plainKey(name) === key);
      if (found !== undefined) return shown(value[found]);
    }
    level = level.flatMap((value) =>
      Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [],
    );
  }
  return null;
};

const inLines = (text: string, key: string): string | null => {
  for (const line of text.split("\n")) {
    const found =
      /^\s*(?:[-*]\s+|export\s+|(?:const|let|var)\s+)?["'`*]*([\p{L}\p{N}_. -]{1,60}?)["'`*]*\s*[:=]\s*(\S.*?)\s*[,;]?\s*$/u.exec(
        line,
      );
    if (found && plainKey(found[1] ?? "") === key) return (found[2] ?? "").replaceAll(/^["'`]|["'`]$/g, "");
  }
  return new RegExp(`<${key}>\\s*([^<]+?)\\s*</${key}>`, "i").exec(text)?.[1] ?? null;
};

/** The value of a named thing in a text: JSON, "key: value", "key = value", a tag; a title is the first heading. */
export const findValue = (text: string, key: string): string | null => {
  const clean = withoutNotices(text);
  const json = parseJson(clean);
  const words = key.split(/\s+/);
  for (const wanted of [key, words.at(-1) ?? "", words[0] ?? ""].map(plainKey)) {
    if (wanted === "" || !/^[\p{L}\p{N}]+$/u.test(wanted)) continue;
    const value = json === undefined ? inLines(clean, wanted) : inJson(json, wanted);
    if (value !== null && value !== "") return value;
  }
  if (/title|heading|headline|name/i.test(key)) return /^#+\s+(.+)$/m.exec(clean)?.[1] ?? null;
  return null;
};

/** The beginning of a text, for a look: some lines, none of them long. */
export const beginning = (text: string, lines: number): string => {
  const all = withoutNotices(text).replace(/\n$/, "").split("\n");
  const head = all
    .slice(0, lines)
    .map((line) => (line.length > 160 ? `${line.slice(0, 160).toWellFormed()}...` : line));
  return all.length > lines ? [...head, `... ${all.length - lines} more lines`].join("\n") : head.join("\n");
};
