import { createStore, type StoreApi } from "zustand/vanilla";
import { centreOn, fit, nearZoom, pitchOf, type View } from "./camera.ts";
import type { Scene } from "./map-scene.ts";

/** Whole trees that would be drawn smaller than this (zoom, px between lanes) begin near the place where one is. */
const SMALL = 0.15;
const CLOSE = 14;

export type CameraStore = StoreApi<{ readonly view: View | null }>;

export const makeCamera = (): CameraStore => createStore(() => ({ view: null }));

/** The first view of a scene: all of it, or what is around a run when all is too much to be read. */
const firstView = (scene: Scene, run: number, width: number, height: number): View => {
  const whole = fit(scene, width, height);
  const readable = whole.zoom >= SMALL && pitchOf(scene, whole) >= CLOSE;
  return readable || run < 0 ? whole : centreOn(scene, whole, run, nearZoom(scene, whole));
};

/** Takes on the size of the stage; what is seen stays where it is. */
export const resizeCamera = (
  camera: CameraStore,
  scene: Scene,
  run: number,
  width: number,
  height: number,
): void => {
  if (width === 0 || height === 0) return;
  const { view } = camera.getState();
  camera.setState({
    view:
      view === null
        ? firstView(scene, run, width, height)
        : { ...view, y: view.y + (height - view.height) / 2, width, height },
  });
};

/** Changes the view, once there is one. */
export const moveCamera = (camera: CameraStore, move: (view: View) => View): void => {
  const { view } = camera.getState();
  if (view !== null) camera.setState({ view: move(view) });
};
