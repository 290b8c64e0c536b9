import type { Detail } from "./camera.ts";
import { screenX } from "./camera.ts";
import { boxOf, endMarkX, type Frame, laneY, seenRuns } from "./map-frame.ts";
import { firstWhere } from "./map-scene.ts";

/** Where the upright of a branch stands, px behind the run it leaves. */
const uprightX = ({ view, scene }: Frame, parent: number): number =>
  screenX(view, (scene.laid.x[parent] ?? 0) + (scene.laid.w[parent] ?? 0)) + Math.min(8, 6 * view.zoom);

const radiusOf = ({ view }: Frame, rise: number): number => Math.min(14, 12 * view.zoom, Math.abs(rise) / 2);

/** The faint wires that lanes are trained along. */
const drawTrellis = ({ pen, palette, view, pitch, lanes: [first, last] }: Frame): void => {
  pen.strokeStyle = palette.trellis;
  pen.lineWidth = 1;
  pen.beginPath();
  for (let lane = first; lane <= last; lane += 1) {
    const y = Math.round(view.y + lane * pitch) + 0.5;
    pen.moveTo(0, y);
    pen.lineTo(view.width, y);
  }
  pen.stroke();
};

/** Upright lines at forks. */
const drawSpines = (frame: Frame): void => {
  const { pen, scene, view, pitch } = frame;
  const { spines } = scene;
  const size = spines.x.length;
  const first = firstWhere(0, size, (at) => (spines.x[at] ?? 0) >= frame.left);
  const end = firstWhere(first, size, (at) => (spines.x[at] ?? 0) > frame.right);
  for (let at = first; at < end; at += 1) {
    const from = view.y + (spines.from[at] ?? 0) * pitch;
    const to = view.y + (spines.to[at] ?? 0) * pitch;
    if (Math.max(from, to) < 0 || Math.min(from, to) > view.height) continue;
    const x = uprightX(frame, spines.run[at] ?? 0);
    const radius = radiusOf(frame, to - from);
    pen.moveTo(x, Math.max(-20, Math.min(view.height + 20, from)));
    pen.lineTo(x, Math.max(-20, Math.min(view.height + 20, to - Math.sign(to - from) * radius)));
  }
};

/** The line that leads to a run, and through it to the mark at its end. */
const leadTo = (frame: Frame, run: number, marks: boolean): void => {
  const { pen, scene } = frame;
  const box = boxOf(frame, run);
  const parent = scene.laid.fold.parent[run] ?? -1;
  const end =
    marks && scene.laid.fold.children[run] === 0 ? endMarkX(box) - 9 * box.scale : box.x + box.width;
  if (parent < 0) pen.moveTo(box.x, box.y);
  else if (scene.laid.head[run] === 1) {
    const x = uprightX(frame, parent);
    const from = laneY(frame, parent);
    const rise = box.y - from;
    const radius = radiusOf(frame, rise);
    pen.moveTo(x, frame.slid < 1 ? from : box.y - Math.sign(rise) * radius);
    pen.lineTo(x, box.y - Math.sign(rise) * radius);
    pen.quadraticCurveTo(x, box.y, x + radius, box.y);
  } else
    pen.moveTo(screenX(frame.view, (scene.laid.x[parent] ?? 0) + (scene.laid.w[parent] ?? 0)) - 1, box.y);
  pen.lineTo(end, box.y);
};

/** All lines: branches first, the path over them. */
export const drawWires = (frame: Frame, detail: Detail): void => {
  const { pen, palette, scene } = frame;
  const near = detail === "text" || detail === "capsule";
  if (near) drawTrellis(frame);
  // What begins right of the edge still has its line in sight.
  const wide = { ...frame, right: frame.right + 60 };
  for (const path of [0, 1]) {
    pen.beginPath();
    if (path === 0 && frame.slid >= 1) drawSpines(frame);
    for (const run of seenRuns(wide)) if (scene.laid.onPath[run] === path) leadTo(frame, run, near);
    pen.strokeStyle = path === 1 ? palette.leaf : palette.lane;
    pen.lineWidth = path === 1 ? (near ? 3 : 2) : near ? 1.75 : 1;
    pen.stroke();
  }
};
