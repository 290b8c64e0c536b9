import type { ImageContent } from "@espalier/protocol";

/** Something beside the typed text that is sent with it. */
export type Attachment =
  | { readonly kind: "image"; readonly id: number; readonly name: string; readonly image: ImageContent }
  | { readonly kind: "text"; readonly id: number; readonly name: string; readonly text: string };

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const LARGEST_IMAGE = 20 * 1_000_000;
const LARGEST_TEXT = 500_000;
/** Pasted text longer than this becomes a chip: the text field stays readable. */
export const LONG_PASTE = 10_000;

let lastId = 0;
const nextId = (): number => {
  lastId += 1;
  return lastId;
};

const base64 = async (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () =>
      resolve(typeof reader.result === "string" ? reader.result.replace(/^[^,]*,/, "") : "");
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });

/** A pasted text as a chip. */
export const textAttachment = (text: string, name = "pasted text"): Attachment => ({
  kind: "text",
  id: nextId(),
  name,
  text,
});

/** An image that a message held already. */
export const imageAttachment = (image: ImageContent): Attachment => ({
  kind: "image",
  id: nextId(),
  name: "image",
  image,
});

/** A file as an attachment, or a sentence that says why it cannot be one. */
export const fileAttachment = async (file: File): Promise<Attachment | string> => {
  if (IMAGES.has(file.type)) {
    if (file.size > LARGEST_IMAGE) return `${file.name} is too large: images may have 20 MB.`;
    const image: ImageContent = { type: "image", data: await base64(file), mimeType: file.type };
    return { kind: "image", id: nextId(), name: file.name, image };
  }
  if (file.size > LARGEST_TEXT) return `${file.name} is too large to send as text. Name it with @ instead.`;
  const text = await file.text();
  if (text.includes("\u0000")) return `${file.name} is no text and no image that a model can see.`;
  return textAttachment(text, file.name);
};

/** The text that is sent: what was typed, and each text attachment in a fence of its own. */
export const fullText = (typed: string, attachments: readonly Attachment[]): string => {
  const texts = attachments.flatMap((each) =>
    each.kind === "text" ? [`${each.name}:\n\`\`\`\`\n${each.text}\n\`\`\`\``] : [],
  );
  return [typed.trim(), ...texts].filter((part) => part !== "").join("\n\n");
};

export const imagesOf = (attachments: readonly Attachment[]): ImageContent[] =>
  attachments.flatMap((each) => (each.kind === "image" ? [each.image] : []));
