import { type RefObject, useEffect, useState } from "react";
import { panBy, zoomAt } from "./camera.ts";
import { type CameraStore, moveCamera } from "./map-camera.ts";
import { MapGestures, type MapPointerEvents } from "./map-gestures.ts";
import type { LinkDrag } from "./map-painter.ts";
import type { Scene } from "./map-scene.ts";

/** The wheel: turned it zooms, with Ctrl (a pinch on a touch pad) too; slid on a touch pad it pans. */
const useWheel = (stage: RefObject<HTMLElement | null>, scene: Scene, camera: CameraStore): void => {
  useEffect(() => {
    const element = stage.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const turned = event.deltaMode === 1 || (event.deltaX === 0 && Math.abs(event.deltaY) >= 50);
      const zooms = event.ctrlKey || event.metaKey || (turned && !event.shiftKey);
      const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0022));
      moveCamera(camera, (view) =>
        zooms
          ? zoomAt(scene, view, factor, event.clientX - box.left, event.clientY - box.top)
          : event.shiftKey
            ? panBy(scene, view, -event.deltaY - event.deltaX, 0)
            : panBy(scene, view, -event.deltaX, -event.deltaY),
      );
    };
    // React's own wheel listeners are passive: they could not keep the page from zooming.
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, [stage, scene, camera]);
};

/** Pointer and wheel on the map: what is dragged now, and the listeners of its element. */
export const useMapPointer = (
  stage: RefObject<HTMLElement | null>,
  scene: Scene,
  camera: CameraStore,
  events: MapPointerEvents,
) => {
  useWheel(stage, scene, camera);
  const [drag, setDrag] = useState<LinkDrag | null>(null);
  const [gestures] = useState(() => new MapGestures(camera, setDrag));
  useEffect(() => gestures.set(scene, events));
  const { down, move, up, cancel } = gestures;
  return {
    drag,
    handlers: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: cancel },
  };
};
