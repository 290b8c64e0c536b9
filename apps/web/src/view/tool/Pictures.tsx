import type { EntryId } from "@espalier/protocol";
import { useEffect, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { useView } from "../view-context.tsx";
import styles from "./Card.module.css";

/** Raster images only: others are said, never drawn. */
const DRAWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

interface PictureProps {
  entry: EntryId;
  index: number;
  mimeType: string;
  /** Base64, or "" when the bytes are on the server. */
  data: string;
}

const Picture = ({ entry, index, mimeType, data }: PictureProps) => {
  const { blockImage } = useView();
  const [source, setSource] = useState<string | null>(data === "" ? null : `data:${mimeType};base64,${data}`);
  const [failed, setFailed] = useState(false);
  const drawn = DRAWN.has(mimeType);

  useEffect(() => {
    if (!drawn || data !== "" || !blockImage) return;
    let address: string | null = null;
    let alive = true;
    blockImage(entry, index).then(
      (blob) => {
        if (!alive) return;
        address = URL.createObjectURL(new Blob([blob], { type: mimeType }));
        setSource(address);
      },
      () => alive && setFailed(true),
    );
    return () => {
      alive = false;
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [blockImage, entry, index, data, mimeType, drawn]);

  if (!drawn) return <span className={styles.more}>image of type {mimeType}, not shown</span>;
  if (failed) return <span className={styles.more}>the image could not be read</span>;
  if (source === null) return <span className={styles.more}>loading image</span>;
  return (
    <img
      className={styles.picture}
      src={source}
      alt={`${mimeType.slice("image/".length)}, block ${index + 1}`}
      onError={() => setFailed(true)}
    />
  );
};

export interface ImageBlock {
  readonly index: number;
  readonly mimeType: string;
  readonly data: string;
}

/** Images of an entry. Their bytes are fetched with the page's key when they come into view. */
export const Pictures = ({ entry, images }: { entry: EntryId; images: readonly ImageBlock[] }) => {
  const [all, setAll] = useState(false);
  if (images.length === 0) return null;
  const shown = all ? images : images.slice(0, 4);
  return (
    <div className={styles.pictures}>
      {shown.map((image) => (
        <Picture key={image.index} entry={entry} {...image} />
      ))}
      {shown.length < images.length && (
        <LinkButton onClick={() => setAll(true)}>Show all {images.length} images</LinkButton>
      )}
    </div>
  );
};
