import type { ImageContent } from "@espalier/protocol";
import { type ClipboardEvent, type DragEvent, useState } from "react";
import { showToast } from "../../ui/toast-store.ts";
import {
  type Attachment,
  fileAttachment,
  imageAttachment,
  LONG_PASTE,
  textAttachment,
} from "./attachments.ts";

interface Attachments {
  readonly all: readonly Attachment[];
  readonly remove: (id: number) => void;
  readonly clear: () => void;
  readonly restore: (attachments: readonly Attachment[]) => void;
  readonly addImages: (images: readonly ImageContent[]) => void;
  readonly onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
  readonly onDrop: (event: DragEvent) => void;
}

/** Images and texts that go with the next message, pasted or dropped. */
export const useAttachments = (): Attachments => {
  const [all, setAll] = useState<readonly Attachment[]>([]);
  const add = (files: readonly File[]): void => {
    void Promise.all(files.map(fileAttachment)).then((found) => {
      for (const each of found) if (typeof each === "string") showToast(each, "warn");
      setAll((before) => [...before, ...found.filter((each) => typeof each !== "string")]);
    });
  };
  return {
    all,
    remove: (id) => setAll((before) => before.filter((each) => each.id !== id)),
    clear: () => setAll([]),
    restore: setAll,
    addImages: (images) => setAll((before) => [...before, ...images.map(imageAttachment)]),
    onPaste: (event) => {
      const files = [...event.clipboardData.files];
      const text = event.clipboardData.getData("text/plain");
      if (files.length > 0) add(files);
      else if (text.length > LONG_PASTE) setAll((before) => [...before, textAttachment(text)]);
      else return;
      event.preventDefault();
    },
    onDrop: (event) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      add([...event.dataTransfer.files]);
    },
  };
};
