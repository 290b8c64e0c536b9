import type { EntryId } from "@espalier/protocol";
import { type RefObject, useEffect, useRef, useState } from "react";
import { LinkButton } from "../../ui/Button.tsx";
import { classNames } from "../../ui/class-names.ts";
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

/** How far outside of the screen a picture is made ready, and let go again. */
const NEAR = "1200px";

/** Whether an element is on the screen or near it. */
const useNear = (element: RefObject<HTMLElement | null>): boolean => {
  // Where nobody can tell (a shared file's builder), everything counts as near.
  const [near, setNear] = useState(!("IntersectionObserver" in globalThis));
  useEffect(() => {
    if (!element.current || !("IntersectionObserver" in globalThis)) return;
    const watch = new IntersectionObserver((seen) => setNear(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: NEAR,
    });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element]);
  return near;
};

/** The picture's address while it is near: its own data, or a blob of the bytes that were fetched. */
const useSource = ({ entry, index, mimeType, data }: PictureProps, near: boolean) => {
  const { blockImage } = useView();
  const [blob, setBlob] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const fetches = near && data === "" && blockImage !== undefined;
  useEffect(() => {
    if (!fetches || !blockImage) return;
    let address: string | null = null;
    let alive = true;
    blockImage(entry, index).then(
      (bytes) => {
        if (!alive) return;
        address = URL.createObjectURL(new Blob([bytes], { type: mimeType }));
        setBlob(address);
      },
      () => alive && setFailed(true),
    );
    return () => {
      alive = false;
      setBlob(null);
      if (address !== null) URL.revokeObjectURL(address);
    };
  }, [blockImage, entry, index, mimeType, fetches]);
  return {
    source: data === "" ? blob : `data:${mimeType};base64,${data}`,
    failed,
    fail: () => setFailed(true),
  };
};

/** One picture in a frame whose size does not depend on it: nothing moves when it arrives. */
const Picture = (props: PictureProps) => {
  const { index, mimeType } = props;
  const frame = useRef<HTMLButtonElement>(null);
  const { source, failed, fail } = useSource(props, useNear(frame));
  const [whole, setWhole] = useState(false);
  const name = `${mimeType.slice("image/".length)}, block ${index + 1}`;
  return (
    <button
      ref={frame}
      type="button"
      className={classNames(styles.frame, whole && styles.wholeFrame)}
      aria-label={`${name}: ${whole ? "smaller" : "full size"}`}
      aria-pressed={whole}
      onClick={() => setWhole(!whole)}
    >
      {failed && <span className={styles.more}>the image could not be read</span>}
      {!failed && source === null && <span className={styles.more}>loading image</span>}
      {!failed && source !== null && (
        <img className={styles.picture} src={source} alt={name} decoding="async" onError={fail} />
      )}
    </button>
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
      {shown.map((image) =>
        DRAWN.has(image.mimeType) ? (
          <Picture key={image.index} entry={entry} {...image} />
        ) : (
          <span key={image.index} className={styles.more}>
            image of type {image.mimeType}, not shown
          </span>
        ),
      )}
      {shown.length < images.length && (
        <LinkButton onClick={() => setAll(true)}>Show all {images.length} images</LinkButton>
      )}
    </div>
  );
};
