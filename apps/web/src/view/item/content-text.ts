import type { UserContent } from "@espalier/protocol";
import { type ImageBlock } from "../tool/Pictures.tsx";
import { imagesOf } from "../tool/tool-text.ts";

/** The words of a message's content; images are left to `imagesIn`. */
export const wordsOf = (content: string | readonly UserContent[]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");

export const imagesIn = (content: string | readonly UserContent[]): ImageBlock[] =>
  typeof content === "string" ? [] : imagesOf(content);

/** The first text block whose head alone was sent; null when all is here. */
export const cutBlock = (content: string | readonly UserContent[]): number | null => {
  if (typeof content === "string") return null;
  const index = content.findIndex((block) => block.type === "text" && block.elided !== undefined);
  return index < 0 ? null : index;
};
