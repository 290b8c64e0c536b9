import { drawTree, espalier, foldTree, type Grain, SessionTree } from "@espalier/core";
import { entryId, type Row } from "@espalier/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../../testing/data-folder.ts";
import { detailAt, fit, isCrowded, pitchOf, reveal, runUnder, screenX, worldX, zoomAt } from "./camera.ts";
import { runsBetween, type Scene, sceneOf } from "./map-scene.ts";
import { walk } from "./map-walk.ts";

const rowAt = (at: number, parent: number): Row => ({
  id: entryId(`n${at}`),
  parentId: parent < 0 ? null : entryId(`n${parent}`),
  type: "message",
  role: at % 4 === 0 ? "user" : "assistant",
  time: at + 1,
  tokens: 1,
});

const sceneFor = (parents: readonly number[], grain: Grain = "runs"): Scene => {
  const tree = new SessionTree(parents.map((parent, at) => rowAt(at, parent)));
  const drawn = drawTree(tree);
  const leafId = entryId(`n${parents.length - 1}`);
  const fold = foldTree(drawn, grain, { labels: tree.labels, leafId });
  return sceneOf({ tree, drawn, fold }, espalier(fold, fold.runOf[parents.length - 1] ?? -1), null);
};

const scenes = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(40) }), {
    minLength: 1,
    maxLength: 100,
  })
  .chain((backs) =>
    fc.constantFrom<Grain>("runs", "entries").map((grain) =>
      sceneFor(
        backs.map((back, at) => (at === 0 ? -1 : at - 1 - (back % at))),
        grain,
      ),
    ),
  );

describe("the map", () => {
  it("reaches every run by keys, on several trees too", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const seen = new Set([0]);
        for (const run of seen)
          for (const key of ["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "PageUp", "PageDown"]) {
            const next = walk(scene, run, key);
            if (next >= 0) seen.add(next);
          }
        expect(seen.size).toBe(scene.laid.x.length);
      }),
      { numRuns: runs(60) },
    );
  });

  it("shows all of it when it is fitted, and finds each run where it is drawn", () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const view = fit(scene, 1100, 700);
        const pitch = pitchOf(scene, view);
        const { laid } = scene;
        expect(view.y + laid.top * pitch).toBeGreaterThan(0);
        expect(view.y + laid.bottom * pitch).toBeLessThan(700);
        expect(screenX(view, laid.right)).toBeLessThan(1100);
        laid.x.forEach((x, run) => {
          const middle = screenX(view, x + (laid.w[run] ?? 0) / 2);
          expect(runUnder(scene, view, middle, view.y + (laid.lane[run] ?? 0) * pitch, 0)).toBe(run);
        });
      }),
      { numRuns: runs(60) },
    );
  });

  it("zooms around the pointer, in and out again", () => {
    fc.assert(
      fc.property(
        scenes,
        fc.integer({ min: 0, max: 1100 }),
        fc.integer({ min: 0, max: 700 }),
        (scene, x, y) => {
          const before = fit(scene, 1100, 700);
          const closer = zoomAt(scene, before, 1.7, x, y);
          expect(worldX(closer, x)).toBeCloseTo(worldX(before, x), 3);
          expect((y - closer.y) / pitchOf(scene, closer)).toBeCloseTo(
            (y - before.y) / pitchOf(scene, before),
            5,
          );
          expect(pitchOf(scene, closer)).toBeGreaterThanOrEqual(pitchOf(scene, before));
          const back = zoomAt(scene, closer, before.zoom / closer.zoom, x, y);
          expect(back.x).toBeCloseTo(before.x, 3);
          expect(back.y).toBeCloseTo(before.y, 3);
        },
      ),
      { numRuns: runs(60) },
    );
  });

  it("brings a run into sight and draws no more than what is seen", () => {
    const scene = sceneFor(Array.from({ length: 20_000 }, (_, at) => (at % 25 === 24 ? at - 12 : at - 1)));
    const whole = fit(scene, 1100, 700);
    const near = { ...whole, zoom: 1 };
    const last = scene.laid.x.length - 1;
    const view = reveal(scene, near, last);
    const x = screenX(view, scene.laid.x[last] ?? 0);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(1100);
    const lane = scene.laid.lane[last] ?? 0;
    const [first, end] = runsBetween(scene, lane, worldX(view, 0), worldX(view, 1100));
    expect(end - first).toBeLessThan(60);
    expect(isCrowded(scene, view)).toBe(false);
    expect(detailAt(view.zoom, pitchOf(scene, view))).toBe("text");
  });
});
