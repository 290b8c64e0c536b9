import { screenX, type View } from "./camera.ts";
import type { Box } from "./draw-node.ts";
import { runsBetween, type Scene } from "./map-scene.ts";
import type { Palette } from "./palette.ts";

/** Everything a picture of the map depends on. */
export interface Drawing {
  readonly scene: Scene;
  readonly view: View;
  readonly palette: Palette;
  /** How far sliding runs have come, 0 to 1. */
  readonly slid: number;
  /** Runs: in hand, under the pointer, where the next message goes; -1: none. */
  readonly chosen: number;
  readonly hovered: number;
  readonly tip: number;
  /** Runs marked for comparing: A, B. */
  readonly marked: readonly number[];
  /** What a run is called; `branch`: as the start of a branch. */
  readonly nameOf: (run: number, branch: boolean) => string;
  /** A run works at the tip. */
  readonly writing: boolean;
  /** The whole tree as a picture, for when more is seen than can be drawn one by one. */
  readonly picture: () => CanvasImageSource & { readonly width: number; readonly height: number };
}

/** What one picture works with: runs that are seen, and where they lie. */
export interface Frame extends Drawing {
  readonly pen: CanvasRenderingContext2D;
  readonly pitch: number;
  /** Lanes that are seen, and the stretch of them, in units of width. */
  readonly lanes: readonly [number, number];
  readonly left: number;
  readonly right: number;
  readonly scale: number;
}

/** The middle line of a run, px. */
export const laneY = ({ scene, view, pitch, slid }: Frame, run: number): number => {
  const lane = scene.laid.lane[run] ?? 0;
  const from = slid < 1 ? (scene.slideFrom?.[run] ?? lane) : lane;
  return view.y + (from + (lane - from) * slid) * pitch;
};

export const boxOf = (frame: Frame, run: number): Box => {
  const { scene, view, scale } = frame;
  const x = screenX(view, scene.laid.x[run] ?? 0);
  return {
    x,
    y: laneY(frame, run),
    width: screenX(view, (scene.laid.x[run] ?? 0) + (scene.laid.w[run] ?? 0)) - x,
    scale,
  };
};

/** Runs that are seen, lane by lane. While runs slide, their lanes are not where they are: then all lanes are looked at. */
export const seenRuns = function* (frame: Frame): Generator<number> {
  const { scene, slid } = frame;
  const [first, last] = slid < 1 ? [scene.laid.top, scene.laid.bottom] : frame.lanes;
  for (let lane = first; lane <= last; lane += 1) {
    const [from, end] = runsBetween(scene, lane, frame.left, frame.right);
    for (let at = from; at < end; at += 1) yield scene.order[at] ?? 0;
  }
};

/** Room behind the last run of a branch for the mark at its end, px. */
export const endMarkX = (box: Box): number => box.x + box.width + 17 * box.scale;
