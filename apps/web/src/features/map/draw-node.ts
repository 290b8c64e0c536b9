import type { Ending } from "../../view/tree/run-sums.ts";
import type { Palette } from "./palette.ts";

/** Where a node is drawn: its left, its middle line, its width; px. `scale` is the size of marks against those at zoom 1. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly scale: number;
}

type Pen = CanvasRenderingContext2D;

const TURN = 2 * Math.PI;

const disc = (pen: Pen, x: number, y: number, radius: number): void => {
  pen.beginPath();
  pen.arc(x, y, radius, 0, TURN);
};

/** A person's message. */
export const drawDot = (pen: Pen, palette: Palette, x: number, y: number, scale: number): void => {
  disc(pen, x, y, 4.5 * scale + 1.5);
  pen.fillStyle = palette.bg;
  pen.fill();
  disc(pen, x, y, 4.5 * scale);
  pen.fillStyle = palette.user;
  pen.fill();
};

/** A run of entries. */
export const drawCapsule = (pen: Pen, palette: Palette, box: Box, onPath: boolean, count: string): void => {
  const height = 18 * box.scale;
  pen.beginPath();
  pen.roundRect(box.x, box.y - height / 2, Math.max(height / 2, box.width), height, height / 2);
  pen.fillStyle = onPath ? palette.leafSoft : palette.surface;
  pen.fill();
  pen.strokeStyle = onPath ? palette.leaf : palette.lane;
  pen.lineWidth = onPath ? 1.75 : 1.5;
  pen.stroke();
  if (count === "") return;
  pen.font = "520 11px Inter, system-ui, sans-serif";
  pen.textAlign = "center";
  pen.fillStyle = onPath ? palette.leaf : palette.ink2;
  pen.fillText(count, box.x + box.width / 2, box.y + 4);
};

/** Where the window was cut: two strokes across the wire. */
export const drawNotch = (pen: Pen, palette: Palette, { x, y, width, scale }: Box): void => {
  const middle = x + width / 2;
  const [rise, run] = [9 * scale, 3 * scale];
  pen.strokeStyle = palette.bg;
  pen.lineWidth = 9 * scale;
  pen.beginPath();
  pen.moveTo(middle - run, y + rise);
  pen.lineTo(middle + run, y - rise);
  pen.stroke();
  pen.strokeStyle = palette.clay;
  pen.lineWidth = 2;
  pen.beginPath();
  for (const shift of [-3 * scale, 3 * scale]) {
    pen.moveTo(middle + shift - run, y + rise);
    pen.lineTo(middle + shift + run, y - rise);
  }
  pen.stroke();
};

/** What a branch that was left came to: a folded leaf of paper. */
export const drawSummary = (pen: Pen, palette: Palette, { x, y, width, scale }: Box): void => {
  const [left, top, size] = [x + width / 2 - 6 * scale, y - 8 * scale, 4 * scale];
  pen.beginPath();
  pen.moveTo(left, top);
  pen.lineTo(left + 2 * size, top);
  pen.lineTo(left + 3 * size, top + size);
  pen.lineTo(left + 3 * size, top + 4 * size);
  pen.lineTo(left, top + 4 * size);
  pen.closePath();
  pen.fillStyle = palette.surface;
  pen.fill();
  pen.strokeStyle = palette.ink2;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.beginPath();
  pen.moveTo(left + 2 * size, top);
  pen.lineTo(left + 2 * size, top + size);
  pen.lineTo(left + 3 * size, top + size);
  pen.stroke();
};

const glyph = (pen: Pen, points: readonly (readonly [number, number])[], x: number, y: number): void => {
  pen.beginPath();
  for (const [at, [dx, dy]] of points.entries()) pen[at % 2 === 0 ? "moveTo" : "lineTo"](x + dx, y + dy);
  pen.stroke();
};

