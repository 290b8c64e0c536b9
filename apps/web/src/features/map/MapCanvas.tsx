import { type RefObject, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import { useFolders } from "../../store/use-folders.ts";
import { useMedia } from "../../ui/use-media.ts";
import { runName } from "../../view/tree/run-name.ts";
import { pitchOf, scaleAt, screenX } from "./camera.ts";
import styles from "./Map.module.css";
import type { CameraStore } from "./map-camera.ts";
import { type LinkDrag, MapPainter } from "./map-painter.ts";
import { type Palette, readPalette, watchPalette } from "./palette.ts";
import type { MapModel } from "./use-map-model.ts";

/** The page's colours, read again when they change. */
export const usePalette = (element: RefObject<HTMLElement | null>): Palette | null => {
  const [palette, setPalette] = useState<Palette | null>(null);
  useEffect(() => {
    const read = (): void => {
      if (element.current) setPalette(readPalette(element.current));
    };
    const first = requestAnimationFrame(read);
    const stop = watchPalette(read);
    return () => {
      cancelAnimationFrame(first);
      stop();
    };
  }, [element]);
  return palette;
};

interface MapCanvasProps {
  model: MapModel;
  camera: CameraStore;
  palette: Palette | null;
  hovered: number;
  drag: LinkDrag | null;
}

/** The drawing. */
export const MapCanvas = ({ model, camera, palette, hovered, drag }: MapCanvasProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const folders = useFolders();
  const still = useMedia("(prefers-reduced-motion: reduce)");
  const [painter] = useState(() => new MapPainter(camera));
  useEffect(() => (canvas.current ? painter.attach(canvas.current) : undefined), [painter]);
  useEffect(() => {
    if (!palette) return;
    const { scene, chosen, tip, marked, writing } = model;
    const nameOf = (run: number, branch: boolean): string => runName(scene.folded, run, branch, folders);
    painter.set({ scene, chosen, tip, marked, writing, hovered, nameOf, palette, drag, still });
  }, [painter, model, palette, hovered, drag, still, folders]);
  return <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />;
};

/** The pulse of a run that works, over the mark of its tip. */
export const LiveTip = ({ model, camera }: Pick<MapCanvasProps, "model" | "camera">) => {
  const view = useStore(camera, (state) => state.view);
  if (!view || !model.writing || model.tip < 0) return null;
  const { laid } = model.scene;
  const isEnd = laid.fold.children[model.tip] === 0;
  const scale = scaleAt(view.zoom);
  const x = screenX(view, (laid.x[model.tip] ?? 0) + (laid.w[model.tip] ?? 0)) + (isEnd ? 17 * scale : 0);
  const y = view.y + (laid.lane[model.tip] ?? 0) * pitchOf(model.scene, view);
  return (
    <span className={styles.pulse} style={{ transform: `translate(${x}px, ${y}px)` }} aria-hidden="true" />
  );
};
