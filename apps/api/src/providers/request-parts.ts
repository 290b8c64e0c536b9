import { createHash } from "node:crypto";
import type { ModelRequest } from "@espalier/core";
import type {
  AssistantMessage,
  ImageContent,
  ModelInfo,
  ThinkingContent,
  UserContent,
} from "@espalier/protocol";

/** What a result without words says: providers refuse empty text. */
export const NO_OUTPUT = "(no output)";
const NO_IMAGES = "(An image stood here. This model takes no images.)";

/** Opaque parts of a message (signatures, encrypted reasoning) go back only to the very model that made them. */
export const isOwn = (message: AssistantMessage, model: ModelInfo): boolean =>
  message.provider === model.provider && message.api === model.api && message.model === model.id;

/**
 * The thinking of a message that may go back. Half-received thinking has no valid signature, so none of an aborted or
 * failed message goes.
 */
export const ownThinking = (message: AssistantMessage, model: ModelInfo, block: ThinkingContent): boolean =>
  isOwn(message, model) &&
  message.stopReason !== "aborted" &&
  message.stopReason !== "error" &&
  (block.thinkingSignature ?? "") !== "";

/** Text a provider takes, or null when nothing is left: no lone surrogates, not only white space. */
export const usableText = (text: string): string | null => {
  const clean = text.toWellFormed();
  return clean.trim() === "" ? null : clean;
};

export type UsablePart = { readonly type: "text"; readonly text: string } | ImageContent;

/** Content as the model can take it: images only for models that see, a run of left-out images said once. */
export const usableParts = (content: string | readonly UserContent[], model: ModelInfo): UsablePart[] => {
  const blocks: readonly UserContent[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  const sees = model.input.includes("image");
  const parts: UsablePart[] = [];
  for (const block of blocks) {
    if (block.type === "image" && sees) {
      parts.push(block);
      continue;
    }
    const text = block.type === "image" ? NO_IMAGES : usableText(block.text);
    const last = parts.at(-1);
    if (text === null || (last?.type === "text" && text === NO_IMAGES && last.text === NO_IMAGES)) continue;
    parts.push({ type: "text", text });
  }
  return parts;
};

/** All text of some parts, joined by line ends. */
export const textOf = (parts: readonly UsablePart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

export const imagesOf = (parts: readonly UsablePart[]): ImageContent[] =>
  parts.flatMap((part) => (part.type === "image" ? [part] : []));

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/**
 * An id that fits `allowed` and `length`, the same for the same id. One that fits already is kept; another gets a hash, so
 * that two ids that differ only in what was cut stay apart.
 */
export const fittingId = (id: string, length: number, allowed = /^[a-zA-Z0-9_-]+$/): string => {
  if (id.length > 0 && id.length <= length && allowed.test(id)) return id;
  const tail = hash(id).slice(0, Math.min(8, length));
  const head = id.replaceAll(/[^a-zA-Z0-9]/g, "").slice(0, Math.max(0, length - tail.length));
  return `${head}${tail}`.slice(-length);
};

/** About how many tokens a request is, on the high side: characters / 3.5, an image as 1,200 tokens. */
const roughTokens = (request: ModelRequest): number => {
  let chars = request.system.length + JSON.stringify(request.tools).length;
  let images = 0;
  for (const message of request.messages) {
    if (typeof message.content === "string") {
      chars += message.content.length;
      continue;
    }
    for (const block of message.content) {
      switch (block.type) {
        case "text":
          chars += block.text.length;
          break;
        case "thinking":
          chars += block.thinking.length + (block.thinkingSignature?.length ?? 0);
          break;
        case "toolCall":
          chars += block.name.length + JSON.stringify(block.arguments).length;
          break;
        case "image":
          images += 1;
          break;
      }
    }
  }
  return Math.ceil(chars / 3.5) + images * 1200;
};

const SMALLEST_OUTPUT = 1024;

/**
 * Output limit in tokens: what was asked for or the model's own, but no more than the window leaves room for. The margin is
 * pi's: 15 % of the input and at least 4,096 tokens; where that leaves less than 32,768, only 4,096.
 */
export const outputLimit = (request: ModelRequest): number => {
  const { model } = request;
  const wanted = Math.min(request.maxTokens ?? model.maxTokens, model.maxTokens);
  if (model.contextWindow <= 0) return wanted;
  const input = roughTokens(request);
  const room = model.contextWindow - input - Math.max(4096, Math.ceil(input * 0.15));
  const limit =
    room >= 32_768 ? room : Math.min(32_768, Math.max(SMALLEST_OUTPUT, model.contextWindow - input - 4096));
  return Math.max(1, Math.min(wanted, limit));
};