/** How a branch ended. */
export const drawEnding = (
  pen: Pen,
  palette: Palette,
  ending: Ending,
  { x, y, scale }: Omit<Box, "width">,
): void => {
  disc(pen, x, y, 9 * scale);
  pen.fillStyle = palette.bg;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = ending === "failed" ? palette.errLine : ending === "ok" ? palette.leaf : palette.lane;
  pen.stroke();
  const size = 3.2 * scale;
  pen.lineWidth = 1.75;
  switch (ending) {
    case "open":
      return;
    case "failed":
      pen.strokeStyle = palette.err;
      return glyph(
        pen,
        [
          [-size, -size],
          [size, size],
          [size, -size],
          [-size, size],
        ],
        x,
        y,
      );
    case "ok":
      return glyph(
        pen,
        [
          [-size * 1.2, 0.1 * size],
          [-0.3 * size, size],
          [-0.3 * size, size],
          [size * 1.3, -size],
        ],
        x,
        y,
      );
    case "abandoned":
      pen.strokeStyle = palette.ink3;
      return glyph(
        pen,
        [
          [-size, 0],
          [size, 0],
        ],
        x,
        y,
      );
  }
};

/** The session's place: where the next message goes. */
export const drawTip = (pen: Pen, palette: Palette, x: number, y: number, scale: number): void => {
  disc(pen, x, y, 11 * scale);
  pen.fillStyle = palette.leafSoft;
  pen.fill();
  pen.strokeStyle = palette.leafLine;
  pen.lineWidth = 1.5;
  pen.stroke();
  disc(pen, x, y, 5 * scale);
  pen.fillStyle = palette.leaf;
  pen.fill();
};

/** A place that was given a name. `text` is "" where there is no room for it. */
export const drawFlag = (pen: Pen, palette: Palette, x: number, y: number, text: string): void => {
  pen.strokeStyle = palette.leaf;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(x, y - 6);
  pen.lineTo(x, y - 34);
  pen.stroke();
  pen.font = "560 11px Inter, system-ui, sans-serif";
  const width = text === "" ? 12 : pen.measureText(text).width + 20;
  pen.beginPath();
  pen.moveTo(x, y - 34);
  pen.lineTo(x + width, y - 34);
  pen.lineTo(x + width - 5, y - 25.5);
  pen.lineTo(x + width, y - 17);
  pen.lineTo(x, y - 17);
  pen.closePath();
  pen.fillStyle = palette.leaf;
  pen.fill();
  pen.textAlign = "left";
  pen.fillStyle = palette.onLeaf;
  pen.fillText(text, x + 7, y - 21.5);
};

/** A small tick: something in a run failed, or calls did not come back. */
export const drawTick = (pen: Pen, color: string, { x, y, width, scale }: Box): void => {
  pen.fillStyle = color;
  pen.beginPath();
  const [right, top] = [x + width - 9, y - 9 * scale];
  pen.moveTo(right - 4, top - 6);
  pen.lineTo(right + 4, top - 6);
  pen.lineTo(right, top + 1);
  pen.closePath();
  pen.fill();
};

/** A or B, over the start of a run: marked for comparing. */
export const drawMark = (pen: Pen, palette: Palette, letter: string, { x, y }: Box): void => {
  pen.beginPath();
  pen.roundRect(x - 9, y - 9, 18, 18, 4);
  pen.fillStyle = palette.ink;
  pen.fill();
  pen.strokeStyle = palette.bg;
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.font = "600 11px Inter, system-ui, sans-serif";
  pen.textAlign = "center";
  pen.fillStyle = palette.bg;
  pen.fillText(letter, x, y + 4);
};

/** The run in hand, and fainter the one under the pointer. */
export const drawRing = (pen: Pen, color: string, { x, y, width, scale }: Box, away: number): void => {
  const height = 18 * scale + 2 * away;
  pen.beginPath();
  pen.roundRect(x - away, y - height / 2, width + 2 * away, height, height / 2);
  pen.strokeStyle = color;
  pen.lineWidth = 2;
  pen.stroke();
};
