import type { Scene } from "./map-scene.ts";
import { type Palette, pixelOf } from "./palette.ts";

/** Pixels and how the tree lies in them: everything from left to right, all lanes from top to bottom. */
interface Picture {
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly width: number;
  readonly height: number;
}

/**
 * The whole tree as pixels, each run a stroke on its lane: for the minimap, and in place of more runs than can be drawn one by
 * one. Clear where nothing is.
 */
export const pictureOf = (scene: Scene, width: number, height: number, palette: Palette): Picture => {
  const { laid, spines } = scene;
  const pixels = new Uint32Array(width * height);
  const perUnit = (width - 1) / Math.max(1, laid.right);
  const lanes = laid.bottom - laid.top + 1;
  const pitch = height / lanes;
  const thick = Math.max(1, Math.min(3, Math.floor(pitch / 3)));
  const rowOf = (lane: number): number => Math.floor((lane - laid.top + 0.5) * pitch);
  const box = (x0: number, x1: number, y0: number, y1: number, color: number): void => {
    const right = Math.min(width, Math.max(x1, x0 + 1));
    for (let y = Math.max(0, y0); y < Math.min(height, Math.max(y1, y0 + 1)); y += 1)
      pixels.fill(color, y * width + Math.max(0, x0), y * width + right);
  };
  const [line, leaf, clay, user] = [palette.lane, palette.leaf, palette.clay, palette.user].map(pixelOf) as [
    number,
    number,
    number,
    number,
  ];
  spines.x.forEach((at, index) => {
    const [from, to] = [rowOf(spines.from[index] ?? 0), rowOf(spines.to[index] ?? 0)];
    const x = Math.floor(at * perUnit);
    box(x, x + 1, Math.min(from, to), Math.max(from, to), line);
  });
  const strokes = (path: 0 | 1): void => {
    for (let run = 0; run < laid.x.length; run += 1) {
      if (laid.onPath[run] !== path) continue;
      const parent = laid.fold.parent[run] ?? -1;
      const start = parent < 0 ? 0 : (laid.x[parent] ?? 0) + (laid.w[parent] ?? 0);
      const end = (laid.x[run] ?? 0) + (laid.w[run] ?? 0);
      const y = rowOf(laid.lane[run] ?? 0) - Math.floor(thick / 2);
      const kind = laid.fold.kind[run];
      box(Math.floor(start * perUnit), Math.ceil(end * perUnit), y, y + thick, path === 1 ? leaf : line);
      if (kind !== "compaction" && kind !== "user") continue;
      const middle = Math.floor(((laid.x[run] ?? 0) + end) * 0.5 * perUnit);
      box(middle, middle + thick, y, y + thick, kind === "user" ? user : clay);
    }
  };
  strokes(0);
  strokes(1);
  return { pixels, width, height };
};

/** Puts a picture on a canvas of its size. */
export const putPicture = (canvas: HTMLCanvasElement, { pixels, width, height }: Picture): void => {
  canvas.width = width;
  canvas.height = height;
  const bytes = new Uint8ClampedArray(pixels.buffer);
  canvas.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
};
