import type { PointerEvent as ReactPointerEvent } from "react";
import { panBy, runUnder, type View, zoomAt } from "./camera.ts";
import { type CameraStore, moveCamera } from "./map-camera.ts";
import type { LinkDrag } from "./map-painter.ts";
import type { Scene } from "./map-scene.ts";

/** Px that a pointer may move and still have clicked. */
const STILL = 5;
const LONG_MS = 500;
/** How far beside a run it is still meant, px. */
const REACH = { mouse: 5, touch: 16 };

interface Touch {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

interface Gesture {
  kind: "press" | "pan" | "link" | "pinch" | "done";
  readonly run: number;
  readonly start: Touch;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface MapPointerEvents {
  /** -1: where nothing is. */
  readonly onClick: (run: number) => void;
  readonly onHover: (run: number) => void;
  /** A finger rested on a run. */
  readonly onLongPress: (run: number) => void;
  /** One run was dragged onto another. */
  readonly onLink: (from: number, to: number) => void;
}

const isTouch = (event: { readonly pointerType: string }): boolean => event.pointerType !== "mouse";

/** Two fingers: what was between them stays between them. */
const pinched = (scene: Scene, view: View, before: readonly Touch[], after: readonly Touch[]): View => {
  const [a, b] = before;
  const [c, d] = after;
  if (!a || !b || !c || !d) return view;
  const apart = (one: Touch, two: Touch): number => Math.max(1, Math.hypot(one.x - two.x, one.y - two.y));
  const [x, y] = [(c.x + d.x) / 2, (c.y + d.y) / 2];
  const moved = panBy(scene, view, x - (a.x + b.x) / 2, y - (a.y + b.y) / 2);
  return zoomAt(scene, moved, apart(c, d) / apart(a, b), x, y);
};

const pointOf = (event: ReactPointerEvent<HTMLElement>): Touch => {
  const box = event.currentTarget.getBoundingClientRect();
  return { id: event.pointerId, x: event.clientX - box.left, y: event.clientY - box.top };
};

/** Pointer gestures of the map: pan, pinch, click, hover, long press, and dragging one run onto another. */
export class MapGestures {
  readonly #camera: CameraStore;
  readonly #onDrag: (drag: LinkDrag | null) => void;
  #scene: Scene | null = null;
  #events: MapPointerEvents | null = null;
  #touches: readonly Touch[] = [];
  #gesture: Gesture | null = null;

  constructor(camera: CameraStore, onDrag: (drag: LinkDrag | null) => void) {
    this.#camera = camera;
    this.#onDrag = onDrag;
  }

  /** What is touched now, and who is told. */
  set(scene: Scene, events: MapPointerEvents): void {
    this.#scene = scene;
    this.#events = events;
  }

  #under(point: Touch, touch: boolean): number {
    const { view } = this.#camera.getState();
    if (!view || !this.#scene) return -1;
    return runUnder(this.#scene, view, point.x, point.y, touch ? REACH.touch : REACH.mouse);
  }

  #move(move: (scene: Scene, view: View) => View): void {
    const scene = this.#scene;
    if (scene) moveCamera(this.#camera, (view) => move(scene, view));
  }

  #end(): void {
    clearTimeout(this.#gesture?.timer);
    this.#gesture = null;
    this.#onDrag(null);
  }

  readonly down = (event: ReactPointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const point = pointOf(event);
    this.#touches = [...this.#touches.filter(({ id }) => id !== point.id), point];
    clearTimeout(this.#gesture?.timer);
    const run = this.#under(point, isTouch(event));
    const kind = this.#touches.length > 1 ? "pinch" : "press";
    const begun: Gesture = { kind, run, start: point, timer: undefined };
    if (kind === "press" && isTouch(event) && run >= 0)
      begun.timer = setTimeout(() => {
        begun.kind = "done";
        this.#events?.onLongPress(run);
      }, LONG_MS);
    this.#gesture = begun;
  };

  readonly move = (event: ReactPointerEvent<HTMLElement>): void => {
    const point = pointOf(event);
    const now = this.#gesture;
    if (now === null) {
      if (!isTouch(event)) this.#events?.onHover(this.#under(point, false));
      return;
    }
    const before = this.#touches;
    const last = before.find(({ id }) => id === point.id);
    if (!last) return;
    const after = before.map((each) => (each.id === point.id ? point : each));
    this.#touches = after;
    if (now.kind === "press") {
      if (Math.hypot(point.x - now.start.x, point.y - now.start.y) <= STILL) return;
      clearTimeout(now.timer);
      now.kind = now.run >= 0 && !isTouch(event) ? "link" : "pan";
    }
    if (now.kind === "pan")
      this.#move((scene, view) => panBy(scene, view, point.x - last.x, point.y - last.y));
    if (now.kind === "pinch") this.#move((scene, view) => pinched(scene, view, before, after));
    if (now.kind === "link") {
      this.#onDrag({ from: now.run, x: point.x, y: point.y });
      this.#events?.onHover(this.#under(point, false));
    }
  };

  readonly up = (event: ReactPointerEvent<HTMLElement>): void => {
    const point = pointOf(event);
    const now = this.#gesture;
    this.#touches = this.#touches.filter(({ id }) => id !== point.id);
    if (now?.kind === "press") this.#events?.onClick(now.run);
    if (now?.kind === "link") {
      const to = this.#under(point, false);
      if (to >= 0 && to !== now.run) this.#events?.onLink(now.run, to);
    }
    this.#end();
    // The finger that is left goes on panning.
    const [left] = this.#touches;
    if (left) this.#gesture = { kind: "pan", run: -1, start: left, timer: undefined };
  };

  readonly cancel = (): void => {
    this.#touches = [];
    this.#end();
  };
}
