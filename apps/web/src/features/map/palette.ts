/** Colours of the map, resolved for a canvas. */
export type Palette = Readonly<Record<Tone, string>>;

type Tone =
  | "bg"
  | "surface"
  | "ink"
  | "ink2"
  | "ink3"
  | "leaf"
  | "leafSoft"
  | "leafLine"
  | "onLeaf"
  | "user"
  | "clay"
  | "warn"
  | "err"
  | "errLine"
  | "lane"
  | "trellis";

/** The token of each tone, and what stands for it where the reader's system sets the colours. */
const TONES: Readonly<Record<Tone, readonly [token: string, forced: string]>> = {
  bg: ["--bg", "Canvas"],
  surface: ["--surface", "Canvas"],
  ink: ["--ink", "CanvasText"],
  ink2: ["--ink-2", "CanvasText"],
  ink3: ["--ink-3", "CanvasText"],
  leaf: ["--leaf", "Highlight"],
  leafSoft: ["--leaf-soft", "Canvas"],
  leafLine: ["--leaf-line", "Highlight"],
  onLeaf: ["--on-leaf", "HighlightText"],
  user: ["--user", "LinkText"],
  clay: ["--clay", "CanvasText"],
  warn: ["--warn", "CanvasText"],
  err: ["--err", "CanvasText"],
  errLine: ["--err-line", "CanvasText"],
  lane: ["--lane", "CanvasText"],
  trellis: ["--trellis", "Canvas"],
};

/** Reads the colours as they are now from an element of the page. */
export const readPalette = (element: HTMLElement): Palette => {
  const forced = matchMedia("(forced-colors: active)").matches;
  const probe = document.createElement("span");
  // Without this the system's colour would stand for every token.
  probe.style.setProperty("forced-color-adjust", "none");
  element.append(probe);
  const style = getComputedStyle(probe);
  const found = Object.entries(TONES).map(([tone, [token, system]]) => {
    probe.style.color = forced ? system : `var(${token})`;
    return [tone, style.color] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Palette;
};

/** Calls back when the page's colours may have changed; returns how to stop that. */
export const watchPalette = (changed: () => void): (() => void) => {
  const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"].map(
    (query) => matchMedia(query),
  );
  const watcher = new MutationObserver(changed);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  for (const query of queries) query.addEventListener("change", changed);
  return () => {
    watcher.disconnect();
    for (const query of queries) query.removeEventListener("change", changed);
  };
};

/** A resolved colour as one number of an ImageData (little endian: red lowest). */
export const pixelOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
};
