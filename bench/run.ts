import { AIMS } from "./support/aims.ts";
import type { Bench, Line } from "./support/line.ts";

/** Every bench by name; one run prints one or more lines. */
const BENCHES: Readonly<Record<string, () => Promise<{ bench: Bench }>>> = {
  start: () => import("./start.ts"),
  open: () => import("./open.ts"),
  append: () => import("./append.ts"),
  "loop-step": () => import("./loop-step.ts"),
  "first-paint": () => import("./first-paint.ts"),
  "token-to-dom": () => import("./token-to-dom.ts"),
  "cut-point": () => import("./cut-point.ts"),
  guard: () => import("./guard.ts"),
};

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
const unknown = names.find((name) => !Object.hasOwn(BENCHES, name));
if (wrong !== undefined || unknown !== undefined) {
  console.error(
    `There is no ${wrong ?? unknown}. Benches: ${Object.keys(BENCHES).join(", ")}; option: --check.`,
  );
  process.exit(2);
}

const misses: string[] = [];
for (const [name, load] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const { bench } = await load();
  for (const measured of await bench()) {
    console.log(JSON.stringify(measured));
    const miss = missed(measured);
    if (miss !== null) misses.push(miss);
  }
}
if (words.includes("--check")) {
  for (const miss of misses) console.error(`missed  ${miss}`);
  process.exitCode = misses.length > 0 ? 1 : 0;
}
