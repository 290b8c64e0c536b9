import { type PointerEvent, useEffect, useRef } from "react";
import { useStore } from "zustand";
import { pitchOf, screenX } from "./camera.ts";
import { pictureOf, putPicture } from "./draw-picture.ts";
import styles from "./Map.module.css";
import { type CameraStore, moveCamera } from "./map-camera.ts";
import { type Scene, UNIT } from "./map-scene.ts";
import type { Palette } from "./palette.ts";

const WIDTH = 160;
const HEIGHT = 96;

/** What is seen, as a frame on the picture of the whole; px. */
const useFrame = (scene: Scene, camera: CameraStore) => {
  const view = useStore(camera, (state) => state.view);
  if (!view) return null;
  const { laid } = scene;
  const wide = Math.max(1, laid.right * UNIT * view.zoom);
  const pitch = pitchOf(scene, view);
  const high = (laid.bottom - laid.top + 1) * pitch;
  const top = view.y + (laid.top - 0.5) * pitch;
  const clamp = (value: number, most: number): number => Math.min(most, Math.max(0, value));
  const left = clamp((-screenX(view, 0) / wide) * WIDTH, WIDTH - 6);
  const up = clamp((-top / high) * HEIGHT, HEIGHT - 6);
  return {
    left,
    top: up,
    width: Math.max(6, clamp(((view.width - screenX(view, 0)) / wide) * WIDTH, WIDTH) - left),
    height: Math.max(6, clamp(((view.height - top) / high) * HEIGHT, HEIGHT) - up),
  };
};

/** The whole tree, small, with what is seen of it; a press goes there. For the eye: keys move the map itself. */
export const Minimap = ({
  scene,
  camera,
  palette,
}: {
  scene: Scene;
  camera: CameraStore;
  palette: Palette | null;
}) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useFrame(scene, camera);
  useEffect(() => {
    if (!canvas.current || !palette) return;
    const ratio = Math.min(2, devicePixelRatio);
    putPicture(canvas.current, pictureOf(scene, WIDTH * ratio, HEIGHT * ratio, palette));
  }, [scene, palette]);
  const go = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons === 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const box = event.currentTarget.getBoundingClientRect();
    const { laid } = scene;
    const x = ((event.clientX - box.left) / WIDTH) * laid.right;
    const lane = ((event.clientY - box.top) / HEIGHT) * (laid.bottom - laid.top + 1) + laid.top - 0.5;
    moveCamera(camera, (view) => ({
      ...view,
      x: view.width / 2 - x * UNIT * view.zoom,
      y: view.height / 2 - lane * pitchOf(scene, view),
    }));
  };
  return (
    <div className={styles.minimap} aria-hidden="true">
      <div className={styles.small} onPointerDown={go} onPointerMove={go}>
        <canvas ref={canvas} />
        {frame && <span className={styles.seen} style={frame} />}
      </div>
    </div>
  );
};
