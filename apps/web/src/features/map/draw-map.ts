import { endingOf, sumsOf } from "../../view/tree/run-sums.ts";
import { labelsOf, lastRowOf } from "../../view/tree/run-words.ts";
import { detailAt, isCrowded, lanesIn, pitchOf, scaleAt, screenX, worldX } from "./camera.ts";
import {
  type Box,
  drawCapsule,
  drawDot,
  drawEnding,
  drawFlag,
  drawMark,
  drawNotch,
  drawRing,
  drawSummary,
  drawTick,
  drawTip,
} from "./draw-node.ts";
import { drawWires } from "./draw-wires.ts";
import { drawNames, drawPosts, drawTimes } from "./draw-words.ts";
import { boxOf, type Drawing, endMarkX, type Frame, seenRuns } from "./map-frame.ts";

const drawMarks = (frame: Frame, run: number, box: Box): void => {
  const { pen, palette, scene, tip } = frame;
  const { folded, laid } = scene;
  const isEnd = laid.fold.children[run] === 0;
  if (run === tip) drawTip(pen, palette, isEnd ? endMarkX(box) : box.x + box.width, box.y, box.scale);
  else if (isEnd) drawEnding(pen, palette, endingOf(folded, run), { ...box, x: endMarkX(box) });
  const last = lastRowOf(folded, run);
  if ((sumsOf(folded).failed[run] ?? 0) > 0) drawTick(pen, palette.err, box);
  else if (isEnd && run !== tip && last?.flags?.includes("calls")) drawTick(pen, palette.warn, box);
};

const countOf = (entries: number, width: number, detail: string): string =>
  detail === "text" && width > 7 * String(entries).length + 8 ? String(entries) : "";

/** A run with its own mark, at the two nearer levels of detail. */
const drawRun = (frame: Frame, run: number, detail: "text" | "capsule"): void => {
  const { pen, palette, scene } = frame;
  const box = boxOf(frame, run);
  const entries = scene.laid.fold.size[run] ?? 0;
  const onPath = scene.laid.onPath[run] === 1;
  switch (scene.laid.fold.kind[run]) {
    case "compaction":
      drawNotch(pen, palette, box);
      break;
    case "summary":
      drawSummary(pen, palette, box);
      break;
    case "user": {
      const beside = 15 * box.scale;
      if (entries > 1) {
        const rest = { ...box, x: box.x + beside, width: box.width - beside };
        drawCapsule(pen, palette, rest, onPath, countOf(entries - 1, rest.width, detail));
        drawDot(pen, palette, box.x + 4.5 * box.scale, box.y, box.scale);
      } else drawDot(pen, palette, box.x + box.width / 2, box.y, box.scale);
      break;
    }
    case "run":
    case undefined:
      drawCapsule(pen, palette, box, onPath, countOf(entries, box.width, detail));
  }
  drawMarks(frame, run, box);
};

/** Runs as strokes, by colour: as many as there may be in a few calls. */
const drawBars = (frame: Frame, runs: readonly number[]): void => {
  const { pen, palette, scene, pitch } = frame;
  const high = Math.max(2, Math.min(7, pitch * 0.3));
  const strokes = new Map<string, number[]>();
  for (const run of runs) {
    const kind = scene.laid.fold.kind[run];
    const path = scene.laid.onPath[run] === 1;
    const color =
      kind === "compaction"
        ? palette.clay
        : kind === "user"
          ? palette.user
          : path
            ? palette.leaf
            : palette.lane;
    const known = strokes.get(color);
    if (known) known.push(run);
    else strokes.set(color, [run]);
  }
  for (const [color, those] of strokes) {
    pen.fillStyle = color;
    for (const run of those) {
      const box = boxOf(frame, run);
      const wide = scene.laid.fold.kind[run] === "run" ? box.width : Math.min(box.width, high + 1);
      pen.fillRect(box.x + (box.width - wide) / 2, box.y - high / 2, Math.max(1.5, wide), high);
    }
  }
};

/** Where one is, when all else is bars. */
const drawSmallTip = (frame: Frame): void => {
  const box = boxOf(frame, frame.tip);
  drawTip(frame.pen, frame.palette, box.x + box.width, box.y, 0.6);
};

const drawCrowd = ({ pen, scene, view, pitch, picture }: Frame): void => {
  const image = picture();
  const left = screenX(view, 0);
  const width = screenX(view, scene.laid.right) - left;
  const top = view.y + (scene.laid.top - 0.5) * pitch;
  const height = (scene.laid.bottom - scene.laid.top + 1) * pitch;
  pen.imageSmoothingEnabled = true;
  pen.drawImage(image, left, top, width, height);
};

const drawInHand = (frame: Frame): void => {
  const { pen, palette, chosen, hovered, marked } = frame;
  if (hovered >= 0 && hovered !== chosen) drawRing(pen, palette.lane, boxOf(frame, hovered), 4);
  if (chosen >= 0) drawRing(pen, palette.leaf, boxOf(frame, chosen), 4);
  for (const [index, run] of marked.entries())
    if (run >= 0) drawMark(pen, palette, "AB"[index] ?? "", boxOf(frame, run));
};

/** Draws what is seen of the map. Costs only what is seen. */
export const drawMap = (pen: CanvasRenderingContext2D, drawing: Drawing, ratio: number): void => {
  const { scene, view, palette } = drawing;
  const pitch = pitchOf(scene, view);
  const detail = detailAt(view.zoom, pitch);
  const frame: Frame = {
    ...drawing,
    pen,
    pitch,
    lanes: lanesIn(scene, view),
    left: worldX(view, -60),
    right: worldX(view, view.width + 60),
    scale: scaleAt(view.zoom),
  };
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = palette.bg;
  pen.fillRect(0, 0, view.width, view.height);
  pen.textBaseline = "alphabetic";
  pen.lineCap = "round";
  drawPosts(frame);
  if (isCrowded(scene, view)) drawCrowd(frame);
  else {
    drawWires(frame, detail);
    const runs = [...seenRuns(frame)];
    if (detail === "text" || detail === "capsule") for (const run of runs) drawRun(frame, run, detail);
    else {
      drawBars(frame, runs);
      if (runs.includes(frame.tip)) drawSmallTip(frame);
    }
    if (detail !== "picture") drawFlags(frame, runs, detail === "text");
    if (detail === "text") drawNames(frame, runs);
  }
  drawInHand(frame);
  drawTimes(frame);
};

const drawFlags = (frame: Frame, runs: readonly number[], worded: boolean): void => {
  const { pen, palette, scene } = frame;
  const labels = labelsOf(scene.folded);
  if (labels.size === 0) return;
  for (const run of runs) {
    const label = labels.get(run);
    if (label === undefined) continue;
    const box = boxOf(frame, run);
    // A label ends its run: the flag stands at its end.
    const alone = scene.laid.fold.size[run] === 1;
    const x = alone ? box.x + box.width / 2 : box.x + box.width - 3;
    drawFlag(pen, palette, x, box.y, worded ? label.slice(0, 32) : "");
  }
};
