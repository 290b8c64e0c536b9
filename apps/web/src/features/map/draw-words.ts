import { hourOf, timeOfDay } from "../../view/format.ts";
import { firstRowOf } from "../../view/tree/run-words.ts";
import { screenX, worldX } from "./camera.ts";
import { boxOf, endMarkX, type Frame } from "./map-frame.ts";
import { firstWhere } from "./map-scene.ts";

const PLAIN = "12px Inter, system-ui, sans-serif";
const HEAVY = "560 12px Inter, system-ui, sans-serif";
/** A name with less room than this is left out, px. */
const LEAST = 44;

const widths = new Map<string, number>();

/** Width of a text, px; texts come again with every picture. */
const widthOf = (pen: CanvasRenderingContext2D, text: string): number => {
  const key = pen.font + text;
  const known = widths.get(key);
  if (known !== undefined) return known;
  if (widths.size > 5_000) widths.clear();
  const width = pen.measureText(text).width;
  widths.set(key, width);
  return width;
};

/** A text cut to the room there is. */
const cutText = (pen: CanvasRenderingContext2D, text: string, room: number): string => {
  const width = widthOf(pen, text);
  if (width <= room) return text;
  let end = Math.floor((text.length * room) / width);
  while (end > 1 && widthOf(pen, `${text.slice(0, end)}\u2026`) > room) end -= 1;
  return `${text.slice(0, end).trimEnd()}\u2026`;
};

/** Words with the page's own colour around them, so that lines behind do not run through. */
const write = ({ pen, palette }: Frame, text: string, x: number, y: number, color: string): void => {
  pen.strokeStyle = palette.bg;
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeText(text, x, y);
  pen.fillStyle = color;
  pen.fillText(text, x, y);
};

/** Room for the words of a run: up to the next one on its lane. */
const roomOf = (frame: Frame, run: number, box: { readonly x: number; readonly width: number }): number => {
  const { laid } = frame.scene;
  const wire = laid.wireOf[run] ?? run;
  const branch = laid.head[run] === 1 && laid.fold.parent[run] !== -1;
  if (branch) return screenX(frame.view, laid.until[wire] ?? 0) - box.x - 12;
  return laid.fold.children[run] === 0 ? box.width + 60 : box.width + 16 * frame.view.zoom;
};

const writeName = (frame: Frame, run: number): void => {
  const { pen, palette, scene, chosen } = frame;
  const box = boxOf(frame, run);
  const { laid } = scene;
  const branch = laid.head[run] === 1 && laid.fold.parent[run] !== -1;
  const alone =
    laid.fold.kind[run] === "compaction" || (laid.fold.kind[run] === "user" && laid.fold.size[run] === 1);
  const room = roomOf(frame, run, box);
  if ((alone && !branch) || room < LEAST) return;
  const name = frame.nameOf(run, branch);
  // A branch that is called after this run says it already.
  if (!branch && run !== laid.wireOf[run] && name === frame.nameOf(laid.wireOf[run] ?? run, true)) return;
  pen.font = run === chosen ? HEAVY : PLAIN;
  const text = cutText(pen, name, room);
  const y = branch ? box.y - 9 * box.scale - 9 : box.y + 9 * box.scale + 15;
  write(frame, text, box.x, y, run === chosen ? palette.ink : palette.ink2);
};

/** Names of branches over their start, of other runs under them; and where one is. */
export const drawNames = (frame: Frame, runs: readonly number[]): void => {
  const { pen, palette, tip, scene, writing } = frame;
  pen.textAlign = "left";
  for (const run of runs) writeName(frame, run);
  if (tip < 0 || !runs.includes(tip)) return;
  const box = boxOf(frame, tip);
  const isEnd = scene.laid.fold.children[tip] === 0;
  pen.font = HEAVY;
  const x = isEnd ? endMarkX(box) + 18 : box.x + box.width - 12;
  write(frame, writing ? "here, writing" : "here", x, isEnd ? box.y + 4 : box.y - 20, palette.leaf);
};

/** At least so far from one time to the next, px. */
const APART = 110;

/** Runs of the path under which a time stands, with where on the screen; left to right, apart from each other. */
const timed = function* ({ scene, view }: Frame): Generator<readonly [x: number, time: number]> {
  const { laid, order, laneAt, folded } = scene;
  const low = laneAt[-laid.top] ?? 0;
  const high = laneAt[-laid.top + 1] ?? low;
  for (let px = 0; px < view.width; ) {
    const wanted = worldX(view, px);
    const at = firstWhere(low, high, (index) => (laid.x[order[index] ?? 0] ?? 0) >= wanted);
    const run = order[at] ?? 0;
    const x = Math.round(screenX(view, laid.x[run] ?? 0)) + 0.5;
    if (at >= high || x > view.width) return;
    const time = firstRowOf(folded, run)?.time ?? 0;
    if (time > 0) yield [x, time];
    px = Math.max(px, x) + APART;
  }
};

/** Faint posts under the times. */
export const drawPosts = (frame: Frame): void => {
  const { pen, palette, view } = frame;
  pen.strokeStyle = palette.trellis;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const [x] of timed(frame)) {
    pen.moveTo(x, RULER);
    pen.lineTo(x, view.height);
  }
  pen.stroke();
};

/** Height of the ruler, px. */
const RULER = 38;

/** Times of the path along the upper edge, over everything. */
export const drawTimes = (frame: Frame): void => {
  const { pen, palette, view } = frame;
  pen.fillStyle = palette.bg;
  pen.fillRect(0, 0, view.width, RULER);
  pen.font = "11px Inter, system-ui, sans-serif";
  pen.textAlign = "center";
  pen.fillStyle = palette.ink3;
  let day = "";
  for (const [x, time] of timed(frame)) {
    const today = new Date(time).toDateString();
    pen.fillText(today === day ? hourOf(time) : timeOfDay(time), Math.max(36, x), 26);
    day = today;
  }
};
