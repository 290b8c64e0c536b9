import { AIMS } from "./support/aims.ts";
import type { Bench, Line } from "./support/line.ts";

/** Every bench by name; one run prints one or more lines. */
const BENCHES: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  start: () => import("./start.ts"),
  open: () => import("./open.ts"),
  grow: () => import("./grow.ts"),
  survival: () => import("./survival.ts"),
  append: () => import("./append.ts"),
  "loop-step": () => import("./loop-step.ts"),
  "first-paint": () => import("./first-paint.ts"),
  "token-to-dom": () => import("./token-to-dom.ts"),
  "cut-point": () => import("./cut-point.ts"),
  guard: () => import("./guard.ts"),
  list: () => import("./list.ts"),
  search: () => import("./search.ts"),
  map: () => import("./map.ts"),
};

/** Lines, by the beginning of their name, that can be asked for by themselves, and the bench that prints them. */
const LINES: Readonly<Record<string, string>> = {
  "open-10k": "open",
  "open-300": "open",
  "open-100k": "open",
  "open-200mb": "open",
  "context-after-append": "grow",
  "tree-again": "grow",
  "list-1000": "list",
  "list-10000": "list",
  "search-1000": "search",
};

const benchOfLine = (line: string): string | undefined =>
  Object.entries(LINES).find(([beginning]) => line.startsWith(beginning))?.[1];

/** What of a line misses its aim, as a sentence, or null. */
const missed = ({ bench, value, unit, ratio }: Line): string | null => {
  const aim = AIMS[bench];
  if (aim === undefined) return null;
  if (aim.value !== undefined && value > aim.value)
    return `${bench}: ${value} ${unit}, aim ${aim.value} ${unit}`;
  if (aim.ratio !== undefined && !((ratio ?? Number.NaN) <= aim.ratio))
    return `${bench}: ${ratio} x its floor, aim ${aim.ratio} x`;
  return null;
};

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith("--"));
const wrong = words.find((word) => word.startsWith("--") && word !== "--check");
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name) && benchOfLine(name) === undefined);
if (wrong !== undefined || unknown !== undefined) {
  console.error(
    `There is no ${wrong ?? unknown}. Benches: ${Object.keys(BENCHES).join(", ")}; option: --check.`,
  );
  process.exit(2);
}

const misses: string[] = [];
for (const [name, load] of Object.entries(BENCHES)) {
  const lines = names.filter((wanted) => benchOfLine(wanted) === name);
  if (names.length > 0 && !names.includes(name) && lines.length === 0) continue;
  const { bench } = await load();
  for (const measured of await bench()) {
    if (lines.length > 0 && !lines.some((wanted) => measured.bench.startsWith(wanted))) continue;
    console.log(JSON.stringify(measured));
    const miss = missed(measured);
    if (miss !== null) misses.push(miss);
  }
}
if (words.includes("--check")) {
  for (const miss of misses) console.error(`missed  ${miss}`);
  process.exitCode = misses.length > 0 ? 1 : 0;
}
