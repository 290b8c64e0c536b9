import type { UserContent } from "@espalier/protocol";
import type { ModelMessage } from "./model-message.ts";
import { imageNote } from "./wire-content.ts";

/** Base64 characters of all images of a request together; whole requests above 32 MB are refused. */
const TOTAL_CHARS = 20 * 1024 * 1024;
const TOTAL_COUNT = 100;

/** Keeps the newest images within what one request may hold; each older one becomes a note. */
export const limitImages = (messages: readonly ModelMessage[], onLeftOut: () => void): ModelMessage[] => {
  let chars = 0;
  let images = 0;
  const keep = (block: UserContent): UserContent => {
    if (block.type !== "image") return block;
    chars += block.data.length;
    images += 1;
    if (chars <= TOTAL_CHARS && images <= TOTAL_COUNT) return block;
    onLeftOut();
    return imageNote("newer images fill the request");
  };
  return messages
    .toReversed()
    .map((message) => {
      if (message.role === "assistant" || typeof message.content === "string") return message;
      if (!message.content.some((block) => block.type === "image")) return message;
      return { ...message, content: message.content.toReversed().map(keep).toReversed() };
    })
    .toReversed();
};
