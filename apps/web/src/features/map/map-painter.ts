import { pitchOf, screenX, type View } from "./camera.ts";
import { drawMap } from "./draw-map.ts";
import { pictureOf, putPicture } from "./draw-picture.ts";
import type { CameraStore } from "./map-camera.ts";
import type { Drawing } from "./map-frame.ts";
import type { Scene } from "./map-scene.ts";

/** A line that is dragged from a run to somewhere else, px. */
export interface LinkDrag {
  readonly from: number;
  readonly x: number;
  readonly y: number;
}

/** What is drawn beside the view, which the camera has. */
export interface Painted extends Omit<Drawing, "view" | "slid" | "picture"> {
  readonly drag: LinkDrag | null;
  /** Nothing slides. */
  readonly still: boolean;
}

/** Pixels of the picture of the whole, at most. */
const WIDEST = 2048;
const HIGHEST = 1024;
const SLIDE_MS = 160;

const fitCanvas = (canvas: HTMLCanvasElement, view: View, ratio: number): void => {
  const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width === width && canvas.height === height) return;
  canvas.width = width;
  canvas.height = height;
};

const drawDrag = (pen: CanvasRenderingContext2D, drawing: Drawing, drag: LinkDrag): void => {
  const { scene, view, palette } = drawing;
  const { laid } = scene;
  const x = screenX(view, (laid.x[drag.from] ?? 0) + (laid.w[drag.from] ?? 0) / 2);
  const y = view.y + (laid.lane[drag.from] ?? 0) * pitchOf(scene, view);
  pen.strokeStyle = palette.ink2;
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 4]);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(drag.x, drag.y);
  pen.stroke();
  pen.setLineDash([]);
};

/** Draws the map before the next frame when anything it depends on has changed, never more than once a frame. */
export class MapPainter {
  readonly #camera: CameraStore;
  #canvas: HTMLCanvasElement | null = null;
  #painted: Painted | null = null;
  #asked = 0;
  #slide: { readonly scene: Scene; readonly start: number } | null = null;
  #picture: { readonly of: Painted; readonly canvas: HTMLCanvasElement } | null = null;

  constructor(camera: CameraStore) {
    this.#camera = camera;
  }

  /** Draws on a canvas from now on; returns how to stop that. */
  attach(canvas: HTMLCanvasElement): () => void {
    this.#canvas = canvas;
    const stop = this.#camera.subscribe(() => this.ask());
    // Words drawn before their font has come are drawn again.
    void document.fonts.ready.then(() => this.ask());
    this.ask();
    return () => {
      stop();
      cancelAnimationFrame(this.#asked);
      this.#asked = 0;
      this.#canvas = null;
    };
  }

  set(painted: Painted): void {
    this.#painted = painted;
    this.ask();
  }

  ask(): void {
    if (this.#asked === 0 && this.#canvas !== null)
      this.#asked = requestAnimationFrame((now) => this.#draw(now));
  }

  #draw(now: number): void {
    this.#asked = 0;
    const { view } = this.#camera.getState();
    const painted = this.#painted;
    const pen = this.#canvas?.getContext("2d", { alpha: false });
    if (!this.#canvas || !pen || !view || !painted) return;
    const ratio = devicePixelRatio;
    fitCanvas(this.#canvas, view, ratio);
    const slid = this.#slid(painted, now);
    const drawing: Drawing = { ...painted, view, slid, picture: () => this.#pictureOf(painted) };
    drawMap(pen, drawing, ratio);
    if (painted.drag) drawDrag(pen, drawing, painted.drag);
    // For whoever waits for the map from outside.
    this.#canvas.dataset.drawn = "";
    if (slid < 1) this.ask();
  }

  #slid({ scene, still }: Painted, now: number): number {
    if (still || scene.slideFrom === null) return 1;
    if (this.#slide?.scene !== scene) this.#slide = { scene, start: now };
    const share = Math.min(1, (now - this.#slide.start) / SLIDE_MS);
    return 1 - (1 - share) ** 3;
  }

  /** The whole tree on a canvas, made when it is first needed. */
  #pictureOf(painted: Painted): HTMLCanvasElement {
    const known = this.#picture;
    if (known?.of.scene === painted.scene && known.of.palette === painted.palette) return known.canvas;
    const canvas = document.createElement("canvas");
    const lanes = painted.scene.laid.bottom - painted.scene.laid.top + 1;
    const height = Math.min(HIGHEST, Math.max(64, lanes * 6));
    putPicture(canvas, pictureOf(painted.scene, WIDEST, height, painted.palette));
    this.#picture = { of: painted, canvas };
    return canvas;
  }
}
