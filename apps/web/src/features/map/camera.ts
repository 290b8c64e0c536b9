import { LANE, nearestOn, runsBetween, type Scene, UNIT } from "./map-scene.ts";

/** What part of the map is seen: zoom, and where the start of lane 0 lies on the screen. Pixels. */
export interface View {
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Levels of detail. */
export type Detail = "text" | "capsule" | "bar" | "picture";

/** What can be told apart at a zoom, with lanes so many px from each other. */
export const detailAt = (zoom: number, pitch: number): Detail => {
  if (zoom >= 0.6 && pitch >= 34) return "text";
  if (zoom >= 0.35 && pitch >= 18) return "capsule";
  return zoom >= 0.08 && pitch >= 5 ? "bar" : "picture";
};

/** Room around a fitted tree, px: the ruler above, names and marks at the sides. */
const EDGE = { left: 40, right: 130, top: 76, bottom: 60 };
const MOST = 3;
/** Far out, lanes keep this far apart as long as all of them can be seen: a long thin line tells nothing. */
const APART = 32;
/** From this zoom on, and no less than thrice the whole's, lanes lie as far apart as the zoom says. */
const TRUE_FROM = 0.6;

type Size = Pick<View, "width" | "height">;

/** The zoom at which the whole length is seen, at most 1. */
const wholeZoom = ({ laid }: Scene, { width }: Size): number =>
  Math.min(1, Math.max(120, width - EDGE.left - EDGE.right) / Math.max(1, laid.right * UNIT));

/** Pixels between two lanes when all of them are seen. */
const wholePitch = (scene: Scene, size: Size): number => {
  const room = Math.max(100, size.height - EDGE.top - EDGE.bottom);
  const lanes = scene.laid.bottom - scene.laid.top + 1;
  return Math.min(room / lanes, Math.max(APART, LANE * wholeZoom(scene, size)));
};

/**
 * Pixels between two lanes. Length and height of a session have nothing to do with each other: the whole fills the stage in both,
 * and coming closer, the two scales come together.
 */
export const pitchOf = (scene: Scene, view: Pick<View, "zoom"> & Size): number => {
  const [least, whole] = [wholeZoom(scene, view), wholePitch(scene, view)];
  if (view.zoom <= least) return whole * (view.zoom / least);
  const until = Math.max(TRUE_FROM, 3 * least);
  if (view.zoom >= until || whole >= LANE * least * 0.99) return Math.max(whole, LANE * view.zoom);
  const share = Math.log(view.zoom / least) / Math.log(until / least);
  return whole * ((LANE * until) / whole) ** share;
};

/** A zoom at which the runs around a place can be read, whatever the whole looks like. */
export const nearZoom = (scene: Scene, size: Size): number =>
  Math.min(1.2, Math.max(0.7, 3 * wholeZoom(scene, size)));

/** Size of marks against those at zoom 1: they shrink less than the tree. */
export const scaleAt = (zoom: number): number => Math.min(1.15, Math.max(0.62, zoom));

export const screenX = (view: View, x: number): number => view.x + x * UNIT * view.zoom;
export const worldX = (view: View, px: number): number => (px - view.x) / (UNIT * view.zoom);

/** The whole tree, in the middle. */
export const fit = (scene: Scene, width: number, height: number): View => {
  const zoom = wholeZoom(scene, { width, height });
  const { laid } = scene;
  const pitch = pitchOf(scene, { zoom, width, height });
  const free = height - EDGE.top - EDGE.bottom - (laid.bottom - laid.top + 1) * pitch;
  const y = EDGE.top + pitch / 2 - laid.top * pitch + Math.max(0, free / 2);
  return { zoom, x: EDGE.left, y, width, height };
};

/** Zooms so that what lies under a point stays there. */
export const zoomAt = (scene: Scene, view: View, factor: number, px: number, py: number): View => {
  const least = 0.5 * wholeZoom(scene, view);
  const zoom = Math.min(MOST, Math.max(least, view.zoom * factor));
  const lane = (py - view.y) / pitchOf(scene, view);
  return {
    ...view,
    zoom,
    x: px - worldX(view, px) * UNIT * zoom,
    y: py - lane * pitchOf(scene, { ...view, zoom }),
  };
};

/** Keeps a piece of the tree in sight, whatever was dragged. */
export const panBy = (scene: Scene, view: View, dx: number, dy: number): View => {
  const pitch = pitchOf(scene, view);
  const right = scene.laid.right * UNIT * view.zoom;
  const [least, most] = [view.width * 0.2 - right, view.width * 0.8];
  const [up, down] = [
    view.height * 0.2 - scene.laid.bottom * pitch,
    view.height * 0.8 - scene.laid.top * pitch,
  ];
  return {
    ...view,
    x: Math.min(most, Math.max(least, view.x + dx)),
    y: Math.min(down, Math.max(up, view.y + dy)),
  };
};

/** Moves no further than needed to have a run in sight. */
export const reveal = (scene: Scene, view: View, run: number): View => {
  const { laid } = scene;
  const left = screenX(view, laid.x[run] ?? 0);
  const width = (laid.w[run] ?? 0) * UNIT * view.zoom;
  const y = view.y + (laid.lane[run] ?? 0) * pitchOf(scene, view);
  const shift = (at: number, low: number, high: number): number =>
    at < low ? low - at : at > high ? high - at : 0;
  const [low, high] = [60, Math.max(60, view.width - 200 - Math.min(width, view.width / 2))];
  return {
    ...view,
    x: view.x + shift(left, low, high),
    y: view.y + shift(y, EDGE.top, Math.max(EDGE.top, view.height - 130)),
  };
};

/** A run in the middle of the view at a zoom. */
export const centreOn = (scene: Scene, view: View, run: number, zoom: number): View => {
  const { laid } = scene;
  const middle = (laid.x[run] ?? 0) + (laid.w[run] ?? 0) / 2;
  const pitch = pitchOf(scene, { ...view, zoom });
  return {
    ...view,
    zoom,
    x: view.width / 2 - middle * UNIT * zoom,
    y: view.height / 2 - (laid.lane[run] ?? 0) * pitch,
  };
};

/** The run under a point, or the nearest one within reach (px); -1: none. */
export const runUnder = (scene: Scene, view: View, px: number, py: number, reach: number): number => {
  const pitch = pitchOf(scene, view);
  const lane = Math.round((py - view.y) / pitch);
  const { laid } = scene;
  if (lane < laid.top || lane > laid.bottom) return -1;
  const high = Math.min(pitch / 2, 9 * view.zoom + reach);
  if (Math.abs(view.y + lane * pitch - py) > high) return -1;
  const run = nearestOn(scene, lane, worldX(view, px));
  if (run < 0) return -1;
  const left = screenX(view, laid.x[run] ?? 0) - reach;
  const end = screenX(view, (laid.x[run] ?? 0) + (laid.w[run] ?? 0)) + reach;
  // The mark at the end of a branch is a part of its last run.
  const mark = laid.fold.children[run] === 0 ? 30 * view.zoom : 0;
  return px >= left && px <= end + mark ? run : -1;
};

/** More than this is drawn from the picture. */
const MANY = 3_000;
const MANY_LANES = 1_500;

/** Lanes that are seen. */
export const lanesIn = (scene: Scene, view: View): [number, number] => {
  const pitch = pitchOf(scene, view);
  const { top, bottom } = scene.laid;
  return [
    Math.max(top, Math.floor((-40 - view.y) / pitch)),
    Math.min(bottom, Math.ceil((view.height + 40 - view.y) / pitch)),
  ];
};

/** Whether so much is seen that single runs are not drawn. */
export const isCrowded = (scene: Scene, view: View): boolean => {
  if (detailAt(view.zoom, pitchOf(scene, view)) !== "picture") return false;
  const [first, last] = lanesIn(scene, view);
  if (last - first > MANY_LANES) return true;
  const [left, right] = [worldX(view, 0), worldX(view, view.width)];
  let seen = 0;
  for (let lane = first; lane <= last && seen <= MANY; lane += 1) {
    const [from, end] = runsBetween(scene, lane, left, right);
    seen += end - from;
  }
  return seen > MANY;
};
