import type { AssistantContent, AssistantMessage, ImageContent, UserContent } from "@espalier/protocol";
import { isSoundCall } from "../group/tool-group.ts";
import type { GuardChange, GuardTarget } from "./guard-target.ts";

type Note = (change: GuardChange) => void;

const isBlank = (text: string): boolean => text.trim() === "";

/** Text without half characters; null when nothing is left to say. */
const cleanText = (text: string, note: Note): string | null => {
  if (isBlank(text)) {
    note("empty_text");
    return null;
  }
  if (text.isWellFormed()) return text;
  note("half_character");
  return text.toWellFormed();
};

/** The same value with whole characters in every text; the same object when all were whole. */
const cleanValue = (value: unknown, note: Note): unknown => {
  const text = JSON.stringify(value);
  const clean = JSON.stringify(value, (_key, held: unknown) =>
    typeof held === "string" ? held.toWellFormed() : held,
  );
  if (clean === text) return value;
  note("half_character");
  return JSON.parse(clean);
};

const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Base64 characters of one image; Anthropic refuses more than 5 MB. */
const IMAGE_CHARS = 5 * 1024 * 1024;

/** Why an image cannot be sent, or null. */
const imageProblem = (image: ImageContent, target: GuardTarget): string | null => {
  if (!target.input.includes("image")) return "this model takes no images";
  if (!IMAGE_TYPES.has(image.mimeType))
    return `no provider takes ${image.mimeType.slice(0, 40) || "an unnamed type"}`;
  if (image.data === "") return "it holds no data";
  return image.data.length > IMAGE_CHARS ? "it is larger than 5 MB" : null;
};

export const imageNote = (reason: string): UserContent => ({
  type: "text",
  text: `[image left out: ${reason}]`,
});

/** Content of a user message or a result: no empty text, no image that would be refused. May come out empty. */
export const cleanUserContent = (
  content: string | readonly UserContent[],
  target: GuardTarget,
  note: Note,
): UserContent[] => {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return blocks.flatMap((block): UserContent[] => {
    if (block.type === "image") {
      const problem = imageProblem(block, target);
      if (problem === null) return [block];
      note("image");
      return [imageNote(problem)];
    }
    if (block.type !== "text") return [];
    const text = cleanText(block.text, note);
    return text === null ? [] : [text === block.text ? block : { ...block, text }];
  });
};

/** Whether thinking without a signature may be sent back at all. */
const takesUnsigned = (api: string): boolean => api === "openai-completions" || api === "demo";

const cleanThinking = (
  block: Extract<AssistantContent, { type: "thinking" }>,
  target: GuardTarget,
  note: Note,
): AssistantContent | null => {
  const { thinkingSignature, ...unsigned } = block;
  const isSigned = thinkingSignature !== undefined && thinkingSignature !== "";
  const sound = isSigned && block.thinking.isWellFormed();
  if (sound) return block;
  if (!isSigned && block.redacted !== true && takesUnsigned(target.api) && !isBlank(block.thinking)) {
    return { ...unsigned, thinking: block.thinking.toWellFormed() };
  }
  note("unsigned_thinking");
  return null;
};

const cleanCall = (
  block: Extract<AssistantContent, { type: "toolCall" }>,
  own: boolean,
  note: Note,
): AssistantContent => {
  const name = block.name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unnamed";
  if (name !== block.name) note("tool_name");
  const { thoughtSignature, ...call } = block;
  return {
    ...call,
    name,
    arguments: cleanValue(block.arguments, note) as typeof block.arguments,
    ...(own && thoughtSignature !== undefined ? { thoughtSignature } : {}),
  };
};

/** What an assistant said, as far as the target may see it: signatures and thinking only of its own. May come out empty. */
export const cleanAssistantContent = (
  message: AssistantMessage,
  target: GuardTarget,
  note: Note,
): AssistantContent[] => {
  const own =
    message.provider === target.provider && message.api === target.api && message.model === target.model;
  return message.content.flatMap((block): AssistantContent[] => {
    if (block.type === "thinking") {
      if (!own) note("foreign_thinking");
      const thinking = own ? cleanThinking(block, target, note) : null;
      return thinking === null ? [] : [thinking];
    }
    if (block.type === "toolCall") {
      if (isSoundCall(block)) return [cleanCall(block, own, note)];
      note("malformed_call");
      return [];
    }
    if (block.type !== "text") return [];
    const text = cleanText(block.text, note);
    if (text === null) return [];
    const { textSignature, ...plain } = block;
    return [own && textSignature !== undefined ? { ...block, text } : { ...plain, text }];
  });
};
