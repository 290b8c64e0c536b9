import type { AnyEntry } from "@espalier/core";
import type { PathItem, ToolGroup } from "@espalier/protocol";

/** Characters of one text that go to the page unasked; the rest is fetched when somebody opens it. */
const LONGEST_TEXT = 16_384;
/** Arguments and details may be longer: a diff is drawn from them. */
const LONGEST_ARGUMENT = 65_536;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cutText = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/** A copy with every long string cut, however deep. Iterative on strings only: file JSON nests as deep as its writer liked. */
const cutStrings = (value: unknown, most: number, depth = 0): unknown => {
  if (typeof value === "string") return value.length > most ? cutText(value, most) : value;
  if (depth > 32 || typeof value !== "object" || value === null) return depth > 32 ? null : value;
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, most, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, cutStrings(item, most, depth + 1)]),
  );
};

const cutBlock = (block: unknown): unknown => {
  if (!isFields(block)) return block;
  if (block.type === "image" && typeof block.data === "string") {
    return { ...block, data: "", elided: block.data.length };
  }
  if (block.type === "text" && typeof block.text === "string" && block.text.length > LONGEST_TEXT) {
    return { ...block, text: cutText(block.text, LONGEST_TEXT), elided: block.text.length };
  }
  if (block.type === "toolCall") {
    const size = JSON.stringify(block.arguments ?? {}).length;
    return size > LONGEST_ARGUMENT
      ? { ...block, arguments: cutStrings(block.arguments, LONGEST_ARGUMENT / 2), elided: size }
      : block;
  }
  return block;
};

const cutMessage = (message: unknown): unknown => {
  if (!isFields(message)) return message;
  const content = Array.isArray(message.content) ? message.content.map(cutBlock) : message.content;
  const details =
    message.details === undefined ? {} : { details: cutStrings(message.details, LONGEST_ARGUMENT) };
  const output =
    typeof message.output === "string" && message.output.length > LONGEST_TEXT
      ? { output: cutText(message.output, LONGEST_TEXT) }
      : {};
  return { ...message, content, ...details, ...output };
};

/**
 * An entry as the page gets it: images and the tails of long texts are left out, with their size in `elided`. Entries
 * without long parts are passed on as they are.
 */
export const wireEntry = <T extends AnyEntry>(entry: T): T => {
  // The shape stays the same, only strings get shorter.
  if ("message" in entry) return { ...entry, message: cutMessage(entry.message) } as T;
  if ("content" in entry && Array.isArray(entry.content))
    return { ...entry, content: entry.content.map(cutBlock) } as T;
  return entry;
};

const wireGroup = (group: ToolGroup): ToolGroup => {
  switch (group.kind) {
    case "complete":
      return {
        ...group,
        use: { ...group.use, call: cutBlock(group.use.call) as typeof group.use.call },
        result: { ...group.result, message: cutMessage(group.result.message) as typeof group.result.message },
      };
    case "missing_results":
      return { ...group, use: { ...group.use, call: cutBlock(group.use.call) as typeof group.use.call } };
    case "orphaned_result":
      return {
        ...group,
        result: { ...group.result, message: cutMessage(group.result.message) as typeof group.result.message },
      };
    case "unknown":
      return {
        ...group,
        entries: group.entries.map((part) => ({ ...part, block: cutStrings(part.block, LONGEST_TEXT) })),
      };
  }
};

/** A path item as the page gets it. */
export const wireItem = (item: PathItem): PathItem => {
  const cut = { ...item, entry: wireEntry(item.entry) } as PathItem;
  if (cut.kind === "step") return { ...cut, groups: cut.groups.map(wireGroup) };
  if (cut.kind === "orphan") return { ...cut, group: wireGroup(cut.group) };
  return cut;
};
